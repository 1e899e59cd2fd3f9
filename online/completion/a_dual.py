"""A_dual (Alg. 2): one block of A_maxweight after the other, until all jobs have a place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from models.completion.cluster import Cluster, Job
from models.completion.column import Column
from models.tolerance import usable
from online.completion.max_weight import Block

__all__ = ["compact", "dual_schedule", "most_blocks"]


def most_blocks(jobs: Iterable[Job], log_of_lambda: float) -> int:
    """``alpha`` of (6), with ``gamma = 2 log2 lambda`` of Theorem 3.

    ``floor(log(w(J) / w_min) / log(gamma / (gamma - 1))) + 1``: of all jobs as in Theorem 5, or of
    those of a round, as the paper allows.
    """
    weights = [job.weight for job in jobs]
    gamma = 2.0 * log_of_lambda / math.log(2.0)
    if gamma <= 1.0 or not weights:
        return 1  # Alg. 3 is exact
    ratio = math.fsum(weights) / min(weights)
    return math.floor(math.log(ratio) / -math.log1p(-1.0 / gamma)) + 1


def dual_schedule(
    jobs: Sequence[Job], schedule: Callable[[Sequence[Job]], Block], most: int
) -> list[Block]:
    """The blocks of Alg. 2 in which somebody is scheduled.

    A block that schedules nobody is the last: all that follow would start from the same jobs and
    an empty cluster. So the result is that of the ``most`` blocks of the paper.

    Parameters
    ----------
    jobs : sequence of Job
    schedule : callable
        What :func:`~online.completion.max_weight.max_weight` makes of the jobs that are left.
    most : int
        ``alpha``.
    """
    blocks: list[Block] = []
    left = list(jobs)
    while left and len(blocks) < most:
        block = schedule(left)
        if not block.columns:
            break
        blocks.append(block)
        left = [job for job in left if job.index not in block.payoffs]
    return blocks


def compact(columns: Iterable[Column], cluster: Cluster, first: int) -> list[int]:
    """Earliest starts of given schedules on given servers, in the order of planned starts.

    So none is later than planned: whatever goes before a schedule was planned to start no later,
    and holds, from the planned start on, no more than planned.

    Parameters
    ----------
    columns : iterable of Column
        Together within the capacities.
    cluster : Cluster
        Empty from ``first`` on.
    first : int
        Earliest start.

    Returns
    -------
    list of int
        Starts in the order of the columns.
    """
    listed = list(columns)
    starts = [0] * len(listed)
    free = np.empty((0, *cluster.servers.shape))
    for place in sorted(range(len(listed)), key=lambda place: listed[place].start):
        column = listed[place]
        servers, amounts = column.usage(cluster)
        fits = (amounts <= free[:, servers]).all(axis=(1, 2))
        blocked = np.flatnonzero(~fits)
        # Slots between those in which it does not fit; after the last used slot all is free.
        gaps = np.diff(blocked, prepend=-1, append=len(free) + column.duration) - 1
        at = int((gaps >= column.duration).argmax())
        start = int(blocked[at - 1]) + 1 if at else 0
        starts[place] = first + start
        missing = start + column.duration - len(free)
        if missing > 0:
            more = np.repeat(usable(cluster.servers)[None], missing, axis=0)
            free = np.concatenate([free, more])
        free[start : start + column.duration, servers] -= amounts
    return starts
