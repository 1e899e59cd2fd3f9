"""Dorm: at every event a MILP that maximises utilisation."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from models.errors import InputError
from models.rounding import ceil_tolerant
from online.dorm_model import DormJob, DormModel
from online.dorm_places import GroupPlaces
from online.fair_shares import FairShares
from online.placements import NOWHERE, Placement, changed_plans
from online.policy import Arrival, Decision, JobEvent, Policy, SlotStart
from online.pools import Rules
from online.server_groups import ServerGroups
from solvers.highs import HighsOptions, solve

__all__ = ["Dorm"]

# HiGHS's default of 10,000 cuts takes twice the time at the root, for no better solutions here.
_FEW_CUTS = {"mip_pool_soft_limit": 30}


class Dorm(Policy):
    r"""Maximise utilisation, without being too unfair and without moving too many jobs.

    Sun, Wen, Ta, Yan: "Towards Distributed Machine Learning in Shared Clusters: A
    Dynamically-Partitioned Approach", IEEE SMARTCOMP 2017, as the OASiS paper applies it
    (Sec. V-A): all jobs are admitted; whenever one arrives or completes, the numbers and the
    placement of all unfinished jobs' workers and parameter servers are recomputed by a
    mixed-integer programme (:class:`~online.dorm_model.DormModel`), solved by HiGHS:

    - it maximises the utilisation of the resources of the pools of servers, averaged;
    - *fairness*: ``sum_i |s_i - s*_i| <= theta1 * 2 m``. ``s_i`` is the dominant share of job
      i, ``s*_i`` the one that DRF gives it (:class:`~online.fair_shares.FairShares`), m the
      number of resources of the pools that exist. The shares of one resource sum to at most 1,
      so ``2 m`` bounds the left side;
    - *adjustment*: at most ``ceil(theta2 * P)`` of the P jobs that were running and are not
      complete get other numbers or other servers. Jobs that start do not count.

    Where the programme has no solution, or none is found within the node limit, every job
    keeps what it has, and the decision says ``kept``. The search ends at a gap or a number of
    nodes, never at a time, so that a run can be repeated.

    A job to which DRF gives nothing, and which is not running, waits: with hundreds of jobs
    in the queue that keeps the programme small.

    *Aggregation.* In the programme the servers of one type
    (:class:`~online.server_groups.ServerGroups`) count as one large server. Going
    back (:class:`~online.dorm_places.GroupPlaces`), the jobs that it leaves alone
    stay on their servers, and the others are packed. What finds no room, because the room is
    cut up, is not run, and the decision counts it as ``unplaced``; so the numbers may miss
    the fairness limit. Room that is left goes to the same jobs.

    Parameters
    ----------
    theta1 : float, keyword only
        Fairness threshold in [0, 1]; default 0.1. 0 asks for the shares of DRF.
    theta2 : float, keyword only
        Adjustment threshold in [0, 1]; default 0.1. 1 lets every job be moved.
    node_limit : int, keyword only
        Branch-and-bound nodes; default 1: the root, with HiGHS's heuristics.
    gap : float, keyword only
        Relative gap at which a solution is good enough; default 0.05.

    Notes
    -----
    The share of a job is linear in its workers: that of one worker and the fraction of a
    parameter server that it needs, the dominant one, times their number.
    """

    name = "dorm"
    rules: ClassVar[Rules]

    def __init__(
        self,
        *,
        theta1: float = 0.1,
        theta2: float = 0.1,
        node_limit: int = 1,
        gap: float = 0.05,
    ) -> None:
        for name, theta in (("theta1", theta1), ("theta2", theta2)):
            if not 0.0 <= theta <= 1.0:
                raise InputError(f"dorm: {name} {theta} is not in [0, 1]")
        self.theta1 = theta1
        self.theta2 = theta2
        self._options = HighsOptions(node_limit=node_limit, mip_rel_gap=gap, extra=_FEW_CUTS)

    def reset(self, public: Any, rng: np.random.Generator) -> None:
        """Start with an empty cluster."""
        self._cluster = public
        pools = self._pools = self.rules.pools(public)
        self._shares = FairShares(pools)
        self._workers = ServerGroups(pools.workers, pools.bandwidth)
        self._ps = self._workers if pools.shared else ServerGroups(pools.ps, pools.bandwidth)
        self._resources = max(1, int(np.count_nonzero(pools.capacity)))
        self._fairness = self.theta1 * 2 * self._resources
        self._places = GroupPlaces(pools, self._workers, self._ps, fairness=self._fairness)
        self._jobs: dict[int, Any] = {}
        self._running: dict[int, Placement] = {}

    def step(self, event: JobEvent) -> Decision:
        """Remember an arriving job; at the start of a slot solve the programme."""
        if isinstance(event, Arrival):
            if self.rules.fits(event.job, self._cluster):
                self._jobs[event.job.index] = event.job
            return Decision()
        for index in event.completed:
            del self._jobs[index], self._running[index]
        before = self._running
        jobs = self._describe(event)
        change = self._solve(jobs) if jobs else ({}, 0)
        if change is None:
            return Decision(info=self._info(jobs, before, unplaced=0, kept=True))
        self._running, unplaced = change
        return Decision(
            changed_plans(event.slot, before, self._running),
            info=self._info(jobs, before, unplaced=unplaced, kept=False),
        )

    def _describe(self, event: SlotStart) -> list[DormJob]:
        """What the programme has to know of the unfinished jobs, without those that must wait."""
        jobs = list(self._jobs.values())
        limits = [self.rules.most(job, event.remaining[job.index]) for job in jobs]
        fair = self._shares.fill(jobs, limits, self._running)
        described = []
        for job, limit in zip(jobs, limits, strict=True):
            if job.index not in fair and job.index not in self._running:
                continue
            ratio = self.rules.ps_per_worker(job)
            shares = self._pools.shares(job, 1.0, ratio)
            now = self._running.get(job.index, NOWHERE)
            described.append(
                DormJob(
                    job=job,
                    limit=limit,
                    ratio=ratio,
                    share=float(shares.max()),
                    gain=float(shares.sum() / self._resources),
                    fair=fair[job.index].size if job.index in fair else 0,
                    x=self._workers.counts(now.workers),
                    z=self._ps.counts(now.ps),
                )
            )
        return described

    def _solve(self, jobs: list[DormJob]) -> tuple[dict[int, Placement], int] | None:
        """New placements and how many workers found no place; None without a solution."""
        running = sum(job.runs for job in jobs)
        model = DormModel(
            jobs,
            self._workers,
            self._ps,
            fairness=self._fairness,
            adjustments=ceil_tolerant(self.theta2 * running),
        )
        result = solve(model.program, self._options, start=model.standing())
        if result.x is None:
            return None
        return self._places.place(jobs, *model.read(result.x), self._running)

    def _info(
        self, jobs: list[DormJob], before: dict[int, Placement], *, unplaced: int, kept: bool
    ) -> dict[str, object]:
        loss = sum(j.loss(self._running.get(j.job.index, NOWHERE).size) for j in jobs)
        return {
            "running": len(self._running),
            "waiting": len(self._jobs) - len(self._running),
            "adjusted": sum(not p.same_as(self._running.get(i)) for i, p in before.items()),
            "fairness_loss": loss,
            "unplaced": unplaced,
            "kept": kept,
        }
