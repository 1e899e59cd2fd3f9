"""What worlds have in common whose jobs arrive one by one and run by plans."""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from online.answers import whole_number
from online.policy import Arrival, Decision, JobEvent, SlotStart
from online.run import InfeasibleDecision

__all__ = ["JobWorld"]


class JobWorld(ABC):
    """Finds the next event, and takes decisions apart.

    Jobs are known to policies by their rank in the order of arrival (ties: order in the file), so
    that an index tells nothing about later jobs. Idle slots are skipped.

    Parameters
    ----------
    instance : Instance
    reveal : callable
        ``(job, rank)`` -> the job as policies are shown it.

    Attributes
    ----------
    horizon : int
        Wake-ups are before it; a subclass sets it.
    jobs : list of Job
        As revealed, by rank.
    place : list of int
        Index in the file, by rank.
    active : dict of int to Any
        The problem's state of every job that has arrived and is not complete, by rank.
    slot : int
        Current slot.
    """

    horizon: int

    def __init__(self, instance: Any, reveal: Callable[[Any, int], Any]) -> None:
        self.instance = instance
        order = sorted(instance.jobs, key=lambda job: (job.arrival, job.index))
        self.place = [job.index for job in order]
        self.jobs = [reveal(job, rank) for rank, job in enumerate(order)]
        self.active: dict[int, Any] = {}
        self.slot = 0
        self._wakes: list[int] = []

    @abstractmethod
    def arrive(self, job: Any) -> Any:
        """What ``active`` has of a job that arrives."""

    @abstractmethod
    def next_completion(self) -> int | None:
        """First slot after that in which the next job completes, if its event is sent."""

    @abstractmethod
    def complete(self, slot: int) -> tuple[int, ...]:
        """Remove all jobs that complete before a slot from ``active``; returns their ranks."""

    @abstractmethod
    def remaining(self) -> dict[int, int]:
        """Work left at the current slot of every job that has arrived and is not complete."""

    @abstractmethod
    def checked(self, job: Any, answer: Any) -> Any:
        """Copy the answer of a policy as a plan; refuse what breaks constraints on the job."""

    @abstractmethod
    def replace(self, plans: Mapping[int, Any]) -> None:
        """Replace plans from the current slot on; refuse what breaks capacities."""

    def events(self) -> Iterator[JobEvent]:
        """Arrivals of a slot in order, then its SlotStart."""
        coming = 0
        while (slot := self._next_slot(coming)) is not None:
            self.slot = slot
            completed = self.complete(slot)
            arrived = []
            while coming < len(self.jobs) and self.jobs[coming].arrival == slot:
                self.active[coming] = self.arrive(self.jobs[coming])
                arrived.append(coming)
                coming += 1
                yield Arrival(slot, self.jobs[arrived[-1]])
            remaining = MappingProxyType(self.remaining())
            yield SlotStart(slot, tuple(arrived), completed, remaining)

    def apply(self, decision: Decision) -> Mapping[str, Any]:
        """Replace plans from the current slot on; refuse what breaks a constraint."""
        if decision.allocation is not None:
            raise InfeasibleDecision("`allocation` is not for this problem: its jobs have plans")
        plans: dict[int, Any] = {}
        for key, answer in decision.plans.items():
            rank = whole_number("job", key)
            if rank not in self.active:
                raise InfeasibleDecision(f"job {rank} has not arrived or is complete")
            plans[rank] = self.checked(self.jobs[rank], answer)
        if plans:
            self.replace(plans)
        if decision.wake_at is not None:
            wake_at = whole_number("wake_at", decision.wake_at)
            if not self.slot < wake_at < self.horizon:
                raise InfeasibleDecision(
                    f"wake_at {wake_at} is not after slot {self.slot} and before the horizon "
                    f"of {self.horizon} slots"
                )
            heapq.heappush(self._wakes, wake_at)
        return {}

    def _next_slot(self, coming: int) -> int | None:
        """Next slot with an arrival, a completion just before it, or a wake-up."""
        while self._wakes and self._wakes[0] <= self.slot:
            heapq.heappop(self._wakes)
        slots = self._wakes[:1]
        if coming < len(self.jobs):
            slots.append(self.jobs[coming].arrival)
        if (completion := self.next_completion()) is not None:
            slots.append(completion)
        return min(slots, default=None)
