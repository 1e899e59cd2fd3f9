"""A_maxweight (Alg. 3), A_dual (Alg. 2), greedy: which jobs of a batch are scheduled, and how."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from models.completion.cluster import Cluster, Job
from models.completion.column import Column
from models.resources import dominant_share
from models.tolerance import usable
from online.primal_dual import decide
from solvers.completion.modes import DURATION, amounts_of, least_held, modes_of
from solvers.completion.oracle import best_schedule

__all__ = ["ORDERS", "Block", "MaxWeight", "Round", "compacted", "greedy_max_weight", "least_bound"]

ORDERS: Mapping[str, Callable[[Job], Any]] = {
    "arrival": lambda job: job.index,
    "weight": lambda job: (-job.weight, job.index),
    "id": lambda job: job.id,
}
"""Orders in which Alg. 3 may take the jobs of a batch; the paper does not say which."""


class Block(NamedTuple):
    """What A_maxweight made of a batch: the jobs, the schedules of those admitted, final prices.

    Slot 0 is the block's first; prices, shape (tau, H, R), are per unit of the instance.
    """

    jobs: tuple[Job, ...]
    columns: tuple[Column, ...]
    prices: np.ndarray


class Round(NamedTuple):
    """What A_dual made of a batch: the slots of a block, the jobs, the blocks."""

    slots: int
    jobs: Sequence[Job]
    blocks: Sequence[Block]


def least_bound(jobs: Iterable[Job], cluster: Cluster) -> float:
    """``F``: largest weight of a job over the sum of what a schedule of it holds; 1 without jobs.

    The sum is over slots, servers and resources, in the units of the instance, as printed. Its
    least is over all modes that fit on the empty cluster.
    """
    return max((job.weight / least_held(job, cluster) for job in jobs), default=1.0)


class MaxWeight:
    """The two algorithms on one cluster, which is empty at first.

    ``bound`` is F, and ``log_lambda`` the natural logarithm of ``lambda = 2 T H R F + 1``, with
    the timespan T, of (11).
    """

    def __init__(self, cluster: Cluster, bound: float) -> None:
        self._cluster = cluster
        self._modes: dict[int, np.ndarray] = {}
        self.log_lambda = math.log1p(2.0 * cluster.slots * cluster.servers.size * bound)

    def block(self, jobs: Sequence[Job], slots: int) -> Block:
        """Alg. 3: admit each job, in turn, whose best schedule in so many slots, (7b), pays."""
        book = _Prices(self._cluster, slots, self.log_lambda)

        def oracle(job: Job, prices: np.ndarray, free: np.ndarray) -> Column | None:
            if job.index not in self._modes:
                self._modes[job.index] = modes_of(job, self._cluster)
            modes, worth = self._modes[job.index], np.full(slots + 1, job.weight)
            return best_schedule(job, self._cluster, prices, free, worth, first=0, modes=modes)

        found = (decide(job, oracle, book)[0] for job in jobs)
        columns = tuple(column for column in found if column is not None)
        return Block(tuple(jobs), columns, book.prices)

    def blocks(self, jobs: Sequence[Job], slots: int, most: int) -> list[Block]:
        """Alg. 2: the blocks, at most so many, in which somebody is scheduled.

        A block that schedules nobody is the last: all that follow would start from the same jobs
        and an empty cluster.
        """
        blocks: list[Block] = []
        left = list(jobs)
        while left and len(blocks) < most:
            block = self.block(left, slots)
            if not block.columns:
                break
            blocks.append(block)
            placed = {column.job for column in block.columns}
            left = [job for job in left if job.index not in placed]
        return blocks

    def alpha(self, jobs: Iterable[Job]) -> int:
        """``floor(log(w(J) / w_min) / log(gamma / (gamma - 1))) + 1`` of (6).

        Of all jobs as in Theorem 5, or of those of a round, as the paper allows; gamma is
        ``2 log2 lambda`` of Theorem 3.
        """
        weights = [job.weight for job in jobs]
        gamma = 2.0 * self.log_lambda / math.log(2.0)
        if gamma <= 1.0 or not weights:
            return 1  # Alg. 3 is exact
        total, least = math.fsum(weights), min(weights)
        ratio = total / least
        spread = math.log(ratio) if ratio < math.inf else math.log(total) - math.log(least)
        return math.floor(spread / -math.log1p(-1.0 / gamma)) + 1


def compacted(columns: Iterable[Column], cluster: Cluster, first: int) -> list[Column]:
    """Move schedules to their earliest starts on their servers, in the order of planned starts.

    None is later than planned: whatever goes before a schedule was planned to start no later,
    and holds, from the planned start on, no more than planned. The cluster is empty from ``first``
    on; the columns, together within the capacities, are returned in the same order.
    """
    moved = list(columns)
    free = np.empty((0, *cluster.servers.shape))
    for place in sorted(range(len(moved)), key=lambda place: moved[place].start):
        column = moved[place]
        servers, amounts = column.servers, column.amounts(cluster)
        fits = (amounts <= free[:, servers]).all(axis=(1, 2))
        blocked = np.flatnonzero(~fits)
        # Slots between those in which it does not fit; after the last used slot all is free.
        gaps = np.diff(blocked, prepend=-1, append=len(free) + column.duration) - 1
        at = int((gaps >= column.duration).argmax())
        start = int(blocked[at - 1]) + 1 if at else 0
        moved[place] = replace(column, start=first + start)
        missing = start + column.duration - len(free)
        if missing > 0:
            more = np.repeat(usable(cluster.servers)[None], missing, axis=0)
            free = np.concatenate([free, more])
        free[start : start + column.duration, servers] -= amounts
    return moved


def greedy_max_weight(jobs: Sequence[Job], cluster: Cluster, slots: int) -> list[Column]:
    """Admit jobs by falling weight per demand, each as early as it still fits (Fig. 8).

    The paper compares A_maxweight with it. Of Jain et al. it says no more than "a greedy strategy
    to schedule jobs with deadlines in the offline scenario"; we take its [44] to be Jain, Menache,
    Naor, Yaniv: "Near-Optimal Scheduling Mechanisms for Deadline-Sensitive Jobs in Large Computing
    Clusters" (SPAA 2012), where jobs are gone through by falling value per unit of demand, and each
    that can still meet its deadline is admitted. Ours: demand is the dominant share of all capacity
    times slots, the least of all modes; a job takes the schedule that completes earliest in what is
    free. The cluster is empty at first; ``slots`` is the deadline of all jobs, (7b). Returned in
    the order of admission.
    """
    free = np.repeat(cluster.servers[None], slots, axis=0)
    prices = np.zeros_like(free)
    found = []
    for job in sorted(jobs, key=lambda job: -_density(job, cluster)):
        worth = np.full(slots + 1, job.weight)
        column = best_schedule(job, cluster, prices, free, worth, first=0)
        if column is not None:
            free[column.start : column.completion, column.servers] -= column.amounts(cluster)
            found.append(column)
    return found


def _density(job: Job, cluster: Cluster) -> float:
    modes = modes_of(job, cluster)
    share = dominant_share(amounts_of(modes, cluster), cluster.servers.sum(axis=0))
    return job.weight / float((modes[:, DURATION] * share).min())


class _Prices:
    """The price function (11), ``lambda^(beta / C) - 1``, which starts at 0."""

    def __init__(self, cluster: Cluster, slots: int, log_of_lambda: float) -> None:
        self.free = np.repeat(cluster.servers[None], slots, axis=0)
        self.prices = np.zeros_like(self.free)
        self._cluster, self._log = cluster, log_of_lambda

    def take(self, job: Job, column: Column) -> Mapping[str, Any]:
        """Take a column's resources and raise the prices of its window (lines 13, 14)."""
        window, servers = slice(column.start, column.completion), column.servers
        capacity = self._cluster.servers[servers]
        self.free[window, servers] -= column.amounts(self._cluster)
        used = capacity - self.free[window, servers]
        share = np.divide(used, capacity, out=np.zeros_like(used), where=capacity > 0.0)
        self.prices[window, servers] = np.expm1(self._log * share).clip(0.0)
        return {}
