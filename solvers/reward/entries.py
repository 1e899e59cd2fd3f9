"""The program that the interior point method solves, gathered from a cluster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from solvers.reward.alike import Blocks, blocks_of
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
        Of the blocks; weights are divided by ``unit``.
    unit : float
        The largest weight.
    blocks : Blocks
        Of the copies of positive weight.
    channel : ndarray of int64, shape (E,)
        Channel of each entry, one of the first copy of its block.
    like : ndarray of int64, shape (C,)
        Of each channel, that of the first copy of its block, or itself.
    base : ndarray, shape (B, K)
        What the floors give these blocks.
    """

    entries: Entries
    unit: float
    blocks: Blocks
    channel: np.ndarray
    like: np.ndarray
    base: np.ndarray

    def allocation(self, floor: np.ndarray, y: np.ndarray) -> np.ndarray:
        """What every channel gets, shape (C, K), where entries get ``y`` beyond their floors."""
        more = np.zeros_like(floor)
        more[self.channel, self.entries.device] = y / self.entries.number[self.entries.block]
        return floor + more[self.like]

    def multipliers(self, table: np.ndarray, of_blocks: np.ndarray) -> np.ndarray:
        """``table``, shape (M, K), with the multipliers of the blocks, shape (B, K)."""
        table[self.blocks.copies] = of_blocks[self.blocks.block]
        return table


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
    blocks = blocks_of(oracle, weights, floor)
    number = blocks.number.astype(float)
    place = np.full(oracle.copies, -1)
    place[blocks.first] = np.arange(len(blocks.first))
    channel_place = place[oracle.copy]
    channel, device, ceiling, pair_start, room = _gather(
        channel_place, number, floor, cluster.upper, cluster.capacities, cluster.server_start, _HAIR
    )
    unit = float(weights.max())
    server = cluster.server[channel]
    base = np.zeros((len(number), len(cluster.devices)))
    used = np.flatnonzero(channel_place >= 0)
    np.add.at(base, channel_place[used], floor[used])
    entries = Entries(
        block=channel_place[channel],
        device=device,
        kind=cluster.kind[server, device],
        alpha=cluster.alpha[server, device],
        floor=floor[channel, device],
        ceiling=ceiling,
        pair_start=pair_start,
        room=room,
        weight=weights[blocks.first] / unit,
        number=number,
        beta=cluster.beta,
    )
    return Program(entries, unit, blocks, channel, blocks.like(oracle), number[:, None] * base)


@njit(cache=True)
def _gather(place, number, floor, upper, capacity, server_start, hair):  # type: ignore[no-untyped-def]
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
                    channel[entries], device[entries] = c, k
                    ceiling[entries] = min(number[place[c]] * (upper[c, k] - floor[c, k]), free)
                    total += ceiling[entries]
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
