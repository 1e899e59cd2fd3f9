"""The chunk model as a mixed-integer program, in arrays.

Variables of job j with arrival r: ``zeta_j``; ``k[j,w]`` chunks on edge worker w; ``y[j,w,t]``;
``d[j,c]``, whether j is complete c slots after its arrival; where they matter, ``a[j,t]``,
whether j needs an edge parameter server, and ``h[j,s,c]``, chunks that j stores on server s in
slot r + c. With ``e`` and ``L``, the least and largest JCT that can occur in an optimum,

    minimise sum_j [e_j + sum_{e <= c < L} (1 - d[j,c])]
    sum_w k[j,w] + D zeta_j = D,   sum_t y[j,w,t] = p k[j,w],   sum_j y[j,w,t] <= 1      (2b-d)
    d[j,c] <= d[j,c+1],   sum_w y[j,w,r+c] <= D (1 - d[j,c])                           (2j)
    sum_{t < r+c} sum_w y[j,w,t] >= p D (d[j,c] - zeta_j)                    (follows; tighter)
    d[j,c] + zeta_j <= 1 for c < Delta_c + p_c
    y[j,w,t] <= a[j,t],   sum_j a[j,t] <= parameter servers of the type                (2e, 2f)
    h[j,s,c] >= sum_w k[j,w] - D d[j,c],   sum_j u_j h[j,s,t-r] <= U_s                   (7b, 7c)

A job is on the edge or all in the cloud. A job that has some chunks in the cloud completes at
Delta_c + p at the earliest, and Delta_c + p_c is no more: all in the cloud it is done no later,
and leaves workers, storage and parameter servers to others. With a cloud, jobs have parameter
servers there, so (2e) and (2f) hold. Workers that look the same to every job (one server and
type; without limits on storage also one type and equal delays) are ordered by their load.

``L`` comes from a known total U and prices with bound b, to which j contributes at least q: in a
schedule no worse than U, JCT_j <= U - (b - q).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import sparse

from models.jct.cluster import Job
from models.jct.instance import JctInstance
from solvers.highs import LinearProgram
from solvers.highs.program import SMALLEST_COEFFICIENT
from solvers.jct.assembling import Runs
from solvers.jct.pool import Pool, tolerant_storage

__all__ = ["ChunkProgram"]

_NOTHING = 1e-12  # of a capacity: all chunks of a job together are not counted


class _Rows:
    """Rows of a program under construction."""

    def __init__(self) -> None:
        self.columns: list[int] = []
        self.values: list[float] = []
        self.starts = [0]
        self.lower: list[float] = []
        self.upper: list[float] = []

    def add(
        self, terms: Sequence[tuple[int, float]], lower: float = -np.inf, upper: float = np.inf
    ) -> None:
        self.columns += [column for column, _ in terms]
        self.values += [value for _, value in terms]
        self.starts.append(len(self.columns))
        self.lower.append(lower)
        self.upper.append(upper)


@dataclass(frozen=True)
class _Window:
    """Least and largest JCT of a job on the edge, and whether it may be all in the cloud."""

    first: int
    last: int
    edge: bool
    cloud: bool


class ChunkProgram:
    """The program of an instance.

    Parameters
    ----------
    instance : JctInstance
    pool : Pool
        Of the instance.
    latest : sequence of int
        ``L``, for each job.
    """

    def __init__(self, instance: JctInstance, pool: Pool, latest: Sequence[int]) -> None:
        self._instance, self._pool = instance, pool
        self._rows = _Rows()
        self._cost: list[float] = []
        self._lower: list[float] = []
        self._upper: list[float] = []
        self._offset = 0.0
        self._windows = [self._window(j, int(end)) for j, end in enumerate(latest)]
        self._zeta: dict[int, int] = {}
        self._k: dict[tuple[int, int], int] = {}
        self._y: dict[tuple[int, int, int], int] = {}
        self._d: dict[tuple[int, int], int] = {}
        for job in instance.jobs:
            self._add_job(job)
        self._add_workers()
        self._add_ps()
        self._add_storage()
        self._integer = len(self._cost) - self._continuous

    def _window(self, j: int, latest: int) -> _Window:
        job = self._pool.jobs[j]
        latest = min(latest, self._pool.slots - job.release)
        first = job.alone() if job.has_edge else latest + 1
        cloud = job.cloud_jct is not None and job.cloud_jct <= latest
        edge = first <= latest
        if cloud and job.cloud_jct is not None:
            first = min(first, job.cloud_jct)
        return _Window(first, latest, edge, cloud)

    def _column(self, *, cost: float = 0.0, lower: float = 0.0, upper: float = 1.0) -> int:
        self._cost.append(cost)
        self._lower.append(lower)
        self._upper.append(upper)
        return len(self._cost) - 1

    def _add_job(self, job: Job) -> None:
        cluster, rows, j = self._instance.cluster, self._rows, job.index
        window, p, chunks = self._windows[j], job.chunk_slots, job.chunks
        zeta = self._zeta[j] = self._column(
            lower=0.0 if window.edge else 1.0, upper=1.0 if window.cloud else 0.0
        )
        placed = [(zeta, float(chunks))]
        by_distance: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for w in job.eligible(cluster).tolist() if window.edge else []:
            delay = int(job.upload_slots[cluster.worker_server[w]])
            most = min(chunks, (window.last - delay) // p)
            if most < 1:
                continue
            k = self._k[j, w] = self._column(upper=float(most))
            placed.append((k, 1.0))
            trained = [(k, -float(p))]
            for c in range(delay, window.last):
                y = self._y[j, w, job.arrival + c] = self._column()
                trained.append((y, 1.0))
                by_distance[c].append((y, 1.0))
            rows.add(trained, 0.0, 0.0)
        rows.add(placed, float(chunks), float(chunks))
        self._offset += window.first
        before = [term for c in range(window.first) for term in by_distance[c]]
        for c in range(window.first, window.last):
            self._offset += 1.0
            d = self._d[j, c] = self._column(cost=-1.0)
            if c > window.first:
                rows.add([(self._d[j, c - 1], 1.0), (d, -1.0)], upper=0.0)
            if by_distance[c]:
                rate = float(min(chunks, len(by_distance[c])))
                rows.add([*by_distance[c], (d, rate)], upper=rate)
            work = float(p * chunks)
            rows.add([*before, (d, -work), (zeta, work)], lower=0.0)
            before += by_distance[c]
        whole = self._pool.jobs[j].cloud_jct
        if window.cloud and whole is not None and (j, whole - 1) in self._d:
            rows.add([(self._d[j, whole - 1], 1.0), (zeta, 1.0)], upper=1.0)

    def _add_workers(self) -> None:
        """(2d), and the order of workers that look the same."""
        cluster, jobs = self._instance.cluster, self._instance.jobs
        together: dict[tuple[int, int], list[tuple[int, float]]] = defaultdict(list)
        for (_, w, t), y in self._y.items():
            together[w, t].append((y, 1.0))
        for terms in together.values():
            if len(terms) > 1:
                self._rows.add(terms, upper=1.0)
        self.alike: dict[object, list[int]] = defaultdict(list)
        for w in range(len(cluster.worker_type)):
            server, kind = int(cluster.worker_server[w]), int(cluster.worker_type[w])
            delays = tuple(int(job.upload_slots[server]) for job in jobs if job.worker_type == kind)
            self.alike[kind, server if cluster.has_storage_limits else delays].append(w)
        for group in self.alike.values():
            for w, v in pairwise(group):
                terms = [
                    (self._k[job.index, u], sign * job.chunk_slots)
                    for u, sign in ((w, 1.0), (v, -1.0))
                    for job in jobs
                    if (job.index, u) in self._k
                ]
                if terms:
                    self._rows.add(terms, lower=0.0)

    def _add_ps(self) -> None:
        """(2e) and (2f) where parameter servers are at the edge alone, and may be too few."""
        cluster, jobs = self._instance.cluster, self._instance.jobs
        self._continuous = 0
        self._a: dict[tuple[int, int], int] = {}
        if cluster.cloud:
            return
        running: dict[tuple[int, int], list[int]] = defaultdict(list)
        for (j, _, t), y in self._y.items():
            running[j, t].append(y)
        needing: dict[tuple[int, int], list[int]] = defaultdict(list)
        for j, t in running:
            needing[jobs[j].ps_type, t].append(j)
        for (kind, t), group in needing.items():
            count = int((cluster.ps_type == kind).sum())
            if len(group) <= count:
                continue
            for j in group:
                a = self._a[j, t] = self._column()
                self._continuous += 1
                for y in running[j, t]:
                    self._rows.add([(y, 1.0), (a, -1.0)], upper=0.0)
            self._rows.add([(self._a[j, t], 1.0) for j in group], upper=float(count))

    def _add_storage(self) -> None:
        """(7b) on servers that may be too small, storage being held as (7c) says."""
        cluster, jobs = self._instance.cluster, self._instance.jobs
        limits = tolerant_storage(cluster)
        self._h: dict[tuple[int, int, int], int] = {}
        for s in np.flatnonzero(np.isfinite(limits)).tolist():
            here = range(int(cluster.first_worker[s]), int(cluster.first_worker[s + 1]))
            stored: dict[int, list[tuple[int, float]]] = defaultdict(list)
            for job in jobs:
                chunks = [(self._k[job.index, w], 1.0) for w in here if (job.index, w) in self._k]
                # In units of the capacity, so that HiGHS's absolute tolerance means the same.
                share = job.chunk_gb / max(float(limits[s]), 1e-300)
                if not chunks or share * job.chunks < _NOTHING:
                    continue
                for c in range(self._windows[job.index].last):
                    held = chunks
                    if (job.index, c) in self._d:
                        h = self._column(upper=float(job.chunks))
                        self._h[job.index, s, c] = h
                        self._continuous += 1
                        d = self._d[job.index, c]
                        released = [(k, -one) for k, one in chunks]
                        self._rows.add([*released, (d, float(job.chunks)), (h, 1.0)], lower=0.0)
                        held = [(h, 1.0)]
                    stored[job.arrival + c] += [(column, share) for column, _ in held]
            for terms in stored.values():
                unit = max(1.0, 2.0 * SMALLEST_COEFFICIENT / min(share for _, share in terms))
                self._rows.add([(column, unit * share) for column, share in terms], upper=unit)

    def program(self) -> LinearProgram:
        """The program for HiGHS."""
        rows, n = self._rows, len(self._cost)
        matrix = sparse.csr_array(
            (rows.values, rows.columns, rows.starts), shape=(len(rows.lower), n)
        )
        return LinearProgram(
            sense="min",
            cost=np.array(self._cost),
            matrix=matrix,
            row_lower=np.array(rows.lower),
            row_upper=np.array(rows.upper),
            lower=np.array(self._lower),
            upper=np.array(self._upper),
            integer=np.arange(n) < self._integer,
            offset=self._offset,
        )

    def runs(self, x: np.ndarray) -> list[Runs]:
        """Slots in which workers run jobs at a point."""
        found: list[dict[int, list[int]]] = [{} for _ in self._windows]
        for (j, w, t), y in self._y.items():
            if x[y] > 0.5:
                found[j].setdefault(w, []).append(t)
        return [{w: np.array(ts, dtype=np.int64) for w, ts in run.items()} for run in found]

    def point(self, runs: Sequence[Runs]) -> np.ndarray:
        """Point of a schedule, its workers renamed as their order asks."""
        jobs = self._instance.jobs
        load: dict[int, int] = defaultdict(int)
        for run in runs:
            for w, slots in run.items():
                load[w] += len(slots)
        name: dict[int, int] = {}
        for group in self.alike.values():
            name |= dict(zip(sorted(group, key=lambda w: -load[w]), group, strict=True))
        x = np.zeros(len(self._cost))
        for job, run in zip(jobs, runs, strict=True):
            j, done = job.index, self._pool.jobs[job.index].cloud_jct or 0
            if run:
                done = 1 + max(int(slots[-1]) for slots in run.values()) - job.arrival
            x[self._zeta[j]] = float(not run)
            for w, slots in run.items():
                x[self._k[j, name[w]]] = len(slots) // job.chunk_slots
                for t in slots.tolist():
                    x[self._y[j, name[w], t]] = 1.0
                    if (j, t) in self._a:
                        x[self._a[j, t]] = 1.0
            for c in range(self._windows[j].first, self._windows[j].last):
                x[self._d[j, c]] = float(c >= done)
        for (j, s, c), h in self._h.items():
            held = sum(
                x[k]
                for (i, w), k in self._k.items()
                if i == j and self._instance.cluster.worker_server[w] == s
            )
            x[h] = held * (1.0 - x[self._d[j, c]])
        return x
