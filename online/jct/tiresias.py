"""Tiresias-L: least attained service, in two queues."""

from __future__ import annotations

from typing import ClassVar

from models.jct.instance import JctInstance
from online.attained_service import TwoQueues
from online.jct.gangs import Gang, GangPolicy

__all__ = ["TiresiasL"]


class TiresiasL(GangPolicy):
    """Two-dimensional least attained service (paper, Sec. V-A, reference [13]).

    The queues: :class:`online.attained_service.TwoQueues`; a job's attained service are the
    worker-slots it was trained for. How workers are given and taken:
    :class:`online.jct.gangs.GangPolicy`.

    Parameters
    ----------
    threshold : float
        Worker-slots; by default (``for_instance``) the median job's total service, which an
        operator would know from the past.
    use_cloud : bool
        As in :class:`online.jct.gangs.GangPolicy`.
    """

    name: ClassVar[str] = "tiresias-l"

    def __init__(self, threshold: float, *, use_cloud: bool = True) -> None:
        super().__init__(use_cloud=use_cloud)
        self.queues = TwoQueues(threshold)

    @classmethod
    def for_instance(cls, instance: JctInstance, *, use_cloud: bool = True) -> TiresiasL:
        """With the median job's total service ``p D`` as the threshold."""
        services = (job.chunks * job.chunk_slots for job in instance.online.jobs)
        return cls(TwoQueues.at_median(services).threshold, use_cloud=use_cloud)

    def priority(self, gang: Gang) -> tuple[float, ...]:
        """Which of the two queues the job is in."""
        return (self.queues.queue(gang.attained),)

    def next_turn(self, gang: Gang) -> int | None:
        """Slots until a job may leave the first queue, if all its workers train from now on."""
        return self.queues.slots_left(gang.attained, len(gang.lists))
