"""Who is busy when: the edge as a list schedule fills it, one job at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.jct.cluster import Job
from models.jct.instance import JctInstance
from solvers.jct.assembling import Runs
from solvers.jct.pool import Pool, tolerant_storage

__all__ = ["Placement", "Timetable", "horizon"]

_MOST_CELLS = 2 * 10**7  # slots of workers that are kept, a byte each,
_MOST_LOOKED_AT = 4 * 10**6  # and that are looked at for one job, some ten bytes each


@dataclass(frozen=True, eq=False)
class Placement:
    """Where and when one job runs.

    Parameters
    ----------
    jct : int
        Slots.
    runs : mapping of int to ndarray
        Slots in which each worker runs it; none: all in the cloud.
    """

    jct: int
    runs: Runs


def horizon(instance: JctInstance) -> int:
    """Slots that a timetable knows: all, unless they and the workers are too many."""
    workers = len(instance.cluster.worker_type)
    return min(instance.cluster.slots, _MOST_CELLS // max(1, workers))


class Timetable:
    """Free slots of workers, of parameter servers if all are at the edge, and free storage.

    Jobs are put in beside those that are there, which stay as they are. What is kept grows with
    the slots that are used, up to the horizon.

    Parameters
    ----------
    instance : JctInstance
    pool : Pool
        Of the instance.
    prices : ndarray, shape (types, H)
        What a worker-slot is worth to others; decides between edge and cloud.
    """

    def __init__(self, instance: JctInstance, pool: Pool, prices: np.ndarray) -> None:
        self._instance, self._pool, self._prices = instance, pool, prices
        cluster = instance.cluster
        self._limited = cluster.has_storage_limits
        self._few_ps = not cluster.cloud
        self._end, self._horizon = 0, horizon(instance)
        self._free = np.zeros((len(cluster.worker_type), 0), dtype=bool)
        self._ps = np.zeros((len(cluster.ps_types), 0), dtype=np.int64)
        self._count_ps = np.bincount(cluster.ps_type, minlength=len(cluster.ps_types))
        self._storage = np.zeros((cluster.servers, 0))
        self._capacity = tolerant_storage(cluster)
        self._able = [job.eligible(cluster) for job in instance.jobs]

    def _grow(self, end: int) -> None:
        """Keep the slots before ``end``, at least."""
        if end <= self._end:
            return
        end = min(self._horizon, max(end, 2 * self._end))
        more = end - self._end
        width = len(self._free), len(self._ps)
        self._free = np.hstack([self._free, np.ones((width[0], more), dtype=bool)])
        fresh = np.repeat(self._count_ps[:, None], more, axis=1)
        self._ps = np.hstack([self._ps, fresh])
        if self._limited:
            self._storage = np.hstack(
                [self._storage, np.repeat(self._capacity[:, None], more, axis=1)]
            )
        self._end = end

    def best(self, j: int, weight: float = 1.0) -> Placement | None:
        """Earliest completion on the edge, or the cloud where that is better.

        Parameters
        ----------
        j : int
            Index of the job.
        weight : float
            Weight of the price of the worker-slots in the comparison.

        Returns
        -------
        Placement or None
            None if it fits nowhere before the horizon.
        """
        job, pooled = self._instance.jobs[j], self._pool.jobs[j]
        cloud = None if pooled.cloud_jct is None else Placement(pooled.cloud_jct, {})
        if not pooled.has_edge:
            return cloud
        able = max(1, len(self._able[j]))
        room = min(self._horizon - job.arrival, _MOST_LOOKED_AT // able)
        most = room if cloud is None else min(room, cloud.jct - 1)
        span = min(most, 2 * pooled.alone())
        while True:
            found = self._on_edge(job, span) if span >= pooled.alone() else None
            if found is not None or span >= most:
                break
            span = min(most, 2 * span)
        if found is None or cloud is None:
            return found or cloud
        return found if found.jct + weight * self._price(job, found) < cloud.jct else cloud

    def _price(self, job: Job, placement: Placement) -> float:
        prices = self._prices[job.worker_type]
        slots = np.concatenate(list(placement.runs.values()))
        return float(prices[slots[slots < len(prices)]].sum())

    def _on_edge(self, job: Job, span: int) -> Placement | None:
        """Earliest completion within ``span`` slots; runs as late as it allows.

        So early slots, which are of use to more jobs, stay free.
        """
        cluster, p, r = self._instance.cluster, job.chunk_slots, job.arrival
        self._grow(r + span)
        able = self._able[job.index]
        servers = cluster.worker_server[able]
        usable = self._free[able, r : r + span].copy()
        usable &= np.arange(span) >= job.upload_slots[servers][:, None]
        if self._few_ps:
            usable &= self._ps[job.ps_type, r : r + span] > 0
        chunks = np.cumsum(usable, axis=1) // p
        fitting = chunks.sum(axis=0) if not self._limited else self._stored(job, chunks, span)
        done = int(np.searchsorted(fitting, job.chunks)) if not self._limited else (
            int(np.argmax(fitting >= job.chunks))
        )  # fmt: skip
        if done >= span or fitting[done] < job.chunks:
            return None
        return Placement(done + 1, self._taken(job, usable[:, : done + 1], chunks[:, done]))

    def _places(self, job: Job, span: int) -> np.ndarray:
        """Chunks that each server can store until each completion, shape (S, span)."""
        free = np.minimum.accumulate(self._storage[:, job.arrival : job.arrival + span], axis=1)
        size = max(job.chunk_gb, 1e-300)
        return np.minimum(np.floor(free / size), job.chunks).astype(np.int64)

    def _stored(self, job: Job, chunks: np.ndarray, span: int) -> np.ndarray:
        """Chunks that fit until each completion, storage included, shape (span,)."""
        servers = self._instance.cluster.worker_server[self._able[job.index]]
        per_server = np.zeros((len(self._capacity), span), dtype=np.int64)
        np.add.at(per_server, servers, chunks)
        return np.asarray(np.minimum(per_server, self._places(job, span)).sum(axis=0))

    def _taken(self, job: Job, usable: np.ndarray, chunks: np.ndarray) -> dict[int, np.ndarray]:
        """Workers that leave least unused before the completion, and their latest slots."""
        able, p = self._able[job.index], job.chunk_slots
        servers = self._instance.cluster.worker_server[able]
        count = usable.sum(axis=1)
        left, runs = job.chunks, {}
        places = self._places(job, usable.shape[1])[:, -1] if self._limited else None
        for n in np.lexsort((np.arange(len(able)), count - chunks * p)).tolist():
            k = min(left, int(chunks[n]))
            if places is not None:
                k = min(k, int(places[servers[n]]))
                places[servers[n]] -= k
            if k:
                runs[int(able[n])] = job.arrival + np.flatnonzero(usable[n])[-k * p :]
                left -= k
        return runs

    def put(self, j: int, placement: Placement) -> None:
        """Let the job run there."""
        self._change(j, placement, taken=True)

    def take_out(self, j: int, placement: Placement) -> None:
        """Free what the job had there."""
        self._change(j, placement, taken=False)

    def _change(self, j: int, placement: Placement, *, taken: bool) -> None:
        if not placement.runs:
            return
        job, cluster = self._instance.jobs[j], self._instance.cluster
        self._grow(job.arrival + placement.jct)
        sign = -1 if taken else 1
        for w, slots in placement.runs.items():
            self._free[w, slots] = not taken
            if self._limited:
                held = slice(job.arrival, job.arrival + placement.jct)
                size = len(slots) // job.chunk_slots * job.chunk_gb
                self._storage[cluster.worker_server[w], held] += sign * size
        if self._few_ps:
            used = np.unique(np.concatenate(list(placement.runs.values())))
            self._ps[job.ps_type, used] += sign

    def insert(self, order: Sequence[int], weight: float = 1.0) -> list[Placement] | None:
        """Put jobs in one after the other; None, and nothing put in, if one does not fit."""
        placed: list[Placement] = []
        for j in order:
            found = self.best(j, weight)
            if found is None:
                for i, placement in zip(order, placed, strict=False):
                    self.take_out(i, placement)
                return None
            self.put(j, found)
            placed.append(found)
        return placed
