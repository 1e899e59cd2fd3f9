"""The ``completion`` problem as it unfolds: arrivals, planned and running jobs, completions."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from models.completion.checks import one_worker
from models.completion.cluster import NO_TYPE, Cluster, Job
from models.completion.instance import CompletionInstance
from models.completion.rates import ROUND_OFF, least_duration, least_ps, minibatch_time
from models.completion.schedule import CompletionSchedule
from online.answers import whole_number
from online.completion.plan import PAUSED, Plan, Run, copy_plan
from online.policy import Arrival, Decision, JobEvent, SlotStart
from online.run import InfeasibleDecision

__all__ = ["CompletionWorld"]

_CAPACITY = 1.01e-9  # models.tolerance says who may exceed what; policies stay within 1e-9
_ENOUGH = 20  # times as long as the jobs take one after the other, on one worker each


@dataclass(slots=True)
class _State:
    """A job that has arrived and is not complete.

    It runs, or will, in the slots from begin to end - 1, if both differ; ``done`` mini-batches
    were trained before, ``rate`` of them are trained in each of these slots.
    """

    job: Job
    plan: Plan = PAUSED
    begin: int = 0
    end: int = 0
    done: float = 0.0
    rate: float = 0.0

    def done_by(self, slot: int) -> float:
        return self.done + max(0, min(slot, self.end) - self.begin) * self.rate

    def has_run(self, slot: int) -> bool:
        return self.done > 0.0 or self.begin < min(slot, self.end)


class CompletionWorld:
    """Holds the instance, carries decisions out and finds the next event.

    Jobs are known to policies by their rank in the order of arrival (ties: order in the file),
    so that an index tells nothing about later jobs. ``slots`` bounds arrivals only: a run ends
    when nothing runs, nobody arrives any more and the policy did not ask to be woken. Wake-ups
    are refused from 20 times the slots on in which the jobs could run one after the other, each
    on one worker, after the last arrival.

    A SlotStart's ``remaining`` are mini-batches, rounded up. The schedule is elastic if the
    placement of a job changed while it ran, or it paused.
    """

    def __init__(self, instance: CompletionInstance) -> None:
        self._instance = instance
        self.public: Cluster = replace(instance.cluster)  # a shell; the arrays inside are sealed
        order = sorted(instance.jobs, key=lambda job: (job.arrival, job.index))
        self._place = [job.index for job in order]  # rank -> index in the file
        self._jobs = [replace(job, index=rank) for rank, job in enumerate(order)]
        self._states: dict[int, _State] = {}
        self._types = np.full((2, len(order)), NO_TYPE)
        self._rows = [np.empty((0, 6), dtype=np.int64)]
        self._wakes: list[int] = []
        self._slot = 0
        m, p, internal = one_worker(instance.cluster).T
        alone = [int(least_duration(j, m, p, np.ones_like(m), internal > 0).min()) for j in order]
        self._last_wake = _ENOUGH * (order[-1].arrival + sum(alone)) if order else 0
        self._limit = self.public.servers + _CAPACITY * np.maximum(1.0, self.public.servers)

    def events(self) -> Iterator[JobEvent]:
        """Arrivals of a slot in order, then its SlotStart; idle slots are skipped."""
        coming = 0
        while (slot := self._next_slot(coming)) is not None:
            self._slot = slot
            completed = tuple(
                rank for rank, state in self._states.items() if state.begin < state.end <= slot
            )
            for rank in completed:
                self._record(rank, slot)
                del self._states[rank]
            arrived = []
            while coming < len(self._jobs) and self._jobs[coming].arrival == slot:
                job = self._jobs[coming]
                self._states[coming] = _State(job)
                arrived.append(coming)
                coming += 1
                yield Arrival(slot, job)
            yield SlotStart(slot, tuple(arrived), completed, self._remaining())

    def apply(self, decision: Decision) -> Mapping[str, Any]:
        """Replace plans from the current slot on; refuse what breaks a constraint."""
        if decision.allocation is not None:
            raise InfeasibleDecision("`allocation` is not for this problem: its jobs have plans")
        plans: dict[int, Plan] = {}
        for key, answer in decision.plans.items():
            rank = whole_number("job", key)
            if rank not in self._states:
                raise InfeasibleDecision(f"job {rank} has not arrived or is complete")
            plans[rank] = copy_plan(self._jobs[rank].id, answer)
            self._check_plan(self._states[rank], plans[rank])
        for rank, plan in plans.items():
            self._replace(rank, plan)
        self._check_capacity(plans.values())
        if decision.wake_at is not None:
            wake_at = whole_number("wake_at", decision.wake_at)
            if not self._slot < wake_at <= self._last_wake:
                raise InfeasibleDecision(
                    f"wake_at {wake_at} is not after slot {self._slot} and at most "
                    f"{self._last_wake}, by when all could be done"
                )
            heapq.heappush(self._wakes, wake_at)
        return {}

    def schedule(self) -> CompletionSchedule:
        """What was executed."""
        m, p = self._types
        built = CompletionSchedule.build(self._instance, m, p, np.concatenate(self._rows))
        job, begin, end = built.rows[:, :3].T
        constant = (begin == built.start[job]) & (end == built.end[job])
        return replace(built, elastic=not constant.all())

    # ---- time ----------------------------------------------------------------------------

    def _next_slot(self, coming: int) -> int | None:
        """Next slot with an arrival, a completion just before it, or a wake-up."""
        while self._wakes and self._wakes[0] <= self._slot:
            heapq.heappop(self._wakes)
        slots = [state.end for state in self._states.values() if state.begin < state.end]
        slots += self._wakes[:1]
        if coming < len(self._jobs):
            slots.append(self._jobs[coming].arrival)
        return min(slots, default=None)

    def _remaining(self) -> Mapping[int, int]:
        return MappingProxyType(
            {
                rank: max(1, math.ceil(state.job.work - state.done_by(self._slot)))
                for rank, state in self._states.items()
            }
        )

    # ---- plans ---------------------------------------------------------------------------

    def _replace(self, rank: int, plan: Plan) -> None:
        self._record(rank, self._slot)
        state = self._states[rank]
        state.plan, state.begin, state.end, state.rate = plan, self._slot, self._slot, 0.0
        if not len(plan.servers):
            return
        state.rate = plan.size / _minibatch_time(state.job, plan)
        if isinstance(plan, Run):
            state.begin, state.end = plan.start, plan.start + plan.duration
        else:
            slots = (state.job.work - state.done) / state.rate
            state.end += max(1, math.ceil(slots * (1.0 - ROUND_OFF)))

    def _record(self, rank: int, until: int) -> None:
        """Write what a job has run up to a slot into the schedule."""
        state = self._states[rank]
        stop, plan = min(until, state.end), state.plan
        if state.begin < stop:
            rows = np.empty((len(plan.servers), 6), dtype=np.int64)
            rows[:, :3] = self._place[rank], state.begin, stop
            rows[:, 3], rows[:, 4], rows[:, 5] = plan.servers, plan.workers, plan.ps
            self._rows.append(rows)
            self._types[:, self._place[rank]] = plan.worker_type, plan.ps_type
            state.done = state.done_by(stop)

    def _check_plan(self, state: _State, plan: Plan) -> None:
        """The constraints on one job alone: all but (2a), (2h)."""
        job, cluster, where = state.job, self.public, f"job '{state.job.id}'"
        started = state.has_run(self._slot)
        if started and isinstance(state.plan, Run):
            raise InfeasibleDecision(f"{where}: its Run has started and is final")
        if isinstance(plan, Run):
            if started:
                raise InfeasibleDecision(f"{where}: a Run, but it has run before")
            if plan.start < self._slot:
                raise InfeasibleDecision(f"{where}: starts in slot {plan.start} < {self._slot}")
        elif not len(plan.servers):
            return
        n, s = plan.size, int(plan.ps.sum())
        if not 0 <= plan.worker_type < len(cluster.worker_types):
            raise InfeasibleDecision(f"{where}: (2b) no worker type {plan.worker_type}")
        if plan.ps_type not in cluster.ps_choices:
            raise InfeasibleDecision(f"{where}: (2c) no PS type {plan.ps_type}")
        types = (plan.worker_type, plan.ps_type)
        if started and types != self._types_of(state):
            raise InfeasibleDecision(f"{where}: (2b), (2c) it has run with other types")
        _check_servers(where, plan, len(cluster.servers))
        if n < 1:
            raise InfeasibleDecision(f"{where}: (2b) no worker")
        if n > job.chunks:
            raise InfeasibleDecision(f"{where}: (2g) {n} workers, more than D = {job.chunks}")
        if cluster.allreduce and s:
            raise InfeasibleDecision(f"{where}: {s} parameter servers with all-reduce")
        if not cluster.allreduce and not s:
            raise InfeasibleDecision(f"{where}: (2e) no parameter server")
        b = float(cluster.worker_gbps[plan.worker_type])
        for h, y, here in zip(plan.servers, plan.workers, plan.ps, strict=True):
            big_b = float(cluster.ps_gbps[plan.ps_type]) if here else b
            if here and here < (need := least_ps(n - int(y), b, big_b)):
                raise InfeasibleDecision(
                    f"{where}: (2i) {here} parameter servers on server {h}, {need} are needed"
                )
        if isinstance(plan, Run):
            need = least_duration(job, *types, n, len(plan.servers) == 1)
            if plan.duration < need:
                raise InfeasibleDecision(f"{where}: (2f) {plan.duration} slots, it takes {need}")

    def _types_of(self, state: _State) -> tuple[int, int]:
        """The types a job has run with: of its plan, or of an earlier one if it pauses."""
        if len(state.plan.servers):
            return state.plan.worker_type, state.plan.ps_type
        m, p = self._types[:, self._place[state.job.index]].tolist()
        return m, p

    def _check_capacity(self, changed: Iterable[Plan]) -> None:
        """(2h), (15b) from now on, on the servers of some plans."""
        touched = np.zeros(len(self._limit), dtype=bool)
        for plan in changed:
            touched[plan.servers] = True
        keys, shares = [], []
        for state in self._states.values():
            if not touched[state.plan.servers].any() or state.end <= self._slot:
                continue
            key = state.plan.servers << 40  # server, then slot
            share = state.plan.amounts(self.public) / self._limit[state.plan.servers]
            keys += [key + max(self._slot, state.begin), key + state.end]
            shares += [share, -share]
        if not keys:
            return
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


def _minibatch_time(job: Job, plan: Plan) -> float:
    internal = len(plan.servers) == 1
    return float(minibatch_time(job, plan.worker_type, plan.ps_type, plan.size, internal))


def _check_servers(where: str, plan: Plan, servers: int) -> None:
    """Refuse servers that are not there or named twice, and numbers that are no numbers."""
    at = plan.servers
    for h in at[(at < 0) | (at >= servers)].tolist():
        raise InfeasibleDecision(f"{where}: no server {h}")
    if len(np.unique(at)) != len(at):
        raise InfeasibleDecision(f"{where}: a server stands twice")
    if ((plan.workers < 0) | (plan.ps < 0) | (plan.workers + plan.ps < 1)).any():
        raise InfeasibleDecision(f"{where}: (2k), (2l) a number is negative, or both are 0")
