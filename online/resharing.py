"""Policies that share the cluster out anew whenever something happens."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from online.policy import Arrival, Decision, JobEvent, Policy, SlotStart

__all__ = ["Resharing"]


class Resharing(Policy):
    """At the start of a slot, decides of all unfinished jobs what each has from now on.

    What a job has then stays until the next such slot. Rows record the numbers ``running`` and
    ``waiting`` of jobs.

    Attributes
    ----------
    jobs : dict of int to Job
        Jobs that have arrived and are not complete, in the order of arrival.
    running : dict of int to Placement
        What those have that run. Placements tell by ``same_as`` whether they are the same.
    """

    def reset(self, public: Any, rng: np.random.Generator) -> None:
        """Start without jobs; a subclass adds its cluster."""
        self.jobs: dict[int, Any] = {}
        self.running: dict[int, Any] = {}

    @abstractmethod
    def share(self, event: SlotStart) -> dict[int, Any]:
        """Placements from now on, of the jobs that run."""

    @abstractmethod
    def plan(self, slot: int, placement: Any | None) -> Any:
        """Plan of a job that has this placement from now on; None: it pauses."""

    def wake_at(self, slot: int) -> int | None:
        """When to share out anew even if nothing happens; asked after ``running`` is set."""
        return None

    def step(self, event: JobEvent) -> Decision:
        """Remember an arriving job; at the start of a slot share out the cluster."""
        if isinstance(event, Arrival):
            self.jobs[event.job.index] = event.job
            return Decision()
        for rank in event.completed:
            del self.jobs[rank]
            self.running.pop(rank, None)
        after = self.share(event)
        plans = {
            rank: self.plan(event.slot, after.get(rank))
            for rank in self.running | after
            if rank not in after or not after[rank].same_as(self.running.get(rank))
        }
        self.running = after
        info = {"running": len(after), "waiting": len(self.jobs) - len(after)}
        return Decision(plans, self.wake_at(event.slot), info)
