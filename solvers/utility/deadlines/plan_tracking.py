"""From a fractional plan to whole workers on real servers, slot by slot.

A plan says how many workers each job runs in each slot, in fractions, and by when it completes.
Whole workers cannot do exactly that, but what they miss in one slot they can make up in the next:
in each slot the servers first take the work that the plan has done by then and the workers have
not. So whatever could not be placed is carried over. If a plan leaves a little of the capacities
free, it is followed almost without loss, whereas rounding each slot by itself would lose whole
jobs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from solvers.highs import LinearProgram
from solvers.utility.deadlines.state import DeadlineState
from solvers.utility.search_state import ROUND_OFF
from solvers.utility.totals_program import SIDES, SMALLEST

__all__ = ["Followed", "Plan", "PlanTracker"]


class Plan(NamedTuple):
    """Fractional workers and deadlines.

    Parameters
    ----------
    workers : ndarray, shape (T, I)
    ends : dict of int to int
        Last slot of each job that is to complete.
    """

    workers: np.ndarray
    ends: Mapping[int, int]


class Followed(NamedTuple):
    """What became of a plan.

    Parameters
    ----------
    workers : ndarray of int64, shape (T, I)
        Workers that have their parameter servers.
    places : dict of (int, int) to ndarray of int64, shape (S, I)
        By side and slot, what the servers hold: at least these workers.
    lacking : dict of int to int
        Work that jobs have not done by the ends of the plan; only jobs that lack some.
    """

    workers: np.ndarray
    places: Mapping[tuple[int, int], np.ndarray]
    lacking: Mapping[int, int]


class PlanTracker:
    """Follows plans on the servers of an instance.

    Parameters
    ----------
    state : DeadlineState
        Places loads, and takes over the cuts that they violate.
    """

    def __init__(self, state: DeadlineState) -> None:
        self._state, self._options = state, state.options
        self._instance, self._limits = state.instance, state.totals.limits
        cluster, jobs = self._instance.cluster.tolerant, self._instance.jobs
        self._totals, self._demand, self._size = [], [], np.zeros(len(jobs))
        for side, share in zip(SIDES, (1.0, self._options.ps_share), strict=True):
            total = (cluster.ps_servers if side else cluster.worker_servers).sum(axis=0)
            demand = np.array([job.ps if side else job.worker for job in jobs])
            demand = demand.reshape(-1, len(total))
            part = demand / np.where(total > 0, total, math.inf)
            self._size += share * part.max(axis=1, initial=0.0)
            self._totals.append(total)
            self._demand.append(demand)

    def follow(self, plan: Plan, urgency: np.ndarray | None = None) -> Followed:
        """Run whole workers on the servers, slot by slot, until time is up.

        Parameters
        ----------
        plan : Plan
        urgency : ndarray, shape (I,), optional
            Factors on what a worker of each job is worth; 1 by default.
        """
        state, options = self._state, self._options
        began, allowed = state.spent, options.completing * state.work
        jobs, slots = self._instance.jobs, self._instance.cluster.slots
        wanted = np.cumsum(plan.workers, axis=0)
        size = self._size if urgency is None else self._size * urgency
        work = np.array([job.work for job in jobs], dtype=np.int64)
        arrival = np.array([job.arrival for job in jobs])
        limit = np.array(
            [self._limits[i].most if i in self._limits else 0 for i in range(len(jobs))]
        )
        end = np.full(len(jobs), -1)
        for i, last in plan.ends.items():
            end[i] = last
        done = np.zeros(len(jobs), dtype=np.int64)
        workers = np.zeros((slots, len(jobs)), dtype=np.int64)
        places: dict[tuple[int, int], np.ndarray] = {}
        for t in range(slots):
            if min(state.known.seconds_left, state.work_left) <= 0:
                break
            in_time = state.spent - began <= allowed * (t + 1) / slots
            active = np.flatnonzero((end >= 0) & (arrival <= t) & (done < work))
            if not len(active):
                continue
            left, late = (work - done)[active], end[active] <= t
            most = np.minimum(limit[active], left)
            behind = np.where(late, most, np.clip(wanted[t, active] - done[active], 0.0, most))
            # The share of its largest number of workers that a job needs from now on to be in time.
            pace = np.minimum(left / (limit[active] * np.maximum(end[active] - t + 1, 1)), 1.0)
            steep = 1 + (options.late - 1) * pace**options.steep
            worth = size[active] * np.where(late, options.late, steep)
            tries = options.slot_tries if in_time else 1
            counts = self._slot(active, most, behind, worth, tries)
            if counts is not None:
                workers[t] = self._served(active, counts)
                places[0, t], places[1, t] = counts
                done += workers[t]
        lacking = {i: int(work[i] - workers[: last + 1, i].sum()) for i, last in plan.ends.items()}
        return Followed(workers, places, {i: lack for i, lack in lacking.items() if lack > 0})

    def _slot(
        self,
        active: np.ndarray,
        most: np.ndarray,
        behind: np.ndarray,
        worth: np.ndarray,
        tries: int,
    ) -> list[np.ndarray] | None:
        """What the servers of both sides hold in one slot, shape (S, I) each."""
        counts = None
        share = self._options.completing / self._instance.cluster.slots
        for _ in range(tries):
            program = self._program(active, most, behind, worth)
            limits = replace(self._state.limits(program, share), mip_rel_gap=self._options.slot_gap)
            result = self._state.solve(program, limits)
            if result.x is None:
                break
            chosen = np.round(result.x[: len(active)]).astype(np.int64)
            # First what the plan wants. Placed together, a worker ahead of it could take the
            # place of one that a job at its most workers can never make up.
            needed = np.minimum(chosen, np.ceil(behind - ROUND_OFF).astype(np.int64))
            load = self._load(active, needed)
            placings = [self._state.known.place(side, load[side]) for side in SIDES]
            workers, ps = (placing.counts for placing in placings)
            workers = self._state.known.fill(0, workers, self._load(active, chosen - needed)[0])
            wanted = self._load(active, workers.sum(axis=0)[active])[1]
            ps = self._state.known.fill(1, ps, np.maximum(wanted - ps.sum(axis=0), 0))
            counts = [workers, ps]
            lacking = [side for side in SIDES if not placings[side].complete]
            # Where no cut is broken, the same program would only give the same load again.
            if tries == 1 or not sum(self._learn(side, load[side]) for side in lacking):
                break
        return counts

    def _load(self, active: np.ndarray, workers: np.ndarray) -> np.ndarray:
        """Workers and the parameter servers they need, shape (2, I)."""
        jobs = self._instance.jobs
        load = np.zeros((2, len(jobs)), dtype=np.int64)
        load[0, active] = workers
        load[1, active] = [
            jobs[i].ps_needed(count)
            for i, count in zip(active.tolist(), workers.tolist(), strict=True)
        ]
        return load

    def _served(self, active: np.ndarray, counts: list[np.ndarray]) -> np.ndarray:
        """Placed workers, as many as have their parameter servers, shape (I,)."""
        workers, ps = (count.sum(axis=0) for count in counts)
        for i in active.tolist():
            while self._instance.jobs[i].ps_needed(int(workers[i])) > ps[i]:
                workers[i] -= 1
        return workers

    def _learn(self, side: int, load: np.ndarray) -> bool:
        cut = self._state.known.cut(side, load.astype(float))
        if cut is not None:
            self._state.cuts.know(side, cut)
        return cut is not None

    def _program(
        self, active: np.ndarray, most: np.ndarray, behind: np.ndarray, worth: np.ndarray
    ) -> LinearProgram:
        """Whole workers and parameter servers; and the workers that the plan lacks so far.

        Columns: workers, parameter servers, workers of the plan.
        """
        count, limits = len(active), [self._limits[i] for i in active.tolist()]
        most_ps = np.array([limit.most_ps for limit in limits])
        one, none, ahead = np.eye(count), np.zeros((count, count)), self._options.ahead
        rows, upper = [], []
        for side in SIDES:
            weight, capacity = self._state.cuts.of_side(side)
            weight = np.vstack([self._demand[side].T, weight])[:, active]
            capacity = np.concatenate([self._totals[side], capacity])
            used = weight @ (most_ps if side else most) > capacity
            share = weight[used] / capacity[used, None]
            share[share < SMALLEST] = 0.0
            empty = np.zeros_like(share)
            rows.append(np.hstack([empty, share, empty] if side else [share, empty, empty]))
            upper.append(np.ones(len(share)))
        slope, level = (np.array(x) for x in zip(*(x.slope_of_6() for x in limits), strict=True))
        rows.append(np.hstack([one, -np.diag(slope), none]))  # (6)
        rows.append(np.hstack([-one, none, one]))
        upper.extend([level, np.zeros(count)])
        return LinearProgram(
            sense="max",
            cost=np.concatenate([ahead * worth, np.zeros(count), (1.0 - ahead) * worth]),
            matrix=np.vstack(rows),
            row_upper=np.concatenate(upper),
            upper=np.concatenate([most, most_ps, behind]).astype(float),
            integer=np.repeat([True, True, False], count),
        )
