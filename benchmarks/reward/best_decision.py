"""The cell of the best fixed decision of an instance in hindsight; it knows of no policy."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping

import numpy as np

from benchmarks.study.cell import Result
from benchmarks.study.instances import Source, instance_of
from benchmarks.study.run import run_until_compiled, small_instance
from models.reward import PROBLEM, RewardInstance
from models.reward.reward import RewardFunction
from online.reward.theory import regret_bound
from solvers.reward.hindsight import best_fixed

__all__ = ["best_decision", "decide", "packed", "unpacked"]

_TOLERANCE = 1e-6  # relative; certified
_TIME_LIMIT = 300.0  # seconds; the interval is valid whatever is reached
_POINTS, _PREFIXES = 100, 20  # of a curve; about so many of these against the best so far, too
_ARRAYS = "arrays.npz"


def best_decision(
    *, instance: Source, data: Mapping[str, bytes] | None = None
) -> Callable[[], Result]:
    """Prepare the best fixed decision of an instance: draw, and compile on a small one.

    The value of its result has the instance, its size and ``load``, the ends of the best fixed
    reward and ``bound``, as in the records of :func:`benchmarks.reward.regret.measure`, and
    ``gangs``, whether it has any. A file holds the decision, its reward in every slot, the
    numbers of slots that a curve shows, and what the best decision of the slots so far earns at
    most, for some of these numbers, T among them (else NaN).
    """
    run_until_compiled(lambda: decide(small_instance("reward")))
    target = instance_of(instance, data)
    return lambda: decide(target)


def decide(instance: RewardInstance) -> Result:
    """The best fixed decision of an instance, as the cell has it."""
    cluster = instance.cluster
    best = best_fixed(cluster, instance.weights, tolerance=_TOLERANCE, time_limit=_TIME_LIMIT)
    reward = RewardFunction(cluster)(best.y).reward
    active = cluster.active(instance.arrivals)
    slots = np.unique(np.linspace(1, cluster.slots, _POINTS).round().astype(int))
    prefix, limit = np.full(len(slots), np.nan), _TIME_LIMIT / _PREFIXES
    for place in range(len(slots) - 1, -1, -max(1, len(slots) // _PREFIXES)):
        weights = active[: slots[place]].sum(axis=0)
        so_far = best_fixed(cluster, weights, tolerance=_TOLERANCE, time_limit=limit)
        prefix[place] = so_far.bound
    servers = len(cluster.capacities)
    value = {
        "instance": instance.name,
        "instance_hash": instance.hash,
        "instance_seed": instance.seed,
        **{"ports": len(cluster.requests), "servers": servers, "slots": cluster.slots},
        "density": len(cluster.port_edges) / servers,
        "load": PROBLEM.load(instance),
        **{"fixed_lower": best.value, "fixed_upper": best.bound, "fixed_gap": best.gap},
        "bound": regret_bound(cluster),
        "gangs": bool(cluster.has_gangs),
    }
    return Result(value, packed(y=best.y, rewards=active @ reward, slots=slots, prefix=prefix))


def packed(**arrays: np.ndarray) -> dict[str, bytes]:
    """Arrays as the file of a result."""
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    return {_ARRAYS: stream.getvalue()}


def unpacked(result: Result) -> dict[str, np.ndarray]:
    """Arrays of a result's file."""
    with np.load(io.BytesIO(result.files[_ARRAYS])) as arrays:
        return dict(arrays)
