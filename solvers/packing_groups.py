"""What the servers of one side can hold in whole workers, with equal servers grouped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.packing import best_packings

__all__ = ["PackingGroup", "most_worth", "packing_groups"]

_MAX_NODES = 100_000  # more than in separation, where there are many searches


@dataclass(frozen=True, eq=False)
class PackingGroup:
    """Servers of the same capacity (shape (R,)), and how many there are."""

    capacity: np.ndarray
    count: int


def packing_groups(servers: np.ndarray) -> tuple[PackingGroup, ...]:
    """Group the servers of one side, shape (S, R)."""
    capacities, counts = np.unique(servers, axis=0, return_counts=True)
    return tuple(
        PackingGroup(capacity.copy(), int(count))
        for capacity, count in zip(capacities, counts, strict=True)
    )


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
    capacities = np.array([group.capacity for group in groups])
    _, upper, _ = best_packings(capacities, demand[items], worth[items], limit[items], _MAX_NODES)
    return float(np.array([group.count for group in groups]) @ upper)
