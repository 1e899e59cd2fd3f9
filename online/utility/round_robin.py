"""Round-robin placement on separate servers."""

from __future__ import annotations

import numpy as np
from numba import njit

from models.utility.instance import Job
from online.placements import Free, Placement, rows_of

__all__ = ["RoundRobin"]


class RoundRobin:
    """Places one worker (parameter server) after the other on the next server with room.

    The turn moves on from job to job, separately for workers and parameter servers, so that
    successive jobs start on different servers.
    """

    def __init__(self) -> None:
        self._next_worker = 0
        self._next_ps = 0

    def place(self, job: Job, workers: int, free: Free) -> Placement | None:
        """Find places for so many workers and the parameter servers that (6) asks for.

        Nothing is taken; that is up to the caller. The turn moves only if everything fits.

        Returns
        -------
        Placement or None
            None if it does not fit.
        """
        y, after_y = _spread(free.workers, job.worker, workers, self._next_worker)
        if after_y < 0:
            return None
        z, after_z = _spread(free.ps, job.ps, job.ps_needed(workers), self._next_ps)
        if after_z < 0:
            return None
        self._next_worker, self._next_ps = after_y, after_z
        return Placement(rows_of(y), rows_of(z))


@njit(cache=True)
def _spread(free, demand, count, first):  # type: ignore[no-untyped-def]
    """Spread ``count`` copies one by one over the servers with room, from ``first`` on.

    Returns
    -------
    counts : ndarray of int64, shape (S,)
    after : int
        Server whose turn is next; -1 if the copies do not fit.
    """
    servers, resources = free.shape
    room = np.zeros(servers, dtype=np.int64)
    total = 0
    for s in range(servers):
        fit = float(count)
        for r in range(resources):
            if demand[r] > 0.0:
                fit = min(fit, np.floor(free[s, r] / demand[r]))
        room[s] = max(0, int(fit))
        total += room[s]
    counts = np.zeros(servers, dtype=np.int64)
    if total < count:
        return counts, -1
    s = first
    left = count
    while left > 0:
        if counts[s] < room[s]:
            counts[s] += 1
            left -= 1
        s = (s + 1) % servers
    return counts, s
