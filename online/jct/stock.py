"""Storage on the servers: what is free now, and what has been free since a job's arrival."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from models.jct.cluster import CLOUD, Cluster, Job

__all__ = ["Stock"]


class Stock:
    """Free storage of the servers, slot by slot as far as a decision may still look back.

    By (7c) a chunk is stored from the arrival of its job to the completion, no matter when it is
    sent. So a chunk sent later must have had room since the arrival.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._slots = [0]
        self._free = [cluster.storage_gb.copy()]  # from each of these slots on
        self._taken: dict[int, np.ndarray] = {}

    def room(self, job: Job, since: int) -> np.ndarray:
        """Chunks of the job that each server has had room for since a slot, at most D, (S,)."""
        if job.chunk_gb == 0.0:
            return np.full(len(self._free[0]), job.chunks, dtype=np.int64)
        first = bisect_right(self._slots, since) - 1
        least = np.minimum.reduce(self._free[first:])
        with np.errstate(over="ignore"):
            # Slightly more, because sums and quotients carry round-off.
            count = np.floor(least / job.chunk_gb * (1.0 + 1e-10))
        return np.clip(count, 0, job.chunks).astype(np.int64)

    def take(self, job: Job, servers: Sequence[int], since: int) -> None:
        """Store one chunk on each of these servers; the cloud has room for everything."""
        if job.chunk_gb == 0.0:
            return
        edge = [server for server in servers if server != CLOUD]
        amount = np.bincount(edge, minlength=len(self._free[0])) * job.chunk_gb
        self._taken[job.index] = self._taken.get(job.index, 0.0) + amount
        for place in range(self._entry(since), len(self._free)):
            self._free[place] -= amount

    def give_back(self, job: int, slot: int) -> None:
        """The job has completed; ``slot`` is the one after its last."""
        if job in self._taken:
            self._free[self._entry(slot)] += self._taken.pop(job)

    def _entry(self, slot: int) -> int:
        """Place of the entry that begins at a slot, made if there is none."""
        place = bisect_right(self._slots, slot) - 1
        if self._slots[place] < slot:
            place += 1
            self._slots.insert(place, slot)
            self._free.insert(place, self._free[place - 1].copy())
        return place
