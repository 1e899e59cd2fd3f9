"""The ``completion`` problem as it unfolds: arrivals, planned and running jobs, completions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from models.completion.cluster import NO_TYPE, Cluster, Job
from models.completion.instance import CompletionInstance
from models.completion.rates import ROUND_OFF, least_duration, least_ps, minibatch_time
from models.completion.schedule import CompletionSchedule
from online.completion.plan import PAUSED, Run, Share, copy_plan
from online.job_world import JobWorld
from online.run import InfeasibleDecision

__all__ = ["CompletionWorld"]

_CAPACITY = 1.01e-9  # models.tolerance says who may exceed what; policies stay within 1e-9
_LAST = 10**9  # slot that a schedule file can name
_ENOUGH = 20  # times as long as the jobs take one after the other, on one worker each


@dataclass(slots=True)
class _State:
    """A job that has arrived and is not complete.

    It runs, or will, in the slots from begin to end - 1, if both differ; ``done`` mini-batches
    were trained before, ``rate`` of them are trained in each of these slots. ``types`` are those
    of the last plan that was no pause.
    """

    job: Job
    plan: Share = PAUSED
    types: tuple[int, int] = (NO_TYPE, NO_TYPE)
    begin: int = 0
    end: int = 0
    done: float = 0.0
    rate: float = 0.0

    def done_by(self, slot: int) -> float:
        return self.done + max(0, min(slot, self.end) - self.begin) * self.rate

    def has_run(self, slot: int) -> bool:
        return self.done > 0.0 or self.begin < min(slot, self.end)


class CompletionWorld(JobWorld):
    """Holds the instance, carries decisions out and finds the next event.

    ``slots`` bounds arrivals only: a run ends when nothing runs, nobody arrives any more and the
    policy did not ask to be woken. The horizon of wake-ups ends runs of policies that wait for
    ever: 20 times the slots until the last arrival and in which all jobs then run one after the
    other, each on the number and types of workers that are the slowest. The schedule is elastic if
    the placement of a job changed while it ran, or it paused.
    """

    def __init__(self, instance: CompletionInstance) -> None:
        super().__init__(instance, lambda job, rank: replace(job, index=rank))
        self.public: Cluster = replace(instance.cluster)  # a shell; the arrays inside are sealed
        self.active: dict[int, _State] = {}
        self._types = np.full((2, len(self.jobs)), NO_TYPE)
        self._rows = [np.empty((0, 6), dtype=np.int64)]
        m, p = np.ix_(range(len(self.public.worker_types)), self.public.ps_choices)
        # N workers take proportionally to c / N, or with all-reduce to c / N + s (N - 1) / N^2,
        # which is largest at N = 1 or 2: its derivative is negative where N >= 2 s / (c + s).
        alone = [
            max(
                int(least_duration(j, m, p, np.full(1, n), False).max())
                for n in {1, min(2, j.chunks)}
            )
            for j in self.jobs
        ]
        last = max((job.arrival for job in self.jobs), default=0)
        self.horizon = _ENOUGH * (last + sum(alone)) + 1
        self._limit = self.public.servers + _CAPACITY * np.maximum(1.0, self.public.servers)

    def arrive(self, job: Job) -> _State:
        """It does not run yet."""
        return _State(job)

    def next_completion(self) -> int | None:
        """First slot in which the next job is complete."""
        ends = (state.end for state in self.active.values() if state.begin < state.end)
        return min(ends, default=None)

    def complete(self, slot: int) -> tuple[int, ...]:
        """Take note of all jobs that complete before a slot."""
        done = [r for r, state in self.active.items() if state.begin < state.end <= slot]
        for rank in done:
            self._record(rank, slot)
            del self.active[rank]
        return tuple(done)

    def remaining(self) -> dict[int, int]:
        """Mini-batches left, rounded up."""
        return {
            rank: max(1, math.ceil(state.job.work - state.done_by(self.slot)))
            for rank, state in self.active.items()
        }

    def replace(self, plans: Mapping[int, Share]) -> None:
        """Replace plans, then check the capacities."""
        for rank, plan in plans.items():
            self._replace(rank, plan)
        self._check_capacity(plans.values())

    def schedule(self) -> CompletionSchedule:
        """What was executed."""
        m, p = self._types
        built = CompletionSchedule.build(self.instance, m, p, np.concatenate(self._rows))
        job, begin, end = built.rows[:, :3].T
        elastic = (begin > built.start[job]) | (end < built.end[job])
        return replace(built, elastic=bool(elastic.any()))

    def _replace(self, rank: int, plan: Share) -> None:
        self._record(rank, self.slot)
        state = self.active[rank]
        state.plan, state.begin, state.end, state.rate = plan, self.slot, self.slot, 0.0
        if not len(plan.servers):
            return
        job, state.types = state.job, (plan.worker_type, plan.ps_type)
        time = minibatch_time(job, *state.types, plan.size, plan.internal)
        state.rate = plan.size / float(time)
        if isinstance(plan, Run):
            state.begin, state.end = plan.start, plan.start + plan.duration
        else:
            slots = (job.work - state.done) / state.rate
            state.end += max(1, math.ceil(slots * (1.0 - ROUND_OFF)))
        if state.end > _LAST:
            raise InfeasibleDecision(f"job '{job.id}': would run until slot {state.end:.9g}")

    def _record(self, rank: int, until: int) -> None:
        """Write what a job has run up to a slot into the schedule."""
        state = self.active[rank]
        stop, plan = min(until, state.end), state.plan
        if state.begin < stop:
            window = np.tile([self.place[rank], state.begin, stop], (len(plan.servers), 1))
            self._rows.append(np.column_stack([window, plan.servers, plan.workers, plan.ps]))
            self._types[:, self.place[rank]] = state.types
            state.done = state.done_by(stop)

    def checked(self, job: Job, answer: Any) -> Share:
        """Copy a plan and check the constraints on the job alone: all but (2a), (2h)."""
        plan = copy_plan(job.id, answer)
        for fault in self._faults(self.active[job.index], plan):
            raise InfeasibleDecision(f"job '{job.id}': {fault}")
        return plan

    def _faults(self, state: _State, plan: Share) -> Iterator[str]:
        job, cluster, types = state.job, self.public, (plan.worker_type, plan.ps_type)
        started = state.has_run(self.slot)
        if started and isinstance(state.plan, Run):
            yield "its Run has started and is final"
        if started and isinstance(plan, Run):
            yield "a Run, but it has run before"
        if isinstance(plan, Run) and plan.start < self.slot:
            yield f"starts in slot {plan.start} < {self.slot}"
        if not (len(plan.servers) or isinstance(plan, Run)):
            return
        if not 0 <= plan.worker_type < len(cluster.worker_types):
            yield f"(2b) no worker type {plan.worker_type}"
        if plan.ps_type not in cluster.ps_choices:
            yield f"(2c) no PS type {plan.ps_type}"
        if started and types != state.types:
            yield "(2b), (2c) it has run with other types"
        at, n, s = plan.servers, plan.size, sum(plan.ps.tolist())
        for h in at[(at < 0) | (at >= len(cluster.servers))].tolist():
            yield f"no server {h}"
        if len(np.unique(at)) != len(at):
            yield "a server stands twice"
        if ((plan.workers < 0) | (plan.ps < 0) | (plan.workers + plan.ps < 1)).any():
            yield "(2k), (2l) a number is negative, or both are 0"
        if not 1 <= n <= job.chunks:
            yield f"(2b), (2g) {n} workers, not 1 to D = {job.chunks}"
        if cluster.allreduce == (s > 0):
            yield f"(2e) {s} parameter servers with architecture '{cluster.architecture}'"
        with_ps = plan.ps > 0
        for h, y, here in zip(at[with_ps], plan.workers[with_ps], plan.ps[with_ps], strict=True):
            b, big_b = cluster.worker_gbps[plan.worker_type], cluster.ps_gbps[plan.ps_type]
            if here < (need := least_ps(n - int(y), float(b), float(big_b))):
                yield f"(2i) {here} parameter servers on server {h}, {need} are needed"
        if isinstance(plan, Run):
            need = least_duration(job, *types, n, plan.internal)
            if plan.duration < need:
                yield f"(2f) {plan.duration} slots, it takes {need}"

    def _check_capacity(self, changed: Iterable[Share]) -> None:
        """(2h), (15b) from now on, on the servers of some plans."""
        touched = np.zeros(len(self._limit), dtype=bool)
        for plan in changed:
            touched[plan.servers] = True
        keys, shares = [np.empty(0, np.int64)], [np.empty((0, self._limit.shape[1]))]
        for state in self.active.values():
            if not touched[state.plan.servers].any() or state.end <= self.slot:
                continue
            key = state.plan.servers << 40  # server, then slot
            share = state.plan.amounts(self.public) / self._limit[state.plan.servers]
            keys += [key + max(self.slot, state.begin), key + state.end]
            shares += [share, -share]
        at, place = np.unique(np.concatenate(keys), return_inverse=True)
        change = np.zeros((len(at), self._limit.shape[1]))
        np.add.at(change, place, np.concatenate(shares))
        used = np.cumsum(change, axis=0)  # of a server nothing is left when the next one begins
        for row, r in np.argwhere(used > 1.0 + 1e-12)[:1].tolist():
            h, slot = divmod(int(at[row]), 1 << 40)
            equation = "(15b)" if self.public.allreduce else "(2h)"
            need = used[row, r] * self._limit[h, r]
            raise InfeasibleDecision(
                f"{equation} server {h} would use {need:.9g} of "
                f"{self.public.servers[h, r]:.9g} {self.public.resources[r]} in slot {slot}"
            )
