"""The ``utility`` problem as it unfolds: arrivals, running plans, completions."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from models.utility.instance import Cluster, Job, UtilityInstance
from models.utility.schedule import UtilitySchedule
from online.job_world import JobWorld
from online.run import InfeasibleDecision
from online.utility.plan import Plan
from online.utility.sealing import copy_plan, seal_cluster, seal_job

__all__ = ["UtilityWorld"]

# models.tolerance says who may exceed what. Policies stay within 1e-9.
_CAPACITY = 1.01e-9
_CONSTRAINT_6 = 1e-6


class UtilityWorld(JobWorld):
    """Holds the instance, carries decisions out and finds the next event.

    A job's plan is executed until its work is done: the allocation in its last slot is kept
    whole, what the plan says after that slot is void, and the resources are free from the next
    slot on.
    """

    def __init__(self, instance: UtilityInstance) -> None:
        super().__init__(instance, seal_job)
        self.public: Cluster = seal_cluster(instance.cluster)
        self.horizon = self.public.slots
        self.active: dict[int, int] = {}  # work left when the current plan was made
        self._plans: dict[int, tuple[_Run, ...]] = {}
        self._ends: list[tuple[int, int]] = []  # heap of (completion slot, job)
        self._end: dict[int, int] = {}  # valid entry of the heap
        cluster = self.public
        self._sides = (
            _Usage(cluster, cluster.worker_servers, "worker server", "(4)"),
            _Usage(cluster, cluster.ps_servers, "parameter server", "(5)"),
        )
        self._workers: list[np.ndarray] = []
        self._ps: list[np.ndarray] = []
        self._done = np.zeros(len(self.jobs), dtype=bool)

    def arrive(self, job: Job) -> int:
        """All of its work is left."""
        return job.work

    def schedule(self) -> UtilitySchedule:
        """Executed allocations; admitted = completed by the horizon."""
        self.complete(self.horizon)  # completions in the very last slot have no event, but count
        for rank in self._plans:
            self._record(rank, self.horizon)
        self._plans.clear()
        admitted = np.zeros(len(self.jobs), dtype=bool)
        admitted[[self.place[rank] for rank in np.flatnonzero(self._done)]] = True
        empty = np.empty((0, 4), dtype=np.int64)
        return UtilitySchedule.build(
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

    def remaining(self) -> dict[int, int]:
        """Worker-slots left."""
        return {rank: work - self._work_done(rank, self.slot) for rank, work in self.active.items()}

    def _work_done(self, rank: int, until: int) -> int:
        """Worker-slots of the current plan, up to slot ``until``."""
        return sum(
            max(0, min(segment.stop, until) - segment.start) * int(segment.workers[:, 1].sum())
            for segment in self._plans.get(rank, ())
        )

    # ---- plans ---------------------------------------------------------------------------

    def replace(self, plans: Mapping[int, Plan]) -> None:
        """Replace plans, then check the capacities."""
        for rank, plan in plans.items():
            self._replace(rank, plan)
        for side in self._sides:
            side.check(self.slot)

    def _replace(self, rank: int, plan: Plan) -> None:
        slot = self.slot
        if rank in self._plans:
            self._record(rank, slot)
            for segment in self._plans[rank]:
                self._use(rank, segment, -1, slot)
        end = self._completion(plan, self.active[rank])
        self._end.pop(rank, None)
        if end is not None and end < self.public.slots:
            self._end[rank] = end
            heapq.heappush(self._ends, (end, rank))
        self._plans[rank] = self._clip(plan, end)
        for segment in self._plans[rank]:
            self._use(rank, segment, +1, slot)

    def _clip(self, plan: Plan, end: int | None) -> tuple[_Run, ...]:
        """Cut a plan at the job's completion and at the horizon."""
        limit = self.public.slots if end is None else min(end + 1, self.public.slots)
        return tuple(
            _Run(
                segment.start,
                limit if segment.stop is None else min(segment.stop, limit),
                segment.workers,
                segment.ps,
            )
            for segment in plan
            if segment.start < limit
        )

    @staticmethod
    def _completion(plan: Plan, work: int) -> int | None:
        """Slot in which a plan finishes the work, if it does."""
        for segment in plan:
            rate = int(segment.workers[:, 1].sum())
            if rate == 0:
                continue
            need = -(-work // rate)
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
        job = self.jobs[rank]
        for side, rows, demand in (
            (self._sides[0], segment.workers, job.worker),
            (self._sides[1], segment.ps, job.ps),
        ):
            side.add(segment, rows, sign * demand, slot)

    def checked(self, job: Job, answer: Any) -> Plan:
        """Copy a plan and check it: (3), (6), (7), (9), (10), (12), (13)."""
        plan = copy_plan(job.id, answer)
        last = self.slot
        for place, segment in enumerate(plan):
            where = f"job '{job.id}', segment {place}"
            if segment.start < last:
                raise InfeasibleDecision(f"{where}: starts in slot {segment.start} < {last}")
            last = self.public.slots if segment.stop is None else segment.stop
            if not segment.start < last <= self.public.slots:
                raise InfeasibleDecision(
                    f"{where}: start {segment.start}, stop {last}, but start < stop <= "
                    f"{self.public.slots} is the rule"
                )
            for rows, side in ((segment.workers, self._sides[0]), (segment.ps, self._sides[1])):
                side.check_rows(where, rows)
            # As Python's integers, because NumPy's can overflow.
            n, m = sum(segment.workers[:, 1].tolist()), sum(segment.ps[:, 1].tolist())
            if n > job.chunks:
                raise InfeasibleDecision(f"{where}: (3) {n} workers, more than N = {job.chunks}")
            have = m * job.ps_gbps
            if n * job.worker_gbps > have + _CONSTRAINT_6 * max(1.0, have):
                raise InfeasibleDecision(
                    f"{where}: (6) {n * job.worker_gbps:.9g} Gbps of workers, {have:.9g} Gbps of "
                    "parameter servers"
                )
            if m > n:
                raise InfeasibleDecision(f"{where}: (7) {m} parameter servers, {n} workers")
        return plan


class _Run(NamedTuple):
    """A segment with its end known: cut at the job's completion and at the horizon."""

    start: int
    stop: int
    workers: np.ndarray
    ps: np.ndarray


class _Usage:
    """What the plans of all jobs use of the servers of one side, slot by slot."""

    def __init__(self, cluster: Cluster, capacity: np.ndarray, kind: str, equation: str) -> None:
        self._resources = cluster.resources
        self._capacity = capacity
        self._kind = kind
        self._equation = equation
        self._used = np.zeros((cluster.slots, *capacity.shape))
        self._limit = capacity + _CAPACITY * np.maximum(1.0, capacity)

    def add(self, segment: _Run, rows: np.ndarray, demand: np.ndarray, slot: int) -> None:
        """Add (or, with a negative demand, remove) what a segment uses from ``slot`` on."""
        start = max(segment.start, slot)
        if len(rows) and segment.stop > start:
            self._used[start : segment.stop, rows[:, 0]] += rows[:, 1:2] * demand

    def check(self, slot: int) -> None:
        """Capacity in every slot from now on, (4) or (5)."""
        used = self._used[slot:]
        if (used <= self._limit).all():
            return
        t, s, r = np.argwhere(used > self._limit)[0].tolist()
        raise InfeasibleDecision(
            f"{self._equation} {self._kind} {s} would use {used[t, s, r]:.9g} of "
            f"{self._capacity[s, r]:.9g} {self._resources[r]} in slot {slot + t}"
        )

    def check_rows(self, where: str, rows: np.ndarray) -> None:
        """Check that servers exist and are named once, and that counts are positive integers."""
        servers = rows[:, 0]
        unknown = servers[(servers < 0) | (servers >= len(self._capacity))]
        if len(unknown):
            raise InfeasibleDecision(f"{where}: no {self._kind} {unknown[0]}")
        if len(np.unique(servers)) != len(servers):
            raise InfeasibleDecision(f"{where}: a {self._kind} stands twice")
        if (rows[:, 1] <= 0).any():
            raise InfeasibleDecision(f"{where}: a count is not positive")
