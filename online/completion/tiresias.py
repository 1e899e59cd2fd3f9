"""Tiresias-L: least attained service, in two queues."""

from __future__ import annotations

import numpy as np

from models.completion.cluster import Cluster
from models.completion.instance import CompletionInstance
from models.completion.rates import least_duration
from online.attained_service import ServiceQueues
from online.completion.elastic import Elastic
from online.completion.plan import Share
from online.completion.room import ideal_request
from online.policy import SlotStart

__all__ = ["Tiresias"]


class Tiresias(Elastic):
    """Two-dimensional least attained service, all or nothing, preemptive (paper, ref. [20]).

    At every event the jobs are looked at by queue, of two
    (:class:`~online.attained_service.ServiceQueues`), then by arrival; each that still finds room
    for the ideal configuration runs, and the others pause. The paper names "the multiplication of a
    job's remaining workload and the number of resources"; the reference goes by attained service.
    Ours: it counts workers x slots.

    Parameters
    ----------
    threshold : float
        Worker-slots; by default (``for_instance``) the jobs' median of N d as they ask for it.
    """

    name = "tiresias"

    def __init__(self, threshold: float, *, fixed: bool = False, delay: int = 0) -> None:
        super().__init__(fixed=fixed, delay=delay)
        self._queues = ServiceQueues((threshold,))

    @classmethod
    def for_instance(
        cls, instance: CompletionInstance, *, fixed: bool = False, delay: int = 0
    ) -> Tiresias:
        """With the median job's service as the threshold."""
        requests = [(job, *ideal_request(job, instance.cluster)) for job in instance.jobs]
        services = (n * least_duration(job, m, p, n, False) for job, m, p, n in requests)
        known = ServiceQueues.at_quantiles(services).thresholds
        return cls(known[0], fixed=fixed, delay=delay)

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with an empty cluster."""
        super().reset(public, rng)
        self._attained: dict[int, int] = {}
        self._since = 0

    def share(self, event: SlotStart) -> dict[int, Share]:
        """Those of the first queue, then those of the second, as far as there is room."""
        for rank, share in self.running.items():
            self._attained[rank] += share.size * (event.slot - self._since)
        self._since = event.slot
        for rank in event.arrived:
            self._attained[rank] = 0
        order = sorted(self.jobs, key=lambda rank: (self._queues.queue(self._attained[rank]), rank))
        return self.place(self.room(), order)

    def wake_at(self, slot: int) -> int | None:
        """When the next running job leaves the first queue."""
        turns = []
        for rank, share in self.running.items():
            left = self._queues.slots_left(self._attained[rank], share.size)
            types = share.worker_type, share.ps_type
            takes = least_duration(self.jobs[rank], *types, share.size, share.internal)
            if left is not None and left < takes:  # else the job is done before
                turns.append(left)
        return slot + min(turns) if turns else None
