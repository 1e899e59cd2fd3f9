"""Put jobs one by one into what is free: the cheapest start and mode that can be placed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from models.completion.cluster import Cluster, Job
from models.completion.column import Column
from models.completion.instance import CompletionInstance
from models.tolerance import usable
from solvers.completion.configurations import Configurations, placeable
from solvers.completion.kernels import fitting, window_minima

__all__ = ["Placed", "Timetable"]


@dataclass(frozen=True, eq=False)
class Placed:
    """Where a job is: its start, a row of its configurations, workers and PSs per server."""

    start: int
    completion: int
    configuration: int
    workers: np.ndarray
    ps: np.ndarray


class Timetable:
    """What is free on every server in every slot, while jobs are put in and taken out.

    Parameters
    ----------
    instance : CompletionInstance
    slots : int
        Its length. A job that does not fit before its end starts no earlier than there, where
        everything is free, so that there is always a place.
    """

    def __init__(self, instance: CompletionInstance, slots: int) -> None:
        self.instance = instance
        self.cluster: Cluster = instance.cluster
        self.options: list[Configurations] = [placeable(j, self.cluster) for j in instance.jobs]
        longest = max((int(o.duration[-1]) for o in self.options), default=1)
        self._slots = slots
        self._free = np.repeat(usable(self.cluster.servers)[None], slots + longest, axis=0)
        self._ps_types = self.cluster.ps_types.reshape(-1, len(self.cluster.resources))
        self.placed: dict[int, Placed] = {}

    @property
    def objective(self) -> float:
        """Weighted completion time of the jobs that are in it."""
        jobs = self.instance.jobs
        return math.fsum(jobs[j].weight * at.completion for j, at in self.placed.items())

    def insert(self, job: Job, total: np.ndarray, limit: float = math.inf) -> Placed | None:
        """Put a job where weighted completion and prices of what it uses are least.

        Parameters
        ----------
        job : Job
        total : ndarray, shape (S + 1, R)
            Sums of prices, the same on all servers, of the slots before each.
        limit : float
            Weighted completion and prices have to be less.

        Returns
        -------
        Placed or None
            None if it fits nowhere before the end of the timetable below the limit.
        """
        options = self.options[job.index]
        start, k, workers, ps = _insert(
            self._free,
            options.duration,
            options.amounts,
            options.modes,
            options.ps,
            job.arrival,
            job.weight,
            total,
            limit,
            self.cluster.worker_types,
            self._ps_types,
            options.outside,
        )
        if k < 0:
            return None
        at = Placed(start, start + int(options.duration[k]), k, workers, ps)
        self.put(job.index, at)
        return at

    def put(self, job: int, at: Placed) -> None:
        """Put a job where there is room for it."""
        self.placed[job] = at
        self._free[at.start : at.completion] -= self._amounts(job, at)

    def remove(self, job: int) -> Placed:
        """Take a job out; returns where it was."""
        at = self.placed.pop(job)
        self._free[at.start : at.completion] += self._amounts(job, at)
        return at

    def _amounts(self, job: int, at: Placed) -> np.ndarray:
        _, m, p, _, _ = self.options[job].modes[at.configuration]
        amounts = np.outer(at.workers, self.cluster.worker_types[m])
        return amounts if p < 0 else amounts + np.outer(at.ps, self._ps_types[p])

    def columns(self) -> list[Column]:
        """The jobs as columns of (8)."""
        found = []
        for j, at in sorted(self.placed.items()):
            _, m, p, _, duration = self.options[j].modes[at.configuration].tolist()
            servers = np.flatnonzero((at.workers > 0) | (at.ps > 0))
            value = -self.instance.jobs[j].weight * at.completion
            found.append(
                Column(
                    job=j,
                    start=at.start,
                    duration=duration,
                    worker_type=m,
                    ps_type=p,
                    servers=servers,
                    workers=at.workers[servers],
                    ps=at.ps[servers],
                    value=value,
                )
            )
        return found


@njit(cache=True)
def _insert(  # type: ignore[no-untyped-def]
    free, duration, amounts, modes, ps, first, weight, total, limit, worker_types, ps_types, outside
):
    """Start, configuration and places of the cheapest way to run a job that fits, below a limit.

    The search looks ahead as far as a job can complete that is cheaper than the best found, and
    twice as far where nothing is found.
    """
    slots, servers = free.shape[0], free.shape[1]
    workers, beside = np.zeros(servers, dtype=np.int64), np.zeros(servers, dtype=np.int64)
    ahead = 2 * duration[0] + 16
    while True:
        reach = min(slots, first + ahead)
        if limit < np.inf:
            reach = min(reach, int(limit / weight) + 1)
        start, k, cost = _search(
            free[first:reach], duration, amounts, modes, ps, first, weight, total, limit,
            worker_types, ps_types, outside, workers, beside,
        )
        needed = int(min(cost, limit, weight * slots) / weight) + 1
        if reach >= min(slots, needed):
            break
        ahead = max(2 * ahead, needed - first) if k < 0 else needed - first
    return start, k, workers, beside


@njit(cache=True)
def _search(  # type: ignore[no-untyped-def]
    free, duration, amounts, modes, ps, first, weight, total, limit, worker_types, ps_types,
    outside, workers, beside,
):
    """The same within the slots of ``free``, of which the first one is the slot ``first``."""
    slots, servers, resources = free.shape
    types = worker_types.shape[0]
    priced = total.shape[0] - 1
    minima = window_minima(free)
    best, best_start, best_k = limit, -1, -1
    window, pooled = np.empty((servers, resources)), np.empty(resources)
    room = np.empty((types, servers), dtype=np.int64)
    known = np.zeros(types, dtype=np.bool_)
    trial, trial_ps = np.zeros(servers, dtype=np.int64), np.zeros(servers, dtype=np.int64)
    none = np.zeros(resources)
    k = 0
    while k < duration.shape[0]:
        length = duration[k]
        after = k
        while after < duration.shape[0] and duration[after] == length:
            after += 1
        if length > slots:
            break
        level = 0
        while 2 ** (level + 1) <= length:
            level += 1
        for start in range(slots - length + 1):
            completion = first + start + length
            if weight * completion >= best:
                break
            begin, stop = min(first + start, priced), min(completion, priced)
            looked = False
            for row in range(k, after):
                cost = weight * completion
                for r in range(resources):
                    cost += amounts[row, r] * (total[stop, r] - total[begin, r])
                if cost >= best:
                    continue
                if not looked:
                    looked = True
                    known[:] = False
                    window[:] = np.minimum(
                        minima[level, start], minima[level, start + length - 2**level]
                    )
                    pooled[:] = window.sum(axis=0)
                if (amounts[row] > pooled).any():
                    continue
                m, p, number = modes[row, 1], modes[row, 2], modes[row, 3]
                if not known[m]:
                    known[m] = True
                    for h in range(servers):
                        room[m, h] = fitting(window[h], worker_types[m])
                if (room[m].max() if modes[row, 0] else room[m].sum()) < number:
                    continue
                if _place(
                    window, room[m], modes[row, 0], worker_types[m], ps_types[p] if p >= 0 else none,
                    number, ps[row], outside[row], trial, trial_ps,
                ):
                    best, best_start, best_k = cost, first + start, row
                    workers[:], beside[:] = trial, trial_ps
        k = after
    return best_start, best_k, best


@njit(cache=True)
def _place(  # type: ignore[no-untyped-def]
    window, room, internal, demand, ps_demand, number, ps, outside, workers, beside
):
    """Place workers and PSs of one mode into what is free, full servers first; False if it fails.

    Fills in ``workers`` and ``beside``, the numbers on each server.
    """
    servers = window.shape[0]
    workers[:], beside[:] = 0, 0
    chosen, tightest = -1, np.inf
    if internal:
        need = number * demand + ps * ps_demand
        for h in range(servers):
            if room[h] >= number and (need <= window[h]).all():
                left = _left_over(window[h], need)
                if left < tightest:
                    chosen, tightest = h, left
        if chosen < 0:
            return False
        workers[chosen], beside[chosen] = number, ps
        return True
    rest = number
    if ps > 0:
        forced = max(0, number - outside)
        everywhere, most = room.sum(), -1
        for h in range(servers):
            if room[h] < forced or fitting(window[h], ps_demand) < ps:
                continue
            near = min(number - 1, fitting(window[h] - ps * ps_demand, demand))
            if near < forced or near < most or everywhere - room[h] + near < number:
                continue
            left = _left_over(window[h], ps * ps_demand + near * demand)
            if near > most or left < tightest:
                chosen, most, tightest = h, near, left
        if chosen < 0:
            return False
        workers[chosen], beside[chosen] = most, ps
        rest -= most
    for h in np.argsort(room, kind="mergesort"):
        if h != chosen:
            take = min(room[h], rest if ps > 0 else min(rest, number - 1))
            workers[h] += take
            rest -= take
    return rest == 0


@njit(cache=True)
def _left_over(window, need):  # type: ignore[no-untyped-def]
    """Share of what is free on a server that stays free, summed over the resources."""
    left = 0.0
    for r in range(window.shape[0]):
        if window[r] > 0.0:
            left += (window[r] - need[r]) / window[r]
    return left
