"""The program that the interior point method solves, gathered from a cluster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from solvers.reward.interior_kernels import Entries
from solvers.reward.oracle import Oracle

__all__ = ["Program", "gather"]

_HAIR = 1e-12  # of a capacity: less than this is nothing


@dataclass(frozen=True)
class Program:
    """Entries that can get anything, and where they stand.

    Parameters
    ----------
    entries : Entries
        Of the copies of positive weight; weights are divided by ``unit``.
    unit : float
        The largest weight.
    copies : ndarray of int64
        The copies of positive weight; their positions are what ``entries.copy`` says.
    channel : ndarray of int64, shape (E,)
        Channel of each entry.
    base : ndarray, shape (M, K)
        What the floors give these copies.
    """

    entries: Entries
    unit: float
    copies: np.ndarray
    channel: np.ndarray
    base: np.ndarray


def gather(oracle: Oracle, weights: np.ndarray, floor: np.ndarray) -> Program:
    """Collect the program of a weighted reward over allocations of at least ``floor``.

    Parameters
    ----------
    oracle : Oracle
    weights : ndarray, shape (M,)
        At least one is positive.
    floor : ndarray, shape (C, K)
        A feasible allocation, 0 where the weight is.
    """
    cluster = oracle.cluster
    copies = np.flatnonzero(weights > 0)
    place = np.full(oracle.copies, -1)
    place[copies] = np.arange(len(copies))
    channel_place = place[oracle.copy]
    channel, device, ceiling, pair_start, room = _gather(
        channel_place, floor, cluster.upper, cluster.capacities, cluster.server_start, _HAIR
    )
    unit = float(weights.max())
    server = cluster.server[channel]
    base = np.zeros((len(copies), len(cluster.devices)))
    used = np.flatnonzero(channel_place >= 0)
    np.add.at(base, channel_place[used], floor[used])
    entries = Entries(
        copy=channel_place[channel],
        device=device,
        kind=cluster.kind[server, device],
        alpha=cluster.alpha[server, device],
        floor=floor[channel, device],
        ceiling=ceiling,
        pair_start=pair_start,
        room=room,
        weight=weights[copies] / unit,
        beta=cluster.beta,
    )
    return Program(entries, unit, copies, channel, base)


@njit(cache=True)
def _gather(place, floor, upper, capacity, server_start, hair):  # type: ignore[no-untyped-def]
    most = upper.size
    channel, device = np.empty(most, np.int64), np.empty(most, np.int64)
    ceiling = np.empty(most)
    pair_start = np.zeros(capacity.size + 1, np.int64)
    room = np.empty(capacity.size)
    entries, pairs = 0, 0
    for r in range(capacity.shape[0]):
        for k in range(capacity.shape[1]):
            free = capacity[r, k]
            for c in range(server_start[r], server_start[r + 1]):
                free -= floor[c, k]
            if free <= hair * capacity[r, k]:
                continue
            first, total = entries, 0.0
            for c in range(server_start[r], server_start[r + 1]):
                most_here = min(upper[c, k] - floor[c, k], free)
                # A request may be far beyond the capacity.
                if place[c] >= 0 and most_here > hair * min(upper[c, k], capacity[r, k]):
                    channel[entries], device[entries], ceiling[entries] = c, k, most_here
                    total += most_here
                    entries += 1
            if entries > first:
                room[pairs] = free if total > free else np.inf
                pairs += 1
                pair_start[pairs] = entries
    return (
        channel[:entries].copy(),
        device[:entries].copy(),
        ceiling[:entries].copy(),
        pair_start[: pairs + 1].copy(),
        room[:pairs].copy(),
    )
