"""The second half of a decision of Dorm: from numbers per group of servers to servers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from online.dorm_model import DormJob
from online.placements import NOWHERE, Free, Placement, rows_of
from online.pools import Pools
from online.server_groups import ServerGroups

__all__ = ["GroupPlaces"]


class GroupPlaces:
    """Finds servers for the jobs whose numbers the programme changes.

    Parameters
    ----------
    pools : Pools
    workers, ps : ServerGroups
        Of the pools.
    fairness : float
        Largest sum of fairness losses, as in the programme.
    """

    def __init__(
        self, pools: Pools, workers: ServerGroups, ps: ServerGroups, *, fairness: float
    ) -> None:
        self._pools = pools
        self._workers = workers
        self._ps = ps
        self._fairness = fairness

    def place(
        self,
        jobs: Sequence[DormJob],
        x: np.ndarray,
        z: np.ndarray,
        before: Mapping[int, Placement],
    ) -> tuple[dict[int, Placement], int]:
        """Put numbers by group on servers.

        Jobs whose numbers do not change stay where they are. The others follow, largest
        share of one worker first, each placed by :meth:`ServerGroups.pack`. The room of a group
        is split among its servers, so some workers may find no place. If on the other hand room
        is left, it goes to the same jobs, largest gain first, up to their limits and as far as
        the sum of fairness losses allows.

        Parameters
        ----------
        jobs : sequence of DormJob
        x, z : ndarray of int64, shapes (J, G) and (J, G')
            Workers and parameter servers by group, from the programme.
        before : Mapping[int, Placement]
            Placement of the running jobs, by ``job.index``.

        Returns
        -------
        placed : dict
            Placement of every job that runs, by ``job.index``.
        unplaced : int
            Workers of the programme's solution that found no place in the first round.
        """
        free = Free(self._pools)
        placed: dict[int, Placement] = {}
        changed = []
        for i, job in enumerate(jobs):
            if not np.array_equal(job.x, x[i]):
                changed.append(i)
            elif job.runs:
                placed[job.job.index] = before[job.job.index]
                free.take(job.job, before[job.job.index])
        unplaced = 0
        for i in sorted(changed, key=lambda i: -jobs[i].share):
            wanted = int(x[i].sum())
            placement = self._pack(jobs[i], wanted, x[i], z[i], free)
            placed[jobs[i].job.index] = placement
            unplaced += wanted - placement.size
        self._fill_up(jobs, [jobs[i] for i in changed], placed, free)
        return {index: p for index, p in placed.items() if p.size > 0}, unplaced

    def _fill_up(
        self,
        jobs: Sequence[DormJob],
        changed: Sequence[DormJob],
        placed: dict[int, Placement],
        free: Free,
    ) -> None:
        """Give the room that is left to the jobs whose numbers change."""
        loss = sum(j.loss(placed.get(j.job.index, NOWHERE).size) for j in jobs)
        for j in sorted(changed, key=lambda j: -j.gain):
            now = placed[j.job.index]
            others = loss - j.loss(now.size)
            most = j.limit
            if j.share > 0.0:
                # n - fair <= room for unfairness / share, with a hair for round-off
                room = (self._fairness - others) / j.share * (1.0 + 1e-9)
                most = min(most, j.fair + int(min(room, most)))
            if most <= now.size:
                continue
            free.give(j.job, now)
            more = self._pack(
                j, most, self._workers.counts(now.workers), self._ps.counts(now.ps), free
            )
            if more.size < now.size:  # it depends on the order in which servers are filled
                free.give(j.job, more)
                free.take(j.job, now)
                more = now
            placed[j.job.index] = more
            loss = others + j.loss(more.size)

    def _pack(
        self, job: DormJob, count: int, x: np.ndarray, z: np.ndarray, free: Free
    ) -> Placement:
        """Place and take as many workers as find room together with their parameter servers."""
        best, left = NOWHERE, free
        low, high, number = 0, count + 1, count
        while low + 1 < high:  # low workers fit, high do not
            tried = free.copy()
            placement = self._pack_all(job, number, x, z, tried)
            if placement is None:
                high = number
            else:
                best, left, low = placement, tried, number
            number = (low + high) // 2
        free.workers, free.ps = left.workers, left.ps
        return best

    def _pack_all(
        self, job: DormJob, count: int, x: np.ndarray, z: np.ndarray, free: Free
    ) -> Placement | None:
        """Place and take so many workers and their parameter servers; None: not all find room."""
        needed = job.job.ps_needed(count)
        ps = self._ps.pack(free.ps, job.job.ps, needed, z)
        workers = self._workers.pack(free.workers, job.job.worker, count, x)
        if ps.sum() < needed or workers.sum() < count:
            return None
        return Placement(rows_of(workers), rows_of(ps))
