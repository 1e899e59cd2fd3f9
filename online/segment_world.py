"""Worlds whose jobs run by plans of segments, until their work is done or time is over."""

from __future__ import annotations

import heapq
import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from models.slot_schedule import SlotSchedule
from online.job_world import JobWorld
from online.run import InfeasibleDecision
from online.segments import Plan, Segment, copy_plan
from online.server_usage import ServerUsage

__all__ = ["SegmentWorld"]


class SegmentWorld(JobWorld):
    """Holds the instance, carries decisions out and finds the next event.

    A job's plan is executed until its work is done: the allocation in its last slot is kept
    whole, what the plan says after that slot is void, and the resources are free from the next
    slot on.

    Parameters
    ----------
    instance : Instance
    reveal : callable
        As in :class:`JobWorld`.
    worker_side, ps_side : ServerUsage
        Of the servers that run workers, and of those that run parameter servers; the same if they
        share the servers.
    """

    schedule_type: ClassVar[type[SlotSchedule]]

    def __init__(
        self,
        instance: Any,
        reveal: Callable[[Any, int], Any],
        worker_side: ServerUsage,
        ps_side: ServerUsage,
    ) -> None:
        super().__init__(instance, reveal)
        self.horizon = instance.cluster.slots
        self.active: dict[int, Any] = {}  # work left when the current plan was made
        self._plans: dict[int, tuple[_Run, ...]] = {}
        self._ends: list[tuple[int, int]] = []  # heap of (completion slot, job)
        self._end: dict[int, int] = {}  # valid entry of the heap
        self._sides = worker_side, ps_side
        self._workers: list[np.ndarray] = []
        self._ps: list[np.ndarray] = []
        self._done = np.zeros(len(self.jobs), dtype=bool)

    @abstractmethod
    def rate(self, job: Any, workers: np.ndarray, ps: np.ndarray) -> Any:
        """Work that a job does in each slot with rows (server, count)."""

    @abstractmethod
    def slots_needed(self, work: Any, rate: Any) -> int:
        """Slots that some work takes at a positive rate, at least 1."""

    @abstractmethod
    def faults(self, job: Any, workers: int, ps: int) -> Iterator[str]:
        """Constraints that a job breaks with these numbers in a slot."""

    def arrive(self, job: Any) -> Any:
        """All of its work is left."""
        return job.work

    def remaining(self) -> dict[int, int]:
        """Work left, rounded up."""
        return {rank: max(1, math.ceil(self.work_left(rank))) for rank in self.active}

    def schedule(self) -> Any:
        """Executed allocations; admitted = completed by the horizon."""
        self.complete(self.horizon)  # completions in the very last slot have no event, but count
        for rank in self._plans:
            self._record(rank, self.horizon)
        self._plans.clear()
        admitted = np.zeros(len(self.jobs), dtype=bool)
        admitted[[self.place[rank] for rank in np.flatnonzero(self._done)]] = True
        empty = np.empty((0, 4), dtype=np.int64)
        return self.schedule_type.build(
            self.instance,
            admitted,
            np.concatenate([empty, *self._workers]),
            np.concatenate([empty, *self._ps]),
        )

    # ---- time ----------------------------------------------------------------------------

    def next_completion(self) -> int | None:
        """First slot after the next completion, if it is before the horizon."""
        while self._ends and self._end.get(self._ends[0][1]) != self._ends[0][0]:
            heapq.heappop(self._ends)  # the job has a new plan since then
        after = self._ends[0][0] + 1 if self._ends else self.horizon
        return after if after < self.horizon else None

    def complete(self, slot: int) -> tuple[int, ...]:
        """Take note of all jobs that complete before a slot."""
        completed = []
        while self._ends and self._ends[0][0] < slot:
            end, rank = heapq.heappop(self._ends)
            if self._end.get(rank) != end:
                continue
            self._record(rank, end + 1)
            for segment in self._plans.pop(rank):
                self._use(rank, segment, -1, slot)
            del self._end[rank], self.active[rank]
            self._done[rank] = True
            completed.append(rank)
        return tuple(sorted(completed))

    def work_left(self, rank: int) -> Any:
        """Work left at the current slot."""
        return self.active[rank] - self._work_done(rank, self.slot)

    def _work_done(self, rank: int, until: int) -> Any:
        """Work of the current plan, up to slot ``until``."""
        return sum(
            max(0, min(segment.stop, until) - segment.start) * segment.rate
            for segment in self._plans.get(rank, ())
        )

    # ---- plans ---------------------------------------------------------------------------

    def checked(self, job: Any, answer: Any) -> Plan:
        """Copy a plan and check it: all but the capacities."""
        plan = copy_plan(job.id, answer)
        last = self.slot
        for place, segment in enumerate(plan):
            where = f"job '{job.id}', segment {place}"
            if segment.start < last:
                raise InfeasibleDecision(f"{where}: starts in slot {segment.start} < {last}")
            last = self.horizon if segment.stop is None else segment.stop
            if not segment.start < last <= self.horizon:
                raise InfeasibleDecision(
                    f"{where}: start {segment.start}, stop {last}, but start < stop <= "
                    f"{self.horizon} is the rule"
                )
            for rows, side in zip((segment.workers, segment.ps), self._sides, strict=True):
                side.check_rows(where, rows)
            # As Python's integers, because NumPy's can overflow.
            numbers = (sum(rows[:, 1].tolist()) for rows in (segment.workers, segment.ps))
            for fault in self.faults(job, *numbers):
                raise InfeasibleDecision(f"{where}: {fault}")
        return plan

    def replace(self, plans: Mapping[int, Plan]) -> None:
        """Replace plans, then check the capacities."""
        for rank, plan in plans.items():
            self._replace(rank, plan)
        for side in dict.fromkeys(self._sides):
            side.check(self.slot)

    def _replace(self, rank: int, plan: Plan) -> None:
        slot = self.slot
        if rank in self._plans:
            self._record(rank, slot)
            for segment in self._plans[rank]:
                self._use(rank, segment, -1, slot)
        job = self.jobs[rank]
        rated = [(segment, self.rate(job, segment.workers, segment.ps)) for segment in plan]
        end = self._completion(rated, self.active[rank])
        self._end.pop(rank, None)
        if end is not None and end < self.horizon:
            self._end[rank] = end
            heapq.heappush(self._ends, (end, rank))
        self._plans[rank] = self._clip(rated, end)
        for run in self._plans[rank]:
            self._use(rank, run, +1, slot)

    def _clip(self, plan: list[tuple[Segment, Any]], end: int | None) -> tuple[_Run, ...]:
        """Cut a plan at the job's completion and at the horizon."""
        limit = self.horizon if end is None else min(end + 1, self.horizon)
        return tuple(
            _Run(
                segment.start,
                limit if segment.stop is None else min(segment.stop, limit),
                segment.workers,
                segment.ps,
                rate,
            )
            for segment, rate in plan
            if segment.start < limit
        )

    def _completion(self, plan: list[tuple[Segment, Any]], work: Any) -> int | None:
        """Slot in which a plan finishes the work, if it does."""
        for segment, rate in plan:
            if rate == 0:
                continue
            need = self.slots_needed(work, rate)
            if segment.stop is None or segment.stop - segment.start >= need:
                return segment.start + need - 1
            work -= rate * (segment.stop - segment.start)
        return None

    def _record(self, rank: int, until: int) -> None:
        """Write a plan that ends here, up to slot ``until``, into the schedule."""
        for segment in self._plans[rank]:
            slots = np.arange(segment.start, min(segment.stop, until))
            for rows, out in ((segment.workers, self._workers), (segment.ps, self._ps)):
                if len(slots) and len(rows):
                    block = np.empty((len(slots) * len(rows), 4), dtype=np.int64)
                    block[:, 0] = self.place[rank]
                    block[:, 1] = np.repeat(slots, len(rows))
                    block[:, 2:] = np.tile(rows, (len(slots), 1))
                    out.append(block)
        self.active[rank] -= self._work_done(rank, until)

    def _use(self, rank: int, segment: _Run, sign: int, slot: int) -> None:
        """Add (sign 1) or remove (-1) what a segment uses from ``slot`` on."""
        job, start = self.jobs[rank], max(segment.start, slot)
        for side, rows, demand in zip(
            self._sides, (segment.workers, segment.ps), (job.worker, job.ps), strict=True
        ):
            side.add(start, segment.stop, rows, sign * demand)


class _Run(NamedTuple):
    """A segment with its end known: cut at the job's completion and at the horizon."""

    start: int
    stop: int
    workers: np.ndarray
    ps: np.ndarray
    rate: Any
