"""Progress in units: work counted in whole numbers, for the dynamic programme over slots, (21).

A unit is one k-th of an external worker-slot, so a worker that communicates over the network gives
exactly k of them. One on the machine of all the others gives ``k v``, where v is the speed-up of
Fact 1; that is rounded down where a schedule must do what it promises, and up in bounds.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from models.colocated.cluster import ROUND_OFF, Job

__all__ = ["UNITS", "Rounding", "progress", "units_needed"]

Rounding = Literal["down", "up"]

UNITS = 10.0
"""Units in one external worker-slot, by default."""

_HAIR = 0.4 * ROUND_OFF  # for round-off of work and of speed-up; twice that is still forgiven


def units_needed(job: Job, units: float, rounding: Rounding) -> int:
    """Units that complete a job, at least 1.

    Rounding "up" allows for all that the scorer lets pass in (3), so bounds stay valid.
    """
    work = job.work * (1.0 - _HAIR) if rounding == "down" else job.tolerant_work
    return max(1, math.ceil(units * work))


def progress(
    job: Job, workers: np.ndarray, internal: bool, units: float, rounding: Rounding
) -> np.ndarray:
    """Units that numbers of workers do in a slot, int64.

    Parameters
    ----------
    job : Job
    workers : ndarray of int
    internal : bool
        Whether all workers and parameter servers are on one machine.
    units : float
        k; if it is no whole number, external progress is rounded as well.
    rounding : "down" or "up"
    """
    exact = units * workers * (job.speedup if internal else 1.0)
    if rounding == "down":
        return np.floor(exact * (1.0 + _HAIR)).astype(np.int64)
    return np.ceil(exact * (1.0 - _HAIR)).astype(np.int64)
