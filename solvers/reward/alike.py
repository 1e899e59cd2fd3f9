"""Copies that one block of a program stands for.

Copies of a port with the same weight and the same floor are alike. The reward is concave, so the
mean of what they get is as good as any other division: the program decides what a block of like
copies gets in all, and each of them has the same share of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.reward.instance import Cluster
from solvers.reward.oracle import Oracle

__all__ = ["Blocks", "blocks_of"]


@dataclass(frozen=True)
class Blocks:
    """Blocks of like copies.

    Parameters
    ----------
    copies : ndarray of int64
        The copies of positive weight.
    block : ndarray of int64, as long
        The block of each.
    first : ndarray of int64, shape (B,)
        The first copy of each block.
    number : ndarray of int64, shape (B,)
        Copies in each block.
    """

    copies: np.ndarray
    block: np.ndarray
    first: np.ndarray
    number: np.ndarray

    def like(self, oracle: Oracle) -> np.ndarray:
        """Of each channel, that of the first copy of its block, or itself; shape (C,)."""
        same = np.arange(oracle.copies)
        same[self.copies] = self.first[self.block]
        order, start = oracle.channels
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        found: np.ndarray = order[place + (start[same] - start[:-1])[oracle.copy]]
        return found


def blocks_of(oracle: Oracle, weights: np.ndarray, floor: np.ndarray) -> Blocks:
    """Find the blocks.

    Parameters
    ----------
    oracle : Oracle
    weights : ndarray, shape (M,)
    floor : ndarray, shape (C, K)
        What channels get at least.
    """
    alike = _first_alike(oracle.cluster, *oracle.channels, weights, floor)
    copies = np.flatnonzero(weights > 0)
    first, block, number = np.unique(alike[copies], return_inverse=True, return_counts=True)
    return Blocks(copies, block, first, number)


def _first_alike(
    cluster: Cluster, order: np.ndarray, start: np.ndarray, weights: np.ndarray, floor: np.ndarray
) -> np.ndarray:
    """Of each copy, the first one that it is like, shape (M,)."""
    found = np.arange(len(weights))
    ends = np.cumsum(cluster.copies)
    for port in np.flatnonzero(cluster.copies > 1).tolist():
        count = int(cluster.copies[port])
        copies = slice(ends[port] - count, ends[port])
        floors = floor[order[start[copies.start] : start[copies.stop]]].reshape(count, -1)
        keys = weights[copies]
        if floors.any():
            _, keys = np.unique(np.column_stack([keys, floors]), axis=0, return_inverse=True)
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        found[copies] = copies.start + first[inverse]
    return found
