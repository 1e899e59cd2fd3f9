"""The best fixed decision y* in hindsight, and with it the optimum of a single slot.

Glossary
--------
``y[c,k]``
    Devices of type k on channel c = (lane, server).
``S[m,k]``
    ``sum_r y``: devices of type k that copy m = (l, j) gets on all servers, in all components.
``overhead[m]``
    ``max_k beta_k S[m,k]``, the second part of (5), as the least number above all of them.
``n[m]``
    Slots in which copy m has a job. The sum of the rewards (5) over the slots depends on the
    arrivals through n alone.

Maximise ``sum_m n[m] (sum_{r,k} f_r^k(y) - overhead[m])`` subject to (3) and (4). With n the
arrivals of a single slot, 0 or 1 per copy, this is the optimum of that slot. The gang rule of
Sec. 3.5 is left out: with one, the optimal value is an upper bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

from models.reward.instance import Cluster
from models.reward.utilities import KINDS

__all__ = ["Hindsight", "hindsight"]


@dataclass(frozen=True)
class Hindsight:
    """The program of the best fixed decision.

    Parameters
    ----------
    program : cvxpy.Problem
        Solve it with ``program.solve(...)``.
    y : cvxpy.Variable, shape (C, K)
        The decision.
    overhead : cvxpy.Variable, shape (M,)
        Its dominant overheads.
    above : cvxpy.Constraint, shape (M, K)
        ``overhead[m] >= beta_k S[m,k]``; the dual values of copy m add up to n[m].
    constraint_3, constraint_4 : cvxpy.Constraint
        ``y <= a`` and the capacities, shape (R, K).
    """

    program: cp.Problem
    y: cp.Variable
    overhead: cp.Variable
    above: cp.Constraint
    constraint_3: cp.Constraint
    constraint_4: cp.Constraint


def hindsight(cluster: Cluster, weights: np.ndarray) -> Hindsight:
    """Build the program.

    Parameters
    ----------
    cluster : Cluster
        With at least one channel.
    weights : ndarray, shape (M,)
        ``n``, at least 0: of an instance, ``instance.weights``.

    Returns
    -------
    Hindsight
    """
    channels = np.arange(len(cluster.lane))
    copy = cluster.lane_copy[cluster.lane]
    n = np.asarray(weights, dtype=float)
    y = cp.Variable(cluster.shape, name="y", nonneg=True)
    overhead = cp.Variable(len(n), name="overhead")

    S = _adder(copy, channels, (len(n), len(channels))) @ y
    above = overhead[:, None] >= cp.multiply(cluster.beta[None, :], S)
    constraint_3 = y <= cluster.upper
    per_server = _adder(cluster.server, channels, (len(cluster.capacities), len(channels)))
    constraint_4 = per_server @ y <= cluster.capacities

    gain = sum(_gains(cluster, y, n[copy]))
    program = cp.Problem(cp.Maximize(gain - n @ overhead), [above, constraint_3, constraint_4])
    return Hindsight(program, y, overhead, above, constraint_3, constraint_4)


def _gains(cluster: Cluster, y: cp.Variable, n: np.ndarray) -> list[cp.Expression]:
    """``sum n f_r^k(y)`` over the entries of each kind of utility, (27)."""
    entries = cp.vec(y, order="C")
    kind, alpha = cluster.kind[cluster.server].ravel(), cluster.alpha[cluster.server].ravel()
    weight = np.repeat(n, len(cluster.devices))
    gains = []
    for code, name in enumerate(KINDS):
        chosen = np.flatnonzero(kind == code)
        if chosen.size:
            v, a, w = entries[chosen], alpha[chosen], weight[chosen]
            if name == "linear":
                gains.append((w * a) @ v)
            elif name == "log":
                gains.append((w * a) @ cp.log(v + 1))
            elif name == "reciprocal":
                gains.append(w @ (1 / a - cp.inv_pos(v + a)))
            else:
                gains.append((w * a) @ (cp.sqrt(v + 1) - 1))
    return gains


def _adder(row: np.ndarray, column: np.ndarray, shape: tuple[int, int]) -> sp.csr_array:
    """The 0-1 matrix that adds entries ``column`` up in ``row``."""
    return sp.csr_array((np.ones(len(row)), (row, column)), shape=shape)
