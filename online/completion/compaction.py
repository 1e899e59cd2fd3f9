"""Schedules that are planned in blocks, moved together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from models.completion.cluster import Cluster
from models.completion.column import Column
from models.tolerance import usable

__all__ = ["compacted"]


def compacted(columns: Iterable[Column], cluster: Cluster, first: int) -> list[Column]:
    """Move schedules to their earliest starts on their servers, in the order of planned starts.

    None is later than planned: whatever goes before a schedule was planned to start no later,
    and holds, from the planned start on, no more than planned.

    The cluster is empty from ``first`` on; the columns, together within the capacities, are
    returned with their new starts, in the same order.
    """
    moved = list(columns)
    free = np.empty((0, *cluster.servers.shape))
    for place in sorted(range(len(moved)), key=lambda place: moved[place].start):
        column = moved[place]
        servers, amounts = column.usage(cluster)
        fits = (amounts <= free[:, servers]).all(axis=(1, 2))
        blocked = np.flatnonzero(~fits)
        # Slots between those in which it does not fit; after the last used slot all is free.
        gaps = np.diff(blocked, prepend=-1, append=len(free) + column.duration) - 1
        at = int((gaps >= column.duration).argmax())
        start = int(blocked[at - 1]) + 1 if at else 0
        moved[place] = replace(column, start=first + start)
        missing = start + column.duration - len(free)
        if missing > 0:
            more = np.repeat(usable(cluster.servers)[None], missing, axis=0)
            free = np.concatenate([free, more])
        free[start : start + column.duration, servers] -= amounts
    return moved
