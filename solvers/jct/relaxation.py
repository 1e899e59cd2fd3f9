"""The strengthened linear program: what all jobs need, pooled over the workers of a type.

Variables, of job j with release r, D chunks of p slots each on the edge: ``y[j,t]`` worker-slots
on the edge in slot t, ``x_j`` worker-slots in the cloud, ``zeta_j`` the share of the job that is
all in the cloud (delay Delta_c, then p_c slots), ``JCT_j``. With a_t workers of the job's type
whose upload has ended by t, and m workers of the type,

    minimise sum_j JCT_j
    (W) sum_t y[j,t] + x_j = p D (1 - zeta_j)
    (R) y[j,t] <= D (1 - zeta_j), y[j,t] <= a_t
    (P) sum_j y[j,t] <= m
    (A) JCT_j >= [sum_t (t-r) y[j,t] + (Delta_c + (p-1)/2) x_j] / (p D)
                 + (1 - zeta_j) (p+1)/2 + zeta_j (Delta_c + p_c)
    (B) JCT_j >= (1 - zeta_j) (min Delta + p) + zeta_j (Delta_c + p_c)

**It bounds every schedule of the chunk model.** Take one and let zeta_j = 1 where job j and its
parameter server are wholly in the cloud, 0 elsewhere. If zeta_j = 1, then y = x = 0 and both
(A) and (B) say JCT_j >= Delta_c + p_c, which is the constant that the model demands. If
zeta_j = 0, let y count the workers that run the job and x_j be p times its chunks in the cloud.
(W) holds since each of D chunks runs p slots; (R) since a chunk runs on one worker at a time, and
only where its upload has ended; (P) since a worker runs one chunk at a time. For (A), consider a
chunk that completes c slots after the release, that is, whose last slot is r + c - 1. Its p slots
are different and none is later, so their mean distance to r is at most that of the last p ones,

    ((c-1) + (c-2) + ... + (c-p)) / p = c - (p+1)/2.

A chunk in the cloud runs from Delta_c on, at the mean distance Delta_c + (p-1)/2 at least. So the
bracket of (A), divided by p D, is at most the mean of these distances over the chunks, and that at
most mean(c) - (p+1)/2 <= JCT_j - (p+1)/2. (B): no chunk starts before its upload has ended, nor
takes fewer than p slots.  QED

It also bounds schedules that move chunks between edge workers, those of the cloud being trained
there whole, as the scorer asks. Of p D worker-slots, at most D at a time, that end by c, the mean
distance is largest if all run in the last p slots, c - (p+1)/2; and a chunk of the cloud, p slots
of one worker from Delta_c on, has the mean distance Delta_c + (p-1)/2 at least. This gives (A);
(R), (P) and (B) are as above. Storage and edge parameter servers restrict the schedules further.

Source: Lemma 1 of the paper, made stronger by (p+1)/2 for each job, by (R) and by (B).
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from solvers.highs import HighsOptions, LinearProgram, MatrixResult
from solvers.highs import solve as run_highs
from solvers.highs.program import SMALLEST_COEFFICIENT
from solvers.jct.pool import Pool, PoolJob

__all__ = ["Relaxation", "paper_relaxation", "relaxation"]

_NEGATIVE = 1e-7  # reduced costs above minus this count as nonnegative
_FIRST_ROOM = 2  # slots tried first, as a multiple of what a lone job needs
_MOST_PRICES = 10**7  # types x slots up to the last window's end, idle ones too
_MOST_COLUMNS = 10**6  # some hundred bytes each, and HiGHS is not soon done with more


@dataclass(frozen=True)
class Relaxation:
    """Optimum of the linear program.

    Parameters
    ----------
    value : float
        Lower bound on the total JCT, slots.
    prices : ndarray, shape (types, H)
        Fall of the optimum per worker more in a slot; >= 0, and 0 from slot H on.
    edge : ndarray, shape (jobs,)
        1 - zeta: the share of each job that is not all in the cloud.
    mean_busy : ndarray, shape (jobs,)
        Mean distance, slots, of a job's edge work from its release; 0 if it has none.
    seconds : float
    """

    value: float
    prices: np.ndarray
    edge: np.ndarray
    mean_busy: np.ndarray
    seconds: float


def relaxation(pool: Pool, *, time_limit: float | None = None) -> Relaxation | None:
    """Solve the strengthened program; None if it has no solution, or time or memory is short.

    Columns ``y[j,t]`` are made for a window of slots after the release at first. The window of a
    job is widened while a slot beyond it has a negative reduced cost, so the optimum is that of
    all slots.
    """
    return _solve(pool, time_limit, strengthened=True)


def paper_relaxation(pool: Pool, *, time_limit: float | None = None) -> Relaxation | None:
    """Solve the relaxation of the paper's ILP (4), pooled: (W), (P), and (A) without (p+1)/2.

    A job's share in the cloud has the mean distance Delta_c + (p_c-1)/2; a chunk runs on one
    worker at a time (4e). Only for comparison.
    """
    return _solve(pool, time_limit, strengthened=False)


def _solve(pool: Pool, time_limit: float | None, *, strengthened: bool) -> Relaxation | None:
    began = time.monotonic()
    ends = np.array([_first_end(job, pool.slots) for job in pool.jobs], dtype=np.int64)
    starts = np.array([job.first if job.has_edge else job.release for job in pool.jobs])
    kinds = len(pool.workers)
    while kinds * ends.max(initial=0) <= _MOST_PRICES and (ends - starts).sum() <= _MOST_COLUMNS:
        program = _Program(pool, ends, strengthened)
        left = None if time_limit is None else time_limit - (time.monotonic() - began)
        if left is not None and left <= 0:
            return None
        result = run_highs(program.program, HighsOptions(time_limit=left))
        if result.status != "infeasible" and not result.is_optimal:
            return None
        wider = program.wider(result if result.is_optimal else None)
        if (wider == ends).all():
            if not result.is_optimal:
                return None
            return program.relaxation(result, time.monotonic() - began)
        ends = wider
    return None


def _first_end(job: PoolJob, slots: int) -> int:
    """Slot before which the first window of a job ends."""
    if not job.has_edge:
        return job.release
    return min(slots, job.release + _FIRST_ROOM * job.alone())


class _Program:
    """The program for given windows, and what its solution means."""

    def __init__(self, pool: Pool, ends: np.ndarray, strengthened: bool) -> None:
        self.pool, self.ends = pool, ends
        self._shift = 1.0 if strengthened else 0.0
        jobs = pool.jobs
        self._spans = [
            np.arange(job.first if job.has_edge else end, end)
            for job, end in zip(jobs, ends.tolist(), strict=True)
        ]
        sizes = [len(span) for span in self._spans]
        self._start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._job = np.repeat(np.arange(len(jobs)), sizes)
        self._slot = np.concatenate([*self._spans, np.zeros(0)]).astype(np.int64)
        self._end = max(1, int(ends.max(initial=0)))
        self.program = self._build()

    def _build(self) -> LinearProgram:
        jobs, count, n = self.pool.jobs, len(self.pool.jobs), len(self._job)
        release = np.array([job.release for job in jobs], dtype=np.int64)
        work = np.array([job.work for job in jobs], dtype=float)
        chunks = np.array([job.chunks for job in jobs], dtype=float)
        p = np.array([job.duration for job in jobs], dtype=float)
        cloud = np.array([job.cloud_jct is not None for job in jobs], dtype=bool)
        cloud_jct = np.array([job.cloud_jct or 0.0 for job in jobs], dtype=float)
        delay = np.array([job.cloud_delay or 0.0 for job in jobs], dtype=float)
        earliest = np.array([job.earliest for job in jobs], dtype=float)
        kind = np.array([job.kind for job in jobs], dtype=np.int64)
        half = self._shift * (p + 1) / 2
        split_mean = delay + (p - 1) / 2
        whole = cloud_jct
        if not self._shift:
            whole = np.where(cloud, delay + (cloud_jct - delay - 1) / 2, 0.0)
        y, each = np.arange(n), np.arange(count)
        x, zeta, jct = n + each, n + count + each, n + 2 * count + each
        distance = self._slot - release[self._job]
        pool_row = kind[self._job] * self._end + self._slot
        pooled, place = np.unique(pool_row, return_inverse=True)
        self._pooled = pooled
        # Rows: (W), (A), (B), (P), and (R) of the jobs that can be all in the cloud.
        a_row, b_row, p_row = count + each, 2 * count + each, 3 * count + place.reshape(-1)
        rated = np.flatnonzero(cloud[self._job])
        r_row = 3 * count + len(pooled) + np.arange(len(rated))
        rows = [self._job, each, each, self._job + count, a_row, a_row, a_row,
                b_row, b_row, p_row, r_row, r_row]  # fmt: skip
        columns = [y, x, zeta, y, x, zeta, jct, zeta, jct, y, y[rated], zeta[self._job[rated]]]
        values = [np.ones(n), np.ones(count), work, -distance / work[self._job],
                  -split_mean / work, half - whole, np.ones(count),
                  earliest + p - cloud_jct, np.ones(count), np.ones(n),
                  np.ones(len(rated)), chunks[self._job[rated]]]  # fmt: skip
        # (A) without a term that is too small for HiGHS is weaker, and bounds all the same.
        values[3:5] = [np.where(v > -SMALLEST_COEFFICIENT, 0.0, v) for v in values[3:5]]
        height = 3 * count + len(pooled) + len(rated)
        matrix = sparse.coo_array(
            (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
            shape=(height, n + 3 * count),
        )
        second = self._shift * (earliest + p) if self._shift else np.full(count, -np.inf)
        workers = self.pool.workers[pooled // self._end]
        lower = np.concatenate([work, half, second, np.full(height - 3 * count, -np.inf)])
        upper = np.concatenate([work, np.full(2 * count, np.inf), workers,
                                chunks[self._job[rated]]])  # fmt: skip
        rate = np.concatenate(
            [job.rates(span - job.release) for job, span in zip(jobs, self._spans, strict=True)]
            + [np.zeros(0)]
        )
        open_cloud = np.where(cloud, np.inf, 0.0)
        return LinearProgram(
            sense="min",
            cost=np.concatenate([np.zeros(n + 2 * count), np.ones(count)]),
            matrix=matrix,
            row_lower=lower,
            row_upper=upper,
            upper=np.concatenate(
                [rate, open_cloud, np.where(cloud, 1.0, 0.0), np.full(count, np.inf)]
            ),
        )

    def _table(self, result: MatrixResult) -> np.ndarray:
        """Prices of (P), shape (types, slots up to the last window's end)."""
        first = 3 * len(self.pool.jobs)
        flat = np.zeros(len(self.pool.workers) * self._end)
        duals = result.row_duals[first : first + len(self._pooled)]
        flat[self._pooled] = np.maximum(0.0, -duals)
        return flat.reshape(len(self.pool.workers), self._end)

    def wider(self, result: MatrixResult | None) -> np.ndarray:
        """Ends of the windows, doubled in length where a slot beyond would be of use.

        With duals u of (W) and w >= 0 of (A), and the price of its slot, the column of a slot
        that has none has the reduced cost  w (t - r) / (p D) + price - u; a new row (R) gets
        the dual 0. Beyond the last window prices are 0, so one slot there stands for all.
        Without a solution all windows are doubled.
        """
        count, ends = len(self.pool.jobs), self.ends.copy()
        if result is not None:
            free = np.zeros((len(self.pool.workers), 1))
            prices = np.hstack([self._table(result), free])
        for j, job in enumerate(self.pool.jobs):
            if not job.has_edge:
                continue
            beyond = np.arange(ends[j], min(self._end + 1, self.pool.slots))
            useful = beyond.size > 0
            if result is not None and useful:
                u, w = result.row_duals[j], result.row_duals[count + j]
                reduced = w * (beyond - job.release) / job.work + prices[job.kind, beyond] - u
                useful = bool((reduced < -_NEGATIVE).any())
            if useful:
                ends[j] = min(self.pool.slots, 2 * ends[j] - job.release)
        return ends

    def relaxation(self, result: MatrixResult, seconds: float) -> Relaxation:
        """What the solution says."""
        assert result.x is not None and result.bound is not None
        jobs, n = self.pool.jobs, len(self._job)
        count = len(jobs)
        y = np.maximum(0.0, result.x[:n])
        release = np.array([job.release for job in jobs], dtype=np.int64)
        total = np.bincount(self._job, weights=y, minlength=count)
        moment = np.bincount(
            self._job, weights=y * (self._slot - release[self._job]), minlength=count
        )
        mean = np.divide(moment, total, out=np.zeros(count), where=total > 1e-9)
        edge = np.clip(1.0 - result.x[n + count : n + 2 * count], 0.0, 1.0)
        return Relaxation(result.bound, self._table(result), edge, mean, seconds)
