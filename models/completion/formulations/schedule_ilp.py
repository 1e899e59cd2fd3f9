"""The schedule ILP (8) over an explicit set of schedules, its LP, and the dual (9); (17) and (18).

``delta[h,t,r]`` of (9) are the prices of (8a), ``payoff[j]`` is ``u_j``, ``x[k]`` the ``x_jl`` of
column number k. The capacities are the tolerant ones (:mod:`models.tolerance`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pyomo.environ as pyo

from models.completion.column import Column
from models.completion.instance import CompletionInstance
from models.schedule_lp import Capacities, choose_schedules, price_schedules

__all__ = ["schedule_dual", "schedule_ilp"]


def schedule_ilp(
    instance: CompletionInstance,
    columns: Sequence[Column],
    *,
    all_jobs: bool = False,
    relaxed: bool = False,
) -> pyo.ConcreteModel:
    """Build (8), or its LP without (8c): maximise ``value``; ``constraint_8a``, ``constraint_8b``.

    ``all_jobs`` makes (8b) an equality, as (2a): with columns worth ``-w_j c_j`` this is (2).
    """
    side = _capacities(instance, columns)
    return choose_schedules(columns, [side], "constraint_8b", all_jobs=all_jobs, relaxed=relaxed)


def schedule_dual(
    instance: CompletionInstance, columns: Sequence[Column], *, all_jobs: bool = False
) -> pyo.ConcreteModel:
    """Build the dual (9) of that LP: minimise ``payoffs_and_prices``; ``constraint_9a``."""
    side = _capacities(instance, columns)
    return price_schedules(columns, [side], "constraint_9a", all_jobs=all_jobs)


def _capacities(instance: CompletionInstance, columns: Sequence[Column]) -> Capacities:
    """(8a), with ``f_jh^r(l)`` in each slot."""
    use: dict[tuple[int, int, int], dict[int, float]] = defaultdict(dict)
    for k, column in enumerate(columns):
        amounts = column.amounts(instance.cluster)
        for place, r in np.argwhere(amounts).tolist():
            for t in range(column.start, column.completion):
                use[int(column.servers[place]), t, r][k] = float(amounts[place, r])
    return Capacities("constraint_8a", "delta", use, instance.cluster.tolerant.servers)
