"""Allocations that obey gang rules (Sec. 3.5): which jobs start, and what is reserved for them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from models.reward.instance import Cluster
from solvers.reward.oracle import Oracle

__all__ = ["reservations"]

_RUNS = 1.0 - 1e-10  # of a request; the scorer takes 1 - 1e-9


def reservations(
    oracle: Oracle, weights: np.ndarray, y: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield ways to choose the jobs that start.

    The components that have to run get all that they request, as a floor; within it the rest
    is a concave program again. The ways: what already starts in the optimum without gang
    rules, alone or with whatever else fits; and, from nothing, what fits in order of reward.

    Parameters
    ----------
    oracle : Oracle
    weights : ndarray, shape (M,)
    y : ndarray, shape (C, K)
        Optimum without gang rules.

    Yields
    ------
    weights : ndarray, shape (M,)
        The same, with 0 for the copies that do not start.
    floor : ndarray, shape (C, K)
        A feasible allocation that starts all copies of positive weight with a gang rule.
    """
    cluster = oracle.cluster
    bound_by_rule = (cluster.minimum_running[cluster.copy_port] > 0) & (weights > 0.0)
    order = np.argsort(-weights * oracle.without_gangs.reward(y).reward, kind="stable")
    waiting = order[bound_by_rule[order]]
    lanes = _Lanes(cluster)

    kept, floor, failing = weights.copy(), np.zeros_like(y), []
    for copy in waiting.tolist():
        if not lanes.keep(copy, y, floor):
            kept[copy] = 0.0
            failing.append(copy)
    yield kept, floor
    if failing:
        yield lanes.add(failing, kept, floor, weights)
        yield lanes.add(waiting.tolist(), np.where(bound_by_rule, 0.0, weights), 0.0 * y, weights)


class _Lanes:
    """Lanes of each copy and channels of each lane."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        order = np.argsort(cluster.lane, kind="stable")
        starts = np.searchsorted(cluster.lane[order], np.arange(len(cluster.lane_port) + 1))
        self._channels = [order[a:b] for a, b in pairwise(starts)]
        first = np.searchsorted(cluster.lane_copy, np.arange(len(cluster.copy_port) + 1))
        self._lanes = [range(a, b) for a, b in pairwise(first)]

    def keep(self, copy: int, y: np.ndarray, floor: np.ndarray) -> bool:
        """Put into the floor what starts a copy in y; False if it does not start."""
        request = self._cluster.lane_request
        running = [
            lane
            for lane in self._lanes[copy]
            if (y[self._channels[lane]].sum(axis=0) >= _RUNS * request[lane]).all()
        ]
        least = int(self._cluster.minimum_running[self._cluster.copy_port[copy]])
        if len(running) < least:
            return False
        for lane in sorted(running, key=lambda lane: request[lane].sum())[:least]:
            part = y[self._channels[lane]]
            total = part.sum(axis=0)
            share = np.divide(request[lane], total, out=np.zeros_like(total), where=total > 0.0)
            # Not more than requested; what is a hair less stays so, and runs.
            floor[self._channels[lane]] = part * np.minimum(share, 1.0)
        return True

    def add(
        self, copies: list[int], kept: np.ndarray, floor: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Reserve for one copy after the other, where it fits."""
        cluster = self._cluster
        kept, floor = kept.copy(), floor.copy()
        free = cluster.capacities.copy()
        np.subtract.at(free, cluster.server, floor)
        np.maximum(free, 0.0, out=free)
        for copy in copies:
            least = int(cluster.minimum_running[cluster.copy_port[copy]])
            left = free.copy()
            taken: list[tuple[np.ndarray, np.ndarray]] = []
            for lane in sorted(self._lanes[copy], key=lambda i: cluster.lane_request[i].sum()):
                channels = self._channels[lane]
                if len(taken) == least or not len(channels):
                    continue
                room = np.minimum(left[cluster.server[channels]], cluster.upper[channels])
                total, request = room.sum(axis=0), cluster.lane_request[lane]
                if (total < request).any():
                    continue
                share = np.divide(request, total, out=np.zeros_like(total), where=total > 0.0)
                part = room * share
                left[cluster.server[channels]] -= part
                taken.append((channels, part))
            if len(taken) == least:
                kept[copy] = weights[copy]
                free = np.maximum(left, 0.0)
                for channels, part in taken:
                    floor[channels] = part
        return kept, floor
