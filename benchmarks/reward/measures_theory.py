"""What cells of ``reward`` compute of cases by hand, and of points drawn for a proposition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.reward.measures import draw
from benchmarks.study.cell import Result
from models.reward.reward import slot_reward
from solvers.reward.projection import algorithm_1, project

__all__ = ["concavity", "edges", "projections"]


def concavity(*, pairs: int, seed: int, **settings: Any) -> Callable[[], Result]:
    """Proposition 1: reward of a slot in the middle of two feasible allocations, minus the mean.

    ``least`` over random pairs.
    """
    cluster = draw(**settings, seed=seed).cluster
    rng = np.random.default_rng(seed)
    arrived = np.ones(len(cluster.copies), dtype=np.int64)

    def point() -> np.ndarray:
        wanted = rng.uniform(0.0, 2.0, cluster.shape) * cluster.upper * rng.random()
        return project(wanted, cluster.upper, cluster.capacities, cluster.server_start)

    def gain() -> float:
        one, two = point(), point()
        ends = (slot_reward(cluster, y, arrived)[0] for y in (one, two))
        return float(slot_reward(cluster, 0.5 * (one + two), arrived)[0] - 0.5 * sum(ends))

    return lambda: Result([{"pairs": pairs, "least": min(gain() for _ in range(pairs))}])


def projections(
    *, z: Sequence[float], most: Sequence[float], capacity: float, seed: int
) -> Callable[[], Result]:
    """A point of one (r, k) projected by Alg. 1, as ``printed``, and ``exact``."""
    point, upper = np.array(z), np.array(most)

    def measure() -> Result:
        room, start = np.array([[capacity]]), np.array([0, len(z)])
        exact = project(point[:, None].copy(), upper[:, None], room, start)[:, 0]
        printed = algorithm_1(point, upper, capacity)
        return Result([{"z": list(z), "printed": printed.tolist(), "exact": exact.tolist()}])

    return measure


def edges(*, ports: int, servers: int, degree: int, seed: int) -> Callable[[], Result]:
    """Number of ``edges`` of a right regular graph: every server has as many ports."""
    pairs = {((server + k) % ports, server) for server in range(servers) for k in range(degree)}
    record = {"ports": ports, "servers": servers, "degree": degree, "edges": len(pairs)}
    return lambda: Result([record])
