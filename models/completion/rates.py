"""How fast jobs run, (1) and (14), and how many slots and parameter servers that takes.

Both are rounded up from quotients that carry round-off. So (2f) and (2i) hold up to 1e-9, relative,
for everybody, the scorer included: 20 mini-batches of 0.65 slots are 13 slots, not 14.
"""

from __future__ import annotations

from typing import TypeVar, cast

import numpy as np

from models.completion.cluster import Job

__all__ = ["ROUND_OFF", "least_duration", "least_ps", "minibatch_time"]

ROUND_OFF = 1e-9

Index = int | np.ndarray
Count = TypeVar("Count", int, np.ndarray)


def minibatch_time(
    job: Job, worker_type: Index, ps_type: Index, workers: Index, internal: bool | np.ndarray
) -> np.ndarray:
    """Slots that one worker takes for one mini-batch, ``1 / rho`` of (1) or (14), broadcast.

    Parameters
    ----------
    job : Job
    worker_type, ps_type : int or ndarray of int
        m and p; p is ``NO_TYPE`` with all-reduce, (14).
    workers : int or ndarray of int
        N: only with all-reduce does the rate depend on it.
    internal : bool or ndarray of bool
        ``q_j``: all that the job runs is on one server, so that nothing is transferred.
    """
    # With all-reduce, `update_slots` has one number, which is also at index NO_TYPE = -1.
    share = np.where(np.less(ps_type, 0), np.subtract(workers, 1) / workers, 1.0)
    transfer = np.where(internal, 0.0, job.transfer_slots[worker_type])
    return job.minibatch_slots[worker_type] + share * (job.update_slots[ps_type] + transfer)


def least_duration(
    job: Job, worker_type: Index, ps_type: Index, workers: Count, internal: bool | np.ndarray
) -> Count:
    """Fewest slots in which so many workers complete the job: ``ceil(E D K / (N rho))``, (2f).

    The parameters are those of :func:`minibatch_time`; at least 1, an int for integers and int64
    for arrays. With all-reduce, more workers may take longer.
    """
    time = minibatch_time(job, worker_type, ps_type, workers, internal)
    return cast(Count, _rounded_up(job.work * time / workers))


def least_ps(outside: Count, b: float, big_b: float) -> Count:
    """Fewest parameter servers on one server, of B Gbps each, for the workers elsewhere, of b Gbps.

    ``ceil(n b / B)`` by (2i), but at least one by (2e); an int for an integer n, else int64.
    """
    with np.errstate(over="ignore"):  # too many for any server
        return cast(Count, _rounded_up(np.multiply(outside, b) / big_b))


def _rounded_up(real: np.ndarray) -> int | np.ndarray:
    whole = np.clip(np.ceil(np.multiply(real, 1.0 - ROUND_OFF)), 1.0, 1e18).astype(np.int64)
    return whole if whole.ndim else int(whole)
