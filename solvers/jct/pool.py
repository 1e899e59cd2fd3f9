"""The instance as the bounds see it: workers of a type are one pool, delays its only detail."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from models.jct.cluster import Cluster, Job
from models.jct.instance import JctInstance

__all__ = ["Pool", "PoolJob", "tolerant_storage"]

_TOLERANCE = 1e-6  # the scorer's, relative to max(1, capacity)


@dataclass(frozen=True, eq=False)
class PoolJob:
    """What the bounds know of one job; distances are slots from its arrival.

    Parameters
    ----------
    kind : int
        Position of its worker type; -1 if no edge worker can serve it.
    release : int
    chunks, duration : int
        ``D`` and the slots p of a chunk with ``zeta = 0``.
    delays : ndarray of int64
        Upload delays of the workers that can serve it at the same time, ascending.
    cloud_delay, cloud_jct : int or None
        ``Delta_c``, and the JCT ``Delta_c + p_c`` with all in the cloud; None if that is
        impossible before the horizon.
    """

    kind: int
    release: int
    chunks: int
    duration: int
    delays: np.ndarray
    cloud_delay: int | None
    cloud_jct: int | None

    @property
    def work(self) -> int:
        """Worker-slots p D of the job on the edge."""
        return self.duration * self.chunks

    @property
    def has_edge(self) -> bool:
        """Whether any edge worker can serve it."""
        return self.delays.size > 0

    @property
    def first(self) -> int:
        """First slot in which an edge worker can run it; asked only if there is one."""
        return self.release + int(self.delays[0])

    @property
    def earliest(self) -> int:
        """Least upload delay, the cloud included."""
        delays = [] if self.cloud_delay is None else [self.cloud_delay]
        return min([*delays, *self.delays[:1].tolist()])

    def rates(self, distances: np.ndarray) -> np.ndarray:
        """Most workers that can run it at these distances: D, and those that hold its data."""
        ready = np.searchsorted(self.delays, distances, side="right")
        return np.minimum(ready, self.chunks)

    def alone(self) -> int:
        """Least JCT on an empty edge, chunks taken as divisible."""
        done, rate = 0, 0
        for place, start in enumerate(self.delays.tolist()):
            then = int(self.delays[place + 1]) if place + 1 < self.delays.size else None
            rate = min(self.chunks, place + 1)
            if then is None or done + rate * (then - start) >= self.work:
                return int(start + math.ceil((self.work - done) / rate))
            done += rate * (then - start)
        raise ValueError("no worker")

    def least_jct(self, slots: int) -> int | None:
        """Least JCT on an empty edge or in the cloud; None if later than the horizon."""
        ends = [] if self.cloud_jct is None else [self.cloud_jct]
        if self.has_edge and (alone := self.alone()) <= slots - self.release:
            ends.append(alone)
        return min(ends, default=None)


@dataclass(frozen=True, eq=False)
class Pool:
    """An instance without servers.

    Parameters
    ----------
    slots : int
        Horizon T.
    workers : ndarray of int64, shape (types,)
        Edge workers of each type.
    jobs : tuple of PoolJob
        In the order of the instance.
    """

    slots: int
    workers: np.ndarray
    jobs: tuple[PoolJob, ...]

    @classmethod
    def of(cls, instance: JctInstance) -> Pool:
        """Pool an instance."""
        cluster = instance.cluster
        workers = np.bincount(cluster.worker_type, minlength=len(cluster.worker_types))
        return cls(cluster.slots, workers, tuple(_pooled(job, cluster) for job in instance.jobs))


def tolerant_storage(cluster: Cluster) -> np.ndarray:
    """Storage of each server, GB, as the scorer reads it: bounds must cover what it accepts."""
    return cluster.storage_gb + _TOLERANCE * np.maximum(1.0, cluster.storage_gb)


def _pooled(job: Job, cluster: Cluster) -> PoolJob:
    servers = cluster.worker_server[job.eligible(cluster)]
    held = np.bincount(servers, minlength=cluster.servers).astype(np.int64)
    if job.chunk_gb > 0:
        with np.errstate(over="ignore"):
            places = np.floor(tolerant_storage(cluster) / job.chunk_gb * (1.0 + 1e-10))
        held = np.minimum(held, places).astype(np.int64)
    delays = np.sort(np.repeat(job.upload_slots, held))
    delays = delays[delays < cluster.slots - job.arrival]
    upload = job.cloud_upload_slots
    jct = None if upload is None else upload + job.cloud_chunk_slots
    if jct is not None and job.arrival + jct > cluster.slots:
        upload = jct = None
    return PoolJob(
        kind=job.worker_type if delays.size else -1,
        release=job.arrival,
        chunks=job.chunks,
        duration=job.chunk_slots,
        delays=delays,
        cloud_delay=upload,
        cloud_jct=jct,
    )
