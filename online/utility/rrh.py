"""RRH, the risk-reward heuristic: admit and rank jobs by utility gain minus delay cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from models.errors import InputError
from models.utility.instance import Cluster, Job
from online.placements import Free, Placement, changed_plans
from online.policy import Arrival, Decision, JobEvent, Policy, SlotStart
from online.utility.list_schedule import list_completions
from online.utility.pools import pools_of
from online.utility.requests import fixed_workers
from online.utility.round_robin import RoundRobin

__all__ = ["RRH"]


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A job that RRH may run, with its fixed number of workers."""

    job: Job
    workers: int
    use: np.ndarray  # of every pooled resource, as a share of its capacity

    @property
    def share(self) -> float:
        """Dominant share ``d_i``."""
        return float(self.use.max())


class RRH(Policy):
    r"""Admit a job if its utility exceeds the delay cost it causes; run the best-paid jobs.

    Irwin, Grit, Chase: "Balancing Risk and Reward in a Market-based Task Service", HPDC 2004
    (FirstReward with admission control), as the OASiS paper describes it (Sec. V-A). That
    work schedules tasks with linearly decaying value on interchangeable processors; what
    follows is its rule for sigmoid utilities on a cluster, and equals it where a job fills
    the cluster.

    Job i has a fixed number of workers ``n_i`` (:func:`~online.utility.requests.fixed_workers`,
    as under FIFO) and takes a dominant share ``d_i`` of the two pools of servers. In slot t,
    with ``L_i`` worker-slots left, it needs ``p_i = ceil(L_i / n_i)`` more slots, and
    completes at the earliest in ``C_i = t + p_i - 1``. Let ``u_i(c) = f_i(c - a_i)`` for
    ``c < T`` and 0 for later c.

    *Ranking*, at every event, among the admitted unfinished jobs:

    - future gain, at its present value: ``PV_i = u_i(C_i) / (1 + discount * p_i)``;
    - opportunity cost, what the others lose if they wait for i: running i holds back a
      ``d_i`` part of the cluster for ``p_i`` slots, so
      ``cost_i = sum_{j != i} u_j(C_j) - u_j(C_j + d_i p_i)``;
    - ``reward_i = (alpha PV_i - (1 - alpha) cost_i) / (d_i p_i)``, per slot of the whole
      cluster.

    *Running.* In the order of reward (ties: the earlier arrival) every job that fits is run.
    A running job stays where it is if what stands before it leaves its places free; else it
    moves, and pauses if it fits nowhere. A waiting job takes places that nobody uses, if there
    are enough; else it takes those of jobs behind it. A job always has its ``n_i`` workers
    or none, placed round-robin. Jobs that could no longer end before T are given up.

    *Admission*, at arrival: a candidate schedule lists the admitted jobs in the order of
    reward, each starting as soon as the resources free in the pools (summed over servers)
    allow. Job i is admitted if ::

        u_i(completion in the schedule with i)
          - sum_{j != i} u_j(completion without i) - u_j(completion with i)  >  threshold

    Parameters
    ----------
    threshold : float, keyword only
        Least gain, in units of utility; default 0. Higher ones keep room for later jobs.
    alpha : float, keyword only
        Weight of gains against costs, in [0, 1]; default 0.5. At 1 costs do not count.
    discount : float, keyword only
        Discount per slot, at least 0; default 0.01. Higher ones favour short jobs.
    preempt : bool, keyword only
        False: running jobs come first in every order, and never pause. Default true: the paper
        says that unfinished jobs "continue running or pause".
    queue : {"reward", "arrival"}, keyword only
        Order of the candidate schedule at admission; default the reward. By arrival, a new job is
        behind all that are admitted: it pays for waiting, and displaces nobody in the candidate.

    Notes
    -----
    The defaults are this toolkit's; the OASiS paper does not say which it used.
    """

    name = "rrh"

    def __init__(
        self,
        *,
        threshold: float = 0.0,
        alpha: float = 0.5,
        discount: float = 0.01,
        preempt: bool = True,
        queue: Literal["reward", "arrival"] = "reward",
    ) -> None:
        if queue not in ("reward", "arrival"):
            raise InputError(f"rrh: queue '{queue}' is not 'reward' or 'arrival'")
        if not np.isfinite(threshold):
            raise InputError(f"rrh: threshold {threshold} is not finite")
        if not 0.0 <= alpha <= 1.0:
            raise InputError(f"rrh: alpha {alpha} is not in [0, 1]")
        if not (np.isfinite(discount) and discount >= 0.0):
            raise InputError(f"rrh: discount {discount} is not a finite number >= 0")
        self.threshold = threshold
        self.alpha = alpha
        self.discount = discount
        self.preempt = preempt
        self.queue = queue

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with an empty cluster."""
        self._cluster = public
        self._pools = pools_of(public)
        self._robin = RoundRobin()
        self._new: list[Job] = []
        self._admitted: dict[int, _Candidate] = {}
        self._running: dict[int, Placement] = {}

    def step(self, event: JobEvent) -> Decision:
        """At the start of a slot: admit or reject its arrivals, then choose who runs."""
        if isinstance(event, Arrival):
            self._new.append(event.job)
            return Decision()
        for index in event.completed:
            del self._admitted[index], self._running[index]
        self._give_up(event)
        gains = [self._admit(job, event) for job in self._new]
        self._new.clear()
        jobs = list(self._admitted.values())
        before = self._running
        ranked = self._kept_first(jobs, self._ranking(jobs, event))
        self._running = self._choose([jobs[j] for j in ranked])
        return Decision(
            changed_plans(event.slot, before, self._running),
            info={
                "gains": gains,
                "running": len(self._running),
                "waiting": len(jobs) - len(self._running),
                "paused": sum(index not in self._running for index in before),
            },
        )

    def _give_up(self, event: SlotStart) -> None:
        """Drop waiting jobs that can no longer end before T; running ones always can."""
        for index, candidate in list(self._admitted.items()):
            if index not in self._running and not self._in_time(candidate, event):
                del self._admitted[index]

    def _in_time(self, candidate: _Candidate, event: SlotStart) -> bool:
        return event.slot + _slots_left(candidate, event) <= self._cluster.slots

    def _admit(self, job: Job, event: SlotStart) -> float | None:
        """Decide one arrival; returns its gain, None if it cannot end in time at all."""
        workers = fixed_workers(job, self._cluster)
        if workers == 0:
            return None
        new = _Candidate(job, workers, self._pools.shares(job, workers, job.ps_needed(workers)))
        if not self._in_time(new, event):
            return None
        jobs = [*self._admitted.values(), new]
        by_reward = self.queue == "reward"
        order = self._ranking(jobs, event) if by_reward else list(range(len(jobs)))
        order = self._kept_first(jobs, order)
        with_new = self._utilities([jobs[j] for j in order], event)
        others = [jobs[j] for j in order if jobs[j] is not new]
        gain = float(with_new.sum() - self._utilities(others, event).sum())
        if gain > self.threshold:
            self._admitted[job.index] = new
        return gain

    def _utilities(self, jobs: Sequence[_Candidate], event: SlotStart) -> np.ndarray:
        """Utilities in the candidate schedule that lists the jobs in this order."""
        use = np.array([c.use for c in jobs]).reshape(len(jobs), len(self._pools.capacity))
        slots = np.array([_slots_left(c, event) for c in jobs], dtype=np.int64)
        completion = list_completions(use, slots, event.slot)
        return np.array([self._utility(c.job, completion[j]) for j, c in enumerate(jobs)])

    def _utility(self, job: Job, completion: np.ndarray) -> np.ndarray:
        """``u_i``: utility at a completion slot, 0 from T on."""
        return np.where(
            completion < self._cluster.slots, job.utility(completion - job.arrival), 0.0
        )

    def _ranking(self, jobs: Sequence[_Candidate], event: SlotStart) -> list[int]:
        """Positions by falling reward; ties keep the order of arrival."""
        left = np.array([_slots_left(c, event) for c in jobs], dtype=float)
        earliest = event.slot + left - 1.0
        effort = left * np.array([c.share for c in jobs])  # slots of the whole cluster
        gain = np.empty(len(jobs))
        cost = np.zeros(len(jobs))
        for j, c in enumerate(jobs):
            gain[j] = self._utility(c.job, earliest[j])
            loss = gain[j] - self._utility(c.job, earliest[j] + effort)
            loss[j] = 0.0
            cost += loss
        present = gain / (1.0 + self.discount * left)
        reward = (self.alpha * present - (1.0 - self.alpha) * cost) / effort
        return np.argsort(-reward, kind="stable").tolist()

    def _kept_first(self, jobs: Sequence[_Candidate], order: list[int]) -> list[int]:
        """The order, running jobs before the others unless they may pause."""
        if self.preempt:
            return order
        return sorted(order, key=lambda j: jobs[j].job.index not in self._running)

    def _choose(self, ranked: Sequence[_Candidate]) -> dict[int, Placement]:
        """Who runs and where, best reward first."""
        taken = Free(self._pools)  # what is left by the jobs chosen so far
        unused = Free(self._pools)  # what neither they nor the running jobs after them use
        for c in ranked:
            if c.job.index in self._running:
                unused.take(c.job, self._running[c.job.index])
        chosen: dict[int, Placement] = {}
        for c in ranked:
            placement = self._running.get(c.job.index)
            if placement is None or not taken.holds(c.job, placement):
                if placement is not None:
                    unused.give(c.job, placement)
                placement = self._robin.place(c.job, c.workers, unused)
                if placement is None:
                    placement = self._robin.place(c.job, c.workers, taken)
                if placement is None:
                    continue
                unused.take(c.job, placement)
            taken.take(c.job, placement)
            chosen[c.job.index] = placement
        return chosen


def _slots_left(candidate: _Candidate, event: SlotStart) -> int:
    """``p_i``, slots that the job still needs with its fixed number of workers."""
    return -(-event.remaining[candidate.job.index] // candidate.workers)
