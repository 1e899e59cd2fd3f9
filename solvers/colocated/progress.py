"""Progress in units: work counted in whole numbers, for the dynamic programme over slots, (21).

A unit is one k-th of an external worker-slot, so a worker that communicates over the network gives
exactly k of them. One on the machine of all the others gives ``k v``, where v is the speed-up of
Fact 1; that is rounded down, since a schedule must do what it promises. Bounds count no units
(:mod:`solvers.colocated.pool_bound`).
"""

from __future__ import annotations

import math

import numpy as np

from models.colocated.cluster import ROUND_OFF, Job

__all__ = ["UNITS", "progress", "units_needed"]

UNITS = 10.0
"""Units in one external worker-slot, by default."""

_HAIR = 0.4 * ROUND_OFF  # for round-off of work and of speed-up; twice that is still forgiven


def units_needed(job: Job, units: float) -> int:
    """Units that complete a job, at least 1."""
    return max(1, math.ceil(units * job.work * (1.0 - _HAIR)))


def progress(job: Job, workers: np.ndarray, internal: bool, units: float) -> np.ndarray:
    """Units that numbers of workers do in a slot, rounded down, int64.

    Parameters
    ----------
    job : Job
    workers : ndarray of int
    internal : bool
        Whether all workers and parameter servers are on one machine.
    units : float
        k; if it is no whole number, external progress is rounded as well.
    """
    exact = units * workers * (job.speedup if internal else 1.0)
    return np.floor(exact * (1.0 + _HAIR)).astype(np.int64)
