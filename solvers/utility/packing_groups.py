"""What whole workers the servers of one side can hold, servers alike taken together."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from solvers.utility.packing import best_packing

__all__ = ["PackingGroup", "most_worth", "packing_groups"]

_MAX_NODES = 20_000


@dataclass(frozen=True, eq=False)
class PackingGroup:
    """Servers that differ in bandwidth at most, all given the largest bandwidth among them.

    More capacity can only raise a bound, and few groups make it quick.
    """

    capacity: np.ndarray
    count: int


def packing_groups(servers: np.ndarray, bandwidth: int) -> tuple[PackingGroup, ...]:
    """Group the servers of one side, shape (S, R)."""
    found: dict[tuple[float, ...], list[np.ndarray]] = defaultdict(list)
    for server in servers:
        found[tuple(np.delete(server, bandwidth).tolist())].append(server)
    return tuple(PackingGroup(np.max(alike, axis=0), len(alike)) for alike in found.values())


def most_worth(
    groups: tuple[PackingGroup, ...], demand: np.ndarray, worth: np.ndarray, limit: np.ndarray
) -> float:
    """Upper bound on ``sum over servers of max {worth y: y whole, demand y <= capacity}``.

    Parameters
    ----------
    groups : tuple of PackingGroup
    demand : ndarray, shape (I, R)
    worth : ndarray, shape (I,)
        Nonnegative.
    limit : ndarray of int64, shape (I,)
        Most copies of one job on one server.
    """
    items = np.flatnonzero(worth > 0)
    if not len(items):
        return 0.0
    return sum(
        group.count
        * best_packing(group.capacity, demand[items], worth[items], limit[items], _MAX_NODES)[1]
        for group in groups
    )
