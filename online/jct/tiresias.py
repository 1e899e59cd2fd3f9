"""Tiresias-L: least attained service, in two queues."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from models.jct.instance import JctInstance
from online.jct.gangs import Gang, GangPolicy

__all__ = ["TiresiasL"]


class TiresiasL(GangPolicy):
    """Two-dimensional least attained service (paper, Sec. V-A, reference [13]).

    A job's attained service is workers x time: the worker-slots it was trained for. Jobs below
    the threshold come before the others, and in each of the two queues those that arrived first.
    How workers are given and taken: :class:`online.jct.gangs.GangPolicy`.

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
        self._threshold = threshold

    @classmethod
    def for_instance(cls, instance: JctInstance, *, use_cloud: bool = True) -> TiresiasL:
        """With the median job's total service ``p D`` as the threshold."""
        services = [job.chunks * job.chunk_slots for job in instance.jobs]
        threshold = float(np.median(services)) if services else 0.0
        return cls(threshold, use_cloud=use_cloud)

    def priority(self, gang: Gang) -> tuple[float, ...]:
        """Which of the two queues the job is in."""
        return (float(gang.attained >= self._threshold),)

    def next_turn(self, gang: Gang) -> int | None:
        """Slots until a job may leave the first queue, if all its workers train from now on."""
        lacking = self._threshold - gang.attained
        return max(1, int(np.ceil(lacking / len(gang.lists)))) if lacking > 0 else None
