"""Dorm's mixed-integer programme: utilisation under limits on unfairness and adjustment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from models.tolerance import row_units
from online.server_groups import ServerGroups
from solvers.highs import LinearProgram

__all__ = ["DormJob", "DormModel"]

_NEVER = 1e13  # units that no server has; HiGHS takes no coefficient of 1e15


@dataclass(frozen=True, eq=False)
class DormJob:
    """What the programme has to know of one unfinished job.

    Parameters
    ----------
    job : Job
    limit : int
        Most workers it may get.
    ratio : float
        ``q_i``, parameter servers for each worker, before rounding up.
    share : float
        ``sigma_i``, dominant share of one worker and ``q_i`` parameter servers.
    gain : float
        Utilisation of one worker and ``q_i`` parameter servers, averaged over the resources of
        the pools.
    fair : int
        Workers under DRF.
    x, z : ndarray of int64, shapes (G,) and (G',)
        Workers and parameter servers it has now, by group.
    """

    job: Any
    limit: int
    ratio: float
    share: float
    gain: float
    fair: int
    x: np.ndarray
    z: np.ndarray

    @property
    def runs(self) -> bool:
        """Whether it has workers now."""
        return bool(self.x.any())

    def loss(self, workers: int) -> float:
        """Fairness loss with so many workers: ``|s_i - s*_i|``."""
        return self.share * abs(workers - self.fair)


class DormModel:
    r"""The programme of one event, in arrays.

    Variables: ``x[i, g]`` workers and ``z[i, k]`` parameter servers that job i is given anew on
    the groups of servers (integer); ``l[i]``, its fairness loss; for a running job ``a[i]``,
    whether it is adjusted (binary): if not, it keeps the ``x'[i, g]`` and ``z'[i, k]`` it has.
    With ``X[i, g] = x[i, g] + (1 - a[i]) x'[i, g]``, ``Z[i, k]`` likewise, and
    ``n[i] = sum_g X[i, g]``::

        max   sum_i gain_i n[i]
        s.t.  sum_i w_i^r X[i, g] <= C_g^r            every group g, resource r     (capacity)
              sum_i s_i^r Z[i, k] <= C_k^r            every group k, resource r     (capacity)
              q_i sum_g x[i, g] <= sum_k z[i, k]      every job i
              sum_g x[i, g] <= limit_i a[i]           every job i (a = 1: not running)
              sum_k z[i, k] <= m_i a[i]               running i, m_i = ceil(q_i limit_i)
              l[i] >= share_i |n[i] - fair_i|         every job i
              sum_i l[i] <= fairness                                                (fairness)
              sum_i a[i] <= adjustments               running i                     (adjustment)

    If workers and parameter servers share the servers, ``sum_i w_i^r X[i, g] + s_i^r Z[i, g]``
    stands on the left of one row of capacity.

    Parameters
    ----------
    jobs : sequence of DormJob
    workers, ps : ServerGroups
        The same if workers and parameter servers share the servers.
    fairness : float
        Largest sum of fairness losses.
    adjustments : int
        Most running jobs that may be adjusted.
    """

    def __init__(
        self,
        jobs: Sequence[DormJob],
        workers: ServerGroups,
        ps: ServerGroups,
        *,
        fairness: float,
        adjustments: int,
    ) -> None:
        self.jobs = jobs
        self._fairness = fairness
        groups, ps_groups, count = len(workers.total), len(ps.total), len(jobs)
        self._x = np.arange(count * groups).reshape(count, groups)
        self._z = self._x.size + np.arange(count * ps_groups).reshape(count, ps_groups)
        self._l = self._x.size + self._z.size + np.arange(count)
        self._a = self._l[-1] + 1 + np.arange(count)
        self._rows: list[tuple[np.ndarray, np.ndarray, float, float]] = []
        upper = np.full(self._a[-1] + 1, np.inf)
        cost = np.zeros(upper.size)
        for i, job in enumerate(jobs):
            upper[self._x[i]] = workers.room(job.job.worker)
            upper[self._z[i]] = ps.room(job.job.ps)
            upper[self._a[i]] = float(job.runs)
            cost[self._x[i]] = job.gain
            cost[self._a[i]] = -job.gain * job.x.sum()
            self._one_job(i, job)
        x = _Part(self._x, [job.job.worker for job in jobs], [job.x for job in jobs])
        z = _Part(self._z, [job.job.ps for job in jobs], [job.z for job in jobs])
        if workers is ps:
            self._capacities(workers, x, z)
        else:
            self._capacities(workers, x)
            self._capacities(ps, z)
        self._add(self._l, np.ones(count), -np.inf, fairness)
        self._add(self._a, np.ones(count), -np.inf, float(adjustments))
        integer = np.ones(upper.size, dtype=bool)
        integer[self._l] = False
        self.program = LinearProgram(
            sense="max",
            cost=cost,
            matrix=self._matrix(upper.size),
            row_lower=np.array([row[2] for row in self._rows]),
            row_upper=np.array([row[3] for row in self._rows]),
            upper=upper,
            integer=integer,
            offset=sum(job.gain * float(job.x.sum()) for job in jobs),
        )

    def standing(self) -> np.ndarray | None:
        """The point that leaves everything as it is; None if that is too unfair."""
        point = np.zeros(self.program.cost.size)
        for i, job in enumerate(self.jobs):
            point[self._l[i]] = job.loss(int(job.x.sum()))
        return point if point[self._l].sum() <= self._fairness else None

    def read(self, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Workers and parameter servers of every job by group, shapes (J, G) and (J, G')."""
        whole = np.rint(point).astype(np.int64)
        x, z = whole[self._x], whole[self._z]
        for i, job in enumerate(self.jobs):
            if job.runs and whole[self._a[i]] == 0:
                x[i], z[i] = job.x, job.z
        return x, z

    def _one_job(self, i: int, job: DormJob) -> None:
        x, z, loss, a = self._x[i], self._z[i], self._l[i : i + 1], self._a[i : i + 1]
        ratio = job.ratio * (1.0 - 1e-12)
        self._add(_join(x, z), _join(np.full(len(x), -ratio), np.ones(len(z))), 0.0, np.inf)
        if job.runs:
            for columns, most in ((x, job.limit), (z, job.job.ps_needed(job.limit))):
                self._add(_join(columns, a), _join(np.ones(len(columns)), [-most]), -np.inf, 0.0)
        else:
            self._add(x, np.ones(len(x)), -np.inf, float(job.limit))
        now = float(job.x.sum())
        for sign in (1.0, -1.0):  # l >= sign * share * (n - fair)
            slope = sign * job.share
            self._add(
                _join(loss, x, a),
                _join([1.0], np.full(len(x), -slope), [slope * now]),
                slope * (now - job.fair),
                np.inf,
            )

    def _capacities(self, groups: ServerGroups, *parts: _Part) -> None:
        """What every job has of one pool, new and at present, gives the rows of capacity."""
        units = row_units(groups.total)
        demanded = np.any([part.demand.any(axis=0) for part in parts], axis=0)
        for g, total in enumerate(groups.total):
            for r in np.flatnonzero(demanded):
                demands = [part.demand[:, r] / units[g, r] for part in parts]
                amounts = [np.minimum(demand, _NEVER) for demand in demands]
                held = sum(
                    amount * part.now[:, g] for amount, part in zip(amounts, parts, strict=True)
                )
                self._add(
                    _join(*(part.columns[:, g] for part in parts), self._a),
                    _join(*amounts, -held),
                    -np.inf,
                    float(total[r] / units[g, r] - held.sum()),
                )

    def _add(self, columns: np.ndarray, values: np.ndarray, lower: float, upper: float) -> None:
        self._rows.append((columns, values, lower, upper))

    def _matrix(self, size: int) -> sparse.csr_array:
        lengths = [len(row[0]) for row in self._rows]
        values = np.concatenate([row[1] for row in self._rows])
        values[np.abs(values) < 1e-9] = 0.0  # HiGHS treats them as 0
        return sparse.csr_array(
            (
                values,
                np.concatenate([row[0] for row in self._rows]),
                np.concatenate([[0], np.cumsum(lengths)]),
            ),
            shape=(len(self._rows), size),
        )


class _Part:
    """The workers, or the parameter servers, of all jobs: columns, demands, present numbers."""

    def __init__(
        self, columns: np.ndarray, demand: Sequence[np.ndarray], now: Sequence[np.ndarray]
    ) -> None:
        self.columns = columns
        self.demand = np.array(demand)
        self.now = np.array(now)


def _join(*parts: np.ndarray | list[float]) -> np.ndarray:
    return np.concatenate([np.asarray(part) for part in parts])
