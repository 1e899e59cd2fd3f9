"""One schedule per job within capacities: the ILP over explicit schedules, its LP and its dual.

The papers call it the schedule ILP, or compact-exponential; schedules are its columns. Only
capacities that some column uses have a row, and so a price; the price of the others is 0 in an
optimum.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyomo.environ as pyo

from models.pyomo_components import rows, variable
from models.slot_column import Column

__all__ = ["Capacities", "choose_schedules", "price_schedules", "taken"]


class _Column(Protocol):
    @property
    def job(self) -> int: ...
    @property
    def value(self) -> float: ...


@dataclass(frozen=True, eq=False)
class Capacities:
    """Capacities of servers of one kind, and what the columns take of them.

    Parameters
    ----------
    rows, prices : str
        Names of the constraints in the ILP, and of their prices in the dual.
    use : mapping of (server, slot, resource) to mapping of column number to float
        Amounts, nonzeros only.
    capacity : ndarray, shape (servers, resources)
    """

    rows: str
    prices: str
    use: Mapping[tuple[int, int, int], Mapping[int, float]]
    capacity: np.ndarray


def taken(
    instance: Any, columns: Sequence[Column], kinds: Sequence[str]
) -> Mapping[tuple[int, int, int], Mapping[int, float]]:
    """What the ``"worker"`` or ``"ps"`` rows of columns, or both, take: ``use`` of a side."""
    use: dict[tuple[int, int, int], dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for number, column in enumerate(columns):
        for kind in kinds:
            demand = getattr(instance.jobs[column.job], kind)
            table = column.workers if kind == "worker" else column.ps
            for t, s, count in table.tolist():
                for r in np.flatnonzero(demand).tolist():
                    use[s, t, r][number] += count * float(demand[r])
    return use


def choose_schedules(
    columns: Sequence[_Column],
    sides: Sequence[Capacities],
    job_rows: str,
    *,
    all_jobs: bool = False,
    relaxed: bool = False,
) -> pyo.ConcreteModel:
    """Build the ILP: maximise ``value`` over x, 1 for the columns that are chosen.

    Parameters
    ----------
    columns : sequence of columns
        With a ``job`` and a ``value``.
    sides : sequence of Capacities
    job_rows : str
        Name of the constraints, one for each job: at most one column of it.
    all_jobs : bool
        Exactly one instead.
    relaxed : bool
        Drop integrality.
    """
    model = pyo.ConcreteModel(name="schedule_ilp")
    if relaxed:  # x <= 1 follows from the job's row; as a bound it would take a share of the duals
        model.x = variable(dict.fromkeys(range(len(columns))), pyo.NonNegativeReals)
    else:
        model.x = variable(dict.fromkeys(range(len(columns)), 1), pyo.NonNegativeIntegers)
    total = pyo.quicksum(column.value * model.x[k] for k, column in enumerate(columns))
    model.value = pyo.Objective(expr=total, sense=pyo.maximize)
    for side in sides:
        within = rows(
            (
                (s, t, r),
                pyo.quicksum(amount * model.x[k] for k, amount in group.items())
                <= float(side.capacity[s, r]),
            )
            for (s, t, r), group in side.use.items()
        )
        model.add_component(side.rows, within)
    chosen: dict[int, list[Any]] = defaultdict(list)
    for k, column in enumerate(columns):
        chosen[column.job].append(model.x[k])
    one_each = rows(
        (j, pyo.quicksum(each) == 1 if all_jobs else pyo.quicksum(each) <= 1)
        for j, each in chosen.items()
    )
    model.add_component(job_rows, one_each)
    return model


def price_schedules(
    columns: Sequence[_Column],
    sides: Sequence[Capacities],
    column_rows: str,
    *,
    all_jobs: bool = False,
) -> pyo.ConcreteModel:
    """Build the dual of the LP: minimise ``payoffs_and_prices``.

    Its variables are ``payoff`` by job, of any sign with ``all_jobs``, and the prices of each side;
    ``column_rows`` is the name of its constraints, by column number: the payoff of the job is at
    least the value less the price of what the column takes.
    """
    model = pyo.ConcreteModel(name="schedule_dual")
    domain = pyo.Reals if all_jobs else pyo.NonNegativeReals
    model.payoff = pyo.Var(list(dict.fromkeys(column.job for column in columns)), domain=domain)
    total = pyo.quicksum(model.payoff.values())
    cost: dict[int, list[Any]] = defaultdict(list)
    for side in sides:
        prices = variable(dict.fromkeys(side.use), pyo.NonNegativeReals)
        model.add_component(side.prices, prices)
        for (s, t, r), group in side.use.items():
            total += float(side.capacity[s, r]) * prices[s, t, r]
            for k, amount in group.items():
                cost[k].append(amount * prices[s, t, r])
    model.payoffs_and_prices = pyo.Objective(expr=total, sense=pyo.minimize)
    covered = rows(
        (k, model.payoff[column.job] >= column.value - pyo.quicksum(cost[k]))
        for k, column in enumerate(columns)
    )
    model.add_component(column_rows, covered)
    return model
