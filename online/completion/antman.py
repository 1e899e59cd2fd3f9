"""AntMan: guaranteed jobs first; the others share what is left."""

from __future__ import annotations

import numpy as np

from models.completion.cluster import Cluster
from models.resources import dominant_share
from online.completion.elastic import Elastic
from online.completion.plan import Share
from online.completion.room import Room
from online.policy import SlotStart

__all__ = ["AntMan"]


class AntMan(Elastic):
    """Resource-guarantee jobs get all they ask for; opportunistic jobs use what is left.

    Xiao et al.: "AntMan: Dynamic Scaling on GPU Clusters for Deep Learning", OSDI 2020, as the
    paper takes it (Sec. 7): it "schedules resource-guarantee jobs first and allocates sufficient
    GPU resources to them. For opportunistic jobs, AntMan aims to utilize free resources to the
    best of its ability. Resource-guarantee jobs that suffer long queuing delay will be
    automatically executed as opportunistic jobs."

    Ours: a job is guaranteed if, at its arrival, the dominant shares of the guaranteed jobs under
    way and its own are within a quota (AntMan has quotas of tenants). Guaranteed jobs that run go
    on, the others start, in the order of arrival, as they find room for the ideal configuration.
    Opportunistic jobs have fair shares of the rest (:meth:`Room.fill`).

    Parameters
    ----------
    quota : float
        Of all capacity.
    patience : int
        Slots until a guaranteed job that has not started becomes opportunistic.
    """

    name = "antman"

    def __init__(
        self, *, quota: float = 1.0, patience: int = 10, fixed: bool = False, delay: int = 0
    ) -> None:
        super().__init__(fixed=fixed, delay=delay)
        self._quota, self._patience = quota, patience

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with an empty cluster."""
        super().reset(public, rng)
        self._guaranteed: dict[int, float] = {}  # rank -> dominant share

    def share(self, event: SlotStart) -> dict[int, Share]:
        """Those guaranteed, running ones first, then the others."""
        for rank in event.completed:
            self._guaranteed.pop(rank, None)
        for rank in event.arrived:
            alone = self.place(Room(self.cluster), [rank])[rank].amounts(self.cluster)
            dominant = float(dominant_share(alone.sum(axis=0), self.cluster.servers.sum(axis=0)))
            if sum(self._guaranteed.values()) + dominant <= self._quota:
                self._guaranteed[rank] = dominant
        for rank in self._waiting():
            if self.jobs[rank].arrival + self._patience <= event.slot:
                del self._guaranteed[rank]
        room = self.room()
        order = sorted(self._guaranteed, key=lambda rank: (rank not in self.running, rank))
        placed = self.place(room, order)
        others = (rank for rank in self.jobs if rank not in self._guaranteed)
        return placed | self.fill(room, others)

    def wake_at(self, slot: int) -> int | None:
        """When the patience of the next guaranteed job that waits is over."""
        arrivals = [self.jobs[rank].arrival for rank in self._waiting()]
        return min(arrivals) + self._patience if arrivals else None

    def _waiting(self) -> list[int]:
        return [rank for rank in self._guaranteed if rank not in self.running]
