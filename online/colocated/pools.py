"""What policies that share servers out have to know of the ``colocated`` problem."""

from __future__ import annotations

import numpy as np

from models.colocated.cluster import Job
from online.placements import Placement
from online.pools import Pools, Rules
from solvers.colocated.placement_greedy import GreedyPlacement

__all__ = ["RULES", "first_fit"]

_GREEDY = GreedyPlacement()


def first_fit(job: Job, free: np.ndarray, most: int) -> tuple[int, Placement | None]:
    """The largest number of workers for which the greedy placement finds room, and where.

    On one server if any holds them with their parameter servers, and the first servers with room.

    Parameters
    ----------
    job : Job
    free : ndarray, shape (H, R)
        What is free on every server.
    most : int
        Most workers asked for, at least 1.

    Returns
    -------
    tuple of int and Placement or None
        0 and None if not even one worker finds room.
    """
    options = _GREEDY.options(job, np.zeros_like(free), free, most)
    inside = np.isfinite(options.internal_cost)
    numbers = np.flatnonzero(inside | np.isfinite(options.external_cost))
    count = int(numbers.max(initial=0))
    if count == 0:
        return 0, None
    return count, Placement(*options.rows(count, bool(inside[count])))


RULES = Rules(
    pools=lambda cluster: Pools(cluster.servers, cluster.servers),
    fits=lambda job, cluster: first_fit(job, cluster.servers, 1)[0] > 0,
    most=lambda job, left: min(job.max_workers, left),
    ps_per_worker=lambda job: 1.0 / job.gamma,
)
