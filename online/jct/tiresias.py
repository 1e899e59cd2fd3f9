"""Tiresias-L: least attained service, in a few queues."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from models.errors import InputError
from models.jct.cluster import Cluster
from models.jct.instance import JctInstance
from online.attained_service import ServiceQueues
from online.jct.events import JctEvent
from online.jct.gang import Gang
from online.jct.gangs import GangPolicy
from online.policy import Arrival, Decision

__all__ = ["TiresiasL"]


class TiresiasL(GangPolicy):
    """Two-dimensional least attained service (paper, Sec. V-A, reference [13]).

    The queues: :class:`online.attained_service.ServiceQueues`; a job's attained service are the
    worker-slots it was trained for. How workers are given and taken:
    :class:`online.jct.gangs.GangPolicy`.

    Parameters
    ----------
    threshold : float, sequence of float, "median" or "past"
        Worker-slots, where there are two queues, or one number less than queues.
        ``"median"``, the default, is the median job's total service ``p D``, which an operator
        would know from past days (``for_instance`` takes it from the instance: results say
        ``clairvoyant_bounds``). ``"past"`` is that of the jobs that this run has completed at the
        edge so far; until there is one, all jobs are in one queue.
    queues : int
        How many, where thresholds are computed: with K queues they are the quantiles 1/K, 2/K, ...
    promote : float, optional
        A job behind the first queue that has waited for this many times the slots that its service
        took on the workers it asks for goes to the first queue, and its service counts from 0
        again: PROMOTEKNOB of reference [13]. None: never.
    use_cloud : bool
        As in :class:`online.jct.gangs.GangPolicy`.
    """

    name: ClassVar[str] = "tiresias-l"

    def __init__(
        self,
        threshold: float | Sequence[float] | str = "past",
        *,
        queues: int = 2,
        promote: float | None = None,
        use_cloud: bool = True,
    ) -> None:
        super().__init__(use_cloud=use_cloud)
        if isinstance(threshold, str) and threshold != "past":
            raise InputError(f"{self.name}: threshold '{threshold}' is not 'median' or 'past'")
        if promote is not None and not promote > 0.0:
            raise InputError(f"{self.name}: promote {promote} is not positive")
        if queues < 1:
            raise InputError(f"{self.name}: {queues} queues: want at least 1")
        self._learns = isinstance(threshold, str)
        self._number = queues
        self._promote = math.inf if promote is None else promote
        given = (threshold,) if isinstance(threshold, int | float) else threshold
        self._first = ServiceQueues(() if isinstance(given, str) else tuple(given))
        self.queues = self._first
        self.blind = True

    @classmethod
    def for_instance(
        cls,
        instance: JctInstance,
        *,
        threshold: float | Sequence[float] | str = "median",
        queues: int = 2,
        promote: float | None = None,
        use_cloud: bool = True,
    ) -> TiresiasL:
        """With thresholds by the total services of all jobs, unless told others."""
        if threshold != "median":
            return cls(threshold, queues=queues, promote=promote, use_cloud=use_cloud)
        services = (job.chunks * job.chunk_slots for job in instance.online.jobs)
        known = ServiceQueues.at_quantiles(services, queues).thresholds
        policy = cls(known, queues=queues, promote=promote, use_cloud=use_cloud)
        policy.blind = False
        return policy

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with all workers free, and nothing known of the past."""
        super().reset(public, rng)
        self.queues = self._first
        self._past: list[int] = []
        self._forgiven: dict[int, int] = {}  # service that does not count any more

    def step(self, event: JctEvent) -> Decision:
        """Learn from the jobs that have completed, then share out the workers."""
        if self._learns and not isinstance(event, Arrival):
            done = [self._gangs[rank].job for rank in event.completed if rank in self._gangs]
            if done:
                self._past += [job.chunks * job.chunk_slots for job in done]
                self.queues = ServiceQueues.at_quantiles(self._past, self._number)
                self._wakes = dict.fromkeys(self._of_type, event.slot)  # all are looked at again
        return super().step(event)

    def priority(self, gang: Gang) -> tuple[float, ...]:
        """Which of the queues the job is in."""
        if self._patience(gang) <= 0:
            self._forgiven[gang.job.index] = gang.attained
        return (self.queues.queue(self._service(gang)),)

    def next_turn(self, gang: Gang) -> int | None:
        """Slots until a job leaves its queue: at the earliest, or by having waited enough."""
        if gang.lists:
            left = self.queues.slots_left(self._service(gang), len(gang.lists))
            return None if left is None else gang.uploading() + left
        patience = self._patience(gang)
        return math.ceil(patience) if patience < math.inf else None

    def _service(self, gang: Gang) -> int:
        return gang.attained - self._forgiven.get(gang.job.index, 0)

    def _patience(self, gang: Gang) -> float:
        """Slots that a job still waits before it is promoted."""
        if self._promote == math.inf or gang.lists:
            return math.inf
        service = self._service(gang)
        if service == 0 or self.queues.queue(service) == 0:
            return math.inf
        return self._promote * service / gang.size - (gang.since - gang.stopped)
