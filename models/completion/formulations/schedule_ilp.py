"""The schedule ILP (8) over an explicit set of schedules, its LP, and the dual (9); (17) and (18).

Glossary
--------
``x[k]``
    1 if the job of column number k runs according to it: ``x_jl``.
``delta[h,t,r]``
    Price of (8a), per unit of resource.
``u[j]``
    Payoff of job j, of any sign if every job has to be scheduled.

The capacities are the tolerant ones (:mod:`models.tolerance`). Only those that some column uses
have a row, and so a price; the price of the others is 0 in an optimum.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pyomo.environ as pyo

from models.completion.column import Column
from models.completion.instance import CompletionInstance
from models.pyomo_components import rows, variable

__all__ = ["schedule_dual", "schedule_ilp"]

Use = dict[tuple[int, int, int], dict[int, float]]  # by (server, slot, resource) and column number


def schedule_ilp(
    instance: CompletionInstance,
    columns: Sequence[Column],
    *,
    all_jobs: bool = False,
    relaxed: bool = False,
) -> pyo.ConcreteModel:
    """Build (8), or its LP without (8c).

    Parameters
    ----------
    instance : CompletionInstance
    columns : sequence of Column
        The schedules to choose from.
    all_jobs : bool
        (8b) with equality, as (2a): with columns of value ``-w_j c_j`` this is (2) over schedules.
    relaxed : bool
        Drop integrality.

    Returns
    -------
    ConcreteModel
        Maximise ``value`` over x; ``constraint_8a``, ``constraint_8b``.
    """
    model = pyo.ConcreteModel(name="schedule_ilp")
    if relaxed:  # x <= 1 follows from (8b); as a bound it would take its share of the duals
        model.x = variable(dict.fromkeys(range(len(columns))), pyo.NonNegativeReals)
    else:
        model.x = variable(dict.fromkeys(range(len(columns)), 1), pyo.NonNegativeIntegers)
    total = pyo.quicksum(column.value * model.x[k] for k, column in enumerate(columns))
    model.value = pyo.Objective(expr=total, sense=pyo.maximize)
    servers = instance.cluster.tolerant.servers
    model.constraint_8a = rows(
        (at, pyo.quicksum(f * model.x[k] for k, f in use.items()) <= float(servers[at[0], at[2]]))
        for at, use in _use(instance, columns).items()
    )
    chosen: dict[int, list] = defaultdict(list)
    for k, column in enumerate(columns):
        chosen[column.job].append(model.x[k])
    model.constraint_8b = rows(
        (j, pyo.quicksum(each) == 1 if all_jobs else pyo.quicksum(each) <= 1)
        for j, each in chosen.items()
    )
    return model


def schedule_dual(
    instance: CompletionInstance, columns: Sequence[Column], *, all_jobs: bool = False
) -> pyo.ConcreteModel:
    """Build the dual (9) of the LP of :func:`schedule_ilp` over the same columns.

    Returns
    -------
    ConcreteModel
        Minimise ``payoffs_and_prices`` over u and delta; ``constraint_9a`` by column number.
    """
    model = pyo.ConcreteModel(name="schedule_dual")
    jobs = dict.fromkeys(column.job for column in columns)
    model.u = pyo.Var(list(jobs), domain=pyo.Reals if all_jobs else pyo.NonNegativeReals)
    use, servers = _use(instance, columns), instance.cluster.tolerant.servers
    model.delta = variable(dict.fromkeys(use), pyo.NonNegativeReals)
    model.payoffs_and_prices = pyo.Objective(
        expr=pyo.quicksum(model.u.values())
        + pyo.quicksum(float(servers[at[0], at[2]]) * price for at, price in model.delta.items()),
        sense=pyo.minimize,
    )
    cost: dict[int, list] = defaultdict(list)
    for at, amounts in use.items():
        for k, f in amounts.items():
            cost[k].append(f * model.delta[at])
    model.constraint_9a = rows(
        (k, model.u[column.job] >= column.value - pyo.quicksum(cost[k]))
        for k, column in enumerate(columns)
    )
    return model


def _use(instance: CompletionInstance, columns: Sequence[Column]) -> Use:
    """``f_jh^r(l)`` in each slot, nonzeros only."""
    use: Use = defaultdict(dict)
    for k, column in enumerate(columns):
        servers, amounts = column.usage(instance.cluster)
        for place, r in np.argwhere(amounts).tolist():
            for t in range(column.start, column.completion):
                use[int(servers[place]), t, r][k] = float(amounts[place, r])
    return use
