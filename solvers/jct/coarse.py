"""The pool in longer slots: where slots are short and many, its prices are nearly as good."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solvers.jct.pool import Pool, PoolJob

__all__ = ["coarsened", "grain", "spread"]

_COLUMNS = 5_000  # with so many the linear program takes less than a second,
_PRICES = 30_000  # and so does adding so many rows, types x slots, idle ones too


def grain(pool: Pool) -> int:
    """How many slots to take as one, so that the linear program stays small; 1 where it is."""
    busy = np.zeros(len(pool.workers))  # slots that all jobs keep the workers of a type busy
    edge = [job for job in pool.jobs if job.has_edge]
    for job in edge:
        busy[job.kind] += job.work / pool.workers[job.kind]
    columns, end = 0.0, 0.0
    for job in edge:
        span = max(2.0 * job.alone(), busy[job.kind])
        columns += span if job.cloud_jct is None else min(span, job.cloud_jct)
        end = max(end, job.release + span)
    return max(1, round(columns / _COLUMNS), round(len(pool.workers) * end / _PRICES))


def coarsened(pool: Pool, grain: int) -> Pool:
    """The pool in slots of ``grain`` slots, times rounded.

    It is neither a relaxation nor a restriction: only its prices are of use, for any prices prove a
    bound of the pool itself (:mod:`solvers.jct.price_bound`).
    """

    def of(job: PoolJob) -> PoolJob:
        release = job.release // grain
        delay, jct = job.cloud_delay, job.cloud_jct
        return replace(
            job,
            release=release,
            duration=max(1, round(job.duration / grain)),
            delays=(job.release + job.delays) // grain - release,
            cloud_delay=None if delay is None else (job.release + delay) // grain - release,
            cloud_jct=None if jct is None else max(1, round(jct / grain)),
        )

    return Pool(-(-pool.slots // grain) + 1, pool.workers, tuple(of(job) for job in pool.jobs))


def spread(prices: np.ndarray, grain: int, slots: int) -> np.ndarray:
    """Prices of coarse slots as prices of slots, shape (types, H): of a worker-slot, the same.

    A coarse slot of JCT is ``grain`` slots, and so are the worker-slots that are paid for it.
    """
    return np.repeat(prices, grain, axis=1)[:, :slots]
