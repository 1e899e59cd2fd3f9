"""R-DMLRS (8), (9) over an explicit set of schedules, its LP, and the dual (10), (11).

``x[k]`` is 1 if the job of column number k runs according to it, ``p[h,t,r]`` of (10) are the
prices of (8), ``payoff[i]`` is ``lambda_i``. The capacities are the tolerant ones
(:mod:`models.tolerance`).
"""

from __future__ import annotations

from collections.abc import Sequence

import pyomo.environ as pyo

from models.colocated.instance import ColocatedInstance
from models.schedule_lp import Capacities, choose_schedules, price_schedules, taken
from models.slot_column import Column

__all__ = ["schedule_dual", "schedule_ilp"]


def schedule_ilp(
    instance: ColocatedInstance, columns: Sequence[Column], *, relaxed: bool = False
) -> pyo.ConcreteModel:
    """Build R-DMLRS, or its LP: maximise ``value``; ``constraint_8`` and ``constraint_9``."""
    side = _capacities(instance, columns)
    return choose_schedules(columns, [side], "constraint_9", relaxed=relaxed)


def schedule_dual(instance: ColocatedInstance, columns: Sequence[Column]) -> pyo.ConcreteModel:
    """Build the dual of that LP: minimise (10), ``payoffs_and_prices``; ``constraint_11``."""
    return price_schedules(columns, [_capacities(instance, columns)], "constraint_11")


def _capacities(instance: ColocatedInstance, columns: Sequence[Column]) -> Capacities:
    """(8), with ``alpha_i^r w_ht + beta_i^r s_ht`` of each column."""
    use = taken(instance, columns, ("worker", "ps"))
    return Capacities("constraint_8", "p", use, instance.cluster.tolerant.servers)
