"""The schedule ILP (14) over an explicit set of schedules, its LP, and the dual (19).

Glossary
--------
``x[k]``
    1 if the job of column number k runs according to it: ``x_il`` of the paper.
``p[h,t,r]``, ``q[k,t,r]``
    Prices of the capacities (15) and (16), per unit of resource.
``mu[i]``
    Payoff of job i.

The capacities are the tolerant ones (:mod:`models.tolerance`).
Only capacities that some column uses have a row, and so a price; the price of the others is
0 in an optimum.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyomo.environ as pyo

from models.pyomo_components import rows, variable
from models.utility.column import Column, Resources
from models.utility.instance import UtilityInstance

__all__ = ["resource_prices", "schedule_dual", "schedule_ilp"]

At = tuple[int, int, int]  # (server, slot, resource)
Use = dict[At, dict[int, float]]  # amount taken, by place and column number


def schedule_ilp(
    instance: UtilityInstance, columns: Sequence[Column], *, relaxed: bool = False
) -> pyo.ConcreteModel:
    """Build (14)-(18), or its LP without (18).

    Parameters
    ----------
    instance : UtilityInstance
    columns : sequence of Column
        The schedules to choose from.
    relaxed : bool
        Drop integrality.

    Returns
    -------
    ConcreteModel
        Maximise ``utility`` over x; ``constraint_15``, ``constraint_16``, ``constraint_17``.
    """
    model = pyo.ConcreteModel(name="schedule_ilp")
    if relaxed:  # x <= 1 follows from (17); as a bound it would take its share of the duals
        model.x = variable(dict.fromkeys(range(len(columns))), pyo.NonNegativeReals)
    else:  # (18)
        model.x = variable(dict.fromkeys(range(len(columns)), 1), pyo.NonNegativeIntegers)
    total = pyo.quicksum(
        column.value * x for column, x in zip(columns, model.x.values(), strict=True)
    )
    model.utility = pyo.Objective(expr=total, sense=pyo.maximize)
    use, cluster = _use(instance, columns), instance.cluster.tolerant
    model.constraint_15 = _capacity(model.x, use["p"], cluster.worker_servers)
    model.constraint_16 = _capacity(model.x, use["q"], cluster.ps_servers)
    model.constraint_17 = rows(
        (i, pyo.quicksum(model.x[k] for k in numbers) <= 1)
        for i, numbers in _columns_of(columns).items()
    )
    return model


def schedule_dual(instance: UtilityInstance, columns: Sequence[Column]) -> pyo.ConcreteModel:
    """Build the dual (19)-(20) of the LP of :func:`schedule_ilp` over the same columns.

    Returns
    -------
    ConcreteModel
        Minimise ``payoffs_and_prices`` over mu, p and q; ``constraint_20`` by column number.
    """
    model = pyo.ConcreteModel(name="schedule_dual")
    model.mu = variable(dict.fromkeys(_columns_of(columns)), pyo.NonNegativeReals)
    use, cluster = _use(instance, columns), instance.cluster.tolerant
    for name, groups in use.items():
        model.add_component(name, variable(dict.fromkeys(groups), pyo.NonNegativeReals))
    model.payoffs_and_prices = pyo.Objective(
        expr=pyo.quicksum(model.mu.values())
        + pyo.quicksum(float(cluster.worker_servers[h, r]) * p for (h, _, r), p in model.p.items())
        + pyo.quicksum(float(cluster.ps_servers[k, r]) * q for (k, _, r), q in model.q.items()),
        sense=pyo.minimize,
    )
    cost: dict[int, list] = defaultdict(list)
    for name, groups in use.items():
        for at, group in groups.items():
            for number, amount in group.items():
                cost[number].append(amount * model.component(name)[at])
    model.constraint_20 = rows(
        (number, model.mu[column.job] >= column.value - pyo.quicksum(cost[number]))
        for number, column in enumerate(columns)
    )
    return model


def resource_prices(
    instance: UtilityInstance, p: Mapping[Any, float], q: Mapping[Any, float]
) -> Resources:
    """Prices by (server, slot, resource) as arrays, 0 where there is none.

    Negative ones, round-off of a solver, become 0.
    """
    cluster = instance.cluster
    arrays = []
    for prices, servers in ((p, cluster.worker_servers), (q, cluster.ps_servers)):
        array = np.zeros((cluster.slots, *servers.shape))
        for (s, t, r), price in prices.items():
            array[t, s, r] = max(price, 0.0)
        arrays.append(array)
    return Resources(*arrays)


def _capacity(x: pyo.Var, use: Use, capacity: np.ndarray) -> pyo.Constraint:
    """(15), (16): ``sum_k (amount taken by column k) x[k] <= c``."""
    return rows(
        (
            (s, t, r),
            pyo.quicksum(amount * x[k] for k, amount in group.items()) <= float(capacity[s, r]),
        )
        for (s, t, r), group in use.items()
    )


def _use(instance: UtilityInstance, columns: Sequence[Column]) -> dict[str, Use]:
    """``w_i^r y_ih^l(t)`` and ``s_i^r z_ik^l(t)``, nonzeros only, under "p" and "q"."""
    use: dict[str, Use] = {"p": defaultdict(dict), "q": defaultdict(dict)}
    for number, column in enumerate(columns):
        job = instance.jobs[column.job]
        sides = (("p", job.worker, column.workers), ("q", job.ps, column.ps))
        for name, demand, table in sides:
            for t, s, count in table.tolist():
                for r in np.flatnonzero(demand).tolist():
                    use[name][s, t, r][number] = count * float(demand[r])
    return use


def _columns_of(columns: Sequence[Column]) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = defaultdict(list)
    for number, column in enumerate(columns):
        groups[column.job].append(number)
    return dict(groups)
