"""Cuts for the compact ILP, found by solving its LP relaxation a few times."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from models.utility.formulations import ServerCut, compact, job_limits
from models.utility.instance import UtilityInstance
from solvers.highs import HighsOptions
from solvers.highs.engine import HighsError
from solvers.pyomo_bridge import solve_model
from solvers.utility.packing_groups import packing_groups
from solvers.utility.separation import PackingSeparator
from solvers.utility.server_cuts import violated_cuts

__all__ = ["find_cuts"]

_ROUNDS = 5
_VIOLATION = 1e-4


def find_cuts(instance: UtilityInstance, *, time_limit: float | None = None) -> list[ServerCut]:
    """Cuts of single servers, and of all servers of a side together.

    Parameters
    ----------
    instance : UtilityInstance
    time_limit : float, optional
        Seconds; the cuts found so far are returned.
    """
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    cuts: list[ServerCut] = []
    for _ in range(_ROUNDS):
        left = None if time_limit is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            break
        model = compact(instance, relaxed=True, cuts=cuts)
        solved = solve_model(model, HighsOptions(time_limit=left))
        if not solved.result.is_optimal:
            break
        n, m, y, z = (solved.values(part) for part in (model.n, model.m, model.y, model.z))
        try:
            new = violated_side_cuts(instance, n, m, cuts, deadline)
            new += violated_cuts(instance, y, z, cuts, deadline)
        except HighsError:  # cuts are a help, not a need
            break
        if not new:
            break
        cuts += new
    return cuts


def violated_side_cuts(
    instance: UtilityInstance,
    n: Mapping[Any, float],
    m: Mapping[Any, float],
    known: Sequence[ServerCut] = (),
    deadline: float = math.inf,
) -> list[ServerCut]:
    """Cuts on the totals of a slot that a point of the LP breaks, at most one per slot.

    Parameters
    ----------
    instance : UtilityInstance
    n, m : mapping of (job, slot) to float
        Workers and parameter servers in all.
    known : sequence of ServerCut
        Cuts that the point obeys already.
    deadline : float
        ``time.monotonic()`` at which to stop looking.
    """
    cuts: list[ServerCut] = []
    sides: tuple[tuple[Literal["worker", "ps"], Mapping[Any, float]], ...]
    sides = (("worker", n), ("ps", m))
    for kind, point in sides:
        separator = _separator(instance, kind)
        found = [cut for cut in known if cut.kind == kind and cut.server is None]
        loads: dict[int, np.ndarray] = defaultdict(lambda: np.zeros(len(instance.jobs)))
        for (i, t), value in point.items():
            loads[t][i] = value
        for _, load in sorted(loads.items()):
            if any(_activity(cut, load) > 1 + _VIOLATION for cut in found):
                continue  # cut off by what was found in another slot
            packing = separator.cut(load, deadline)
            if packing is not None:
                weight = packing.weight / packing.capacity
                used = np.flatnonzero(weight).tolist()
                found.append(ServerCut(kind, None, {i: float(weight[i]) for i in used}))
                cuts.append(found[-1])
    return cuts


def _separator(instance: UtilityInstance, kind: Literal["worker", "ps"]) -> PackingSeparator:
    cluster, worker = instance.cluster.tolerant, kind == "worker"
    most = np.zeros(len(instance.jobs), dtype=np.int64)
    for limits in job_limits(instance):
        most[limits.job.index] = limits.most if worker else limits.most_ps
    return PackingSeparator(
        packing_groups(cluster.worker_servers if worker else cluster.ps_servers, cluster.bandwidth),
        np.array([job.worker if worker else job.ps for job in instance.jobs]),
        most,
    )


def _activity(cut: ServerCut, load: np.ndarray) -> float:
    return sum(weight * float(load[i]) for i, weight in cut.weight.items())
