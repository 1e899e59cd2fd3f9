"""Candidate schedules: jobs in a given order on the pooled resources of the cluster."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["list_completions"]


@njit(cache=True)
def list_completions(use, slots, now):  # type: ignore[no-untyped-def]
    """Completion slots when jobs start in a given order as soon as the pools allow.

    In slot ``now``, and whenever a job has ended, every job that has not started and whose
    use fits in what is free starts, in order. It is an estimate: all servers count as one.

    Parameters
    ----------
    use : ndarray of float, shape (J, P)
        Shares of the P pooled capacities that each job takes, at most 1.
    slots : ndarray of int64, shape (J,)
        How long each job runs, at least 1.
    now : int
        First slot.

    Returns
    -------
    ndarray of int64, shape (J,)
        Last slot of each job.

    Raises
    ------
    ValueError
        If a share is above 1, or none: that job would wait forever.
    """
    jobs, pools = use.shape
    free = np.full(pools, 1.0 + 1e-9)
    for j in range(jobs):
        if not (use[j] <= free).all():
            raise ValueError("a job takes more than the whole cluster")
    end = np.full(jobs, -1, dtype=np.int64)  # first slot after the job
    waiting = jobs
    t = now
    while waiting > 0:
        for j in range(jobs):
            if end[j] < 0 and (use[j] <= free).all():
                free -= use[j]
                end[j] = t + slots[j]
                waiting -= 1
        later = np.int64(2**62)
        for j in range(jobs):
            if end[j] > t:
                later = min(later, end[j])
        t = later
        for j in range(jobs):
            if end[j] == t:
                free += use[j]
    return end - 1
