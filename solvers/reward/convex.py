"""The best fixed decision by Clarabel through CVXPY: the cross-check of the own method."""

from __future__ import annotations

import time

import cvxpy as cp
import numpy as np

from models.reward.formulations.hindsight import hindsight
from models.reward.instance import Cluster
from solvers.reward.hindsight import FixedOptimum
from solvers.reward.oracle import Oracle, normalised
from solvers.reward.projection import project

__all__ = ["best_fixed_by_clarabel"]


def best_fixed_by_clarabel(cluster: Cluster, weights: np.ndarray) -> FixedOptimum:
    """:func:`solvers.reward.hindsight.best_fixed` by a general solver.

    The allocation is projected on the feasible ones, and the bound recomputed from the dual
    values of the overheads, so that nothing rests on the solver's word.

    Parameters
    ----------
    cluster : Cluster
        With at least one channel.
    weights : ndarray, shape (M,)
        At least one is positive.

    Raises
    ------
    cvxpy.error.SolverError
        If Clarabel fails.
    """
    began = time.monotonic()
    unit = float(np.max(weights))
    built = hindsight(cluster, weights / unit)
    built.program.solve(solver=cp.CLARABEL)
    oracle = Oracle(cluster)
    y = project(np.array(built.y.value), cluster.upper, cluster.capacities, cluster.server_start)
    multipliers = normalised(np.maximum(built.above.dual_value, 0.0))
    return FixedOptimum(
        y,
        float(weights @ oracle.reward(y).reward),
        oracle.bound(weights, multipliers),
        multipliers,
        "clarabel",
        time.monotonic() - began,
    )
