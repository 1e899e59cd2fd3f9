"""The schedule ILP (14) over an explicit set of schedules, its LP, and the dual (19).

Glossary
--------
``x[k]``
    1 if the job of column number k runs according to it: ``x_il`` of the paper.
``p[h,t,r]``, ``q[k,t,r]``
    Prices of the capacities (15) and (16), per unit of resource.
``payoff[i]``
    ``mu_i``.

The capacities are the tolerant ones (:mod:`models.tolerance`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyomo.environ as pyo

from models.schedule_lp import Capacities, choose_schedules, price_schedules, taken
from models.slot_column import Column
from models.utility.instance import UtilityInstance
from models.utility.resources import Resources

__all__ = ["resource_prices", "schedule_dual", "schedule_ilp"]


def schedule_ilp(
    instance: UtilityInstance, columns: Sequence[Column], *, relaxed: bool = False
) -> pyo.ConcreteModel:
    """Build (14)-(18), or its LP without (18), over these columns.

    Returns
    -------
    ConcreteModel
        Maximise ``value`` over x; ``constraint_15``, ``constraint_16``, ``constraint_17``.
    """
    return choose_schedules(columns, _sides(instance, columns), "constraint_17", relaxed=relaxed)


def schedule_dual(instance: UtilityInstance, columns: Sequence[Column]) -> pyo.ConcreteModel:
    """Build the dual (19)-(20) of the LP of :func:`schedule_ilp` over the same columns.

    Returns
    -------
    ConcreteModel
        Minimise ``payoffs_and_prices`` over payoff, p and q; ``constraint_20`` by column number.
    """
    return price_schedules(columns, _sides(instance, columns), "constraint_20")


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


def _sides(instance: UtilityInstance, columns: Sequence[Column]) -> tuple[Capacities, Capacities]:
    """(15) and (16), with ``w_i^r y_ih^l(t)`` and ``s_i^r z_ik^l(t)``."""
    cluster = instance.cluster.tolerant
    workers, ps = (taken(instance, columns, (kind,)) for kind in ("worker", "ps"))
    return (
        Capacities("constraint_15", "p", workers, cluster.worker_servers),
        Capacities("constraint_16", "q", ps, cluster.ps_servers),
    )
