"""The time-indexed programs (2) and (15), and (7) and (16) of one batch, made linear exactly.

Glossary
--------
``j, k, t, h``
    Job, mode (:class:`Mode`), start, server.
``x[j,k,t]``
    1 if job j starts in slot t in mode k: ``x_jt``, ``d_j``, the types, N and q at once.
``home[j,k,t,h]``
    1 if, besides, its parameter servers are on server h; if it runs on one server, all of it.
``y[j,k,t,h]``
    Workers on server h then, if it is spread: ``y_jhm``, 0 unless the job runs so.

With start and mode in their index the placements need no product with x, so that (2h) is linear:
a placement takes its amounts in the slots from t to t + d_k - 1. (2b)-(2g) hold in every mode; (2i)
is ``beside_k`` workers at home at least. (2j) and (7b) leave out starts. Capacities are the
tolerant ones (:mod:`models.tolerance`): all schedules that the scorer accepts are within them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pyomo.environ as pyo

from models.completion.cluster import NO_TYPE, Cluster, Job
from models.completion.instance import CompletionInstance
from models.completion.rates import least_duration, least_ps
from models.completion.schedule import CompletionSchedule
from models.pyomo_components import capacity_rows, rows, sums, variable
from models.tolerance import count_fitting

__all__ = ["Mode", "horizon", "max_weight", "modes", "schedule_from_values", "time_indexed"]

Starts = Callable[[int, int, "Mode"], Iterable[int]]


@dataclass(frozen=True, eq=False)
class Mode:
    """One way k to run a job.

    Parameters
    ----------
    worker_type, ps_type, workers, duration : int
        m, p (``NO_TYPE`` with all-reduce), N and the least d for them.
    internal : bool
        q: all on one server, its *home*. If not, the home is the one server that has the PSs. One
        is enough: those of others may be left out, since (2i) at one server knows no PSs of
        another, and the rate does not depend on them.
    ps : int
        Parameter servers at home.
    beside : int
        Fewest workers that have to be at home for so many PSs, (2i).
    homes : tuple of int
        Servers that have room for the PSs and these workers; none if a mode has no home.
    room : tuple of int
        Most workers on each server if they are spread, at most N; or N - 1 without a home, for
        two servers are needed.
    """

    worker_type: int
    ps_type: int
    internal: bool
    workers: int
    ps: int
    beside: int
    duration: int
    homes: tuple[int, ...]
    room: tuple[int, ...]


def modes(job: Job, cluster: Cluster) -> list[Mode]:
    """Modes of a job that fit on the empty cluster, in tolerant capacities.

    One with more workers that is no shorter is not there: some of its workers may be left out.
    """
    cluster, found = cluster.tolerant, []
    workers = np.arange(1, job.chunks + 1)
    for m, p in product(range(len(cluster.worker_types)), cluster.ps_choices):
        placed = _Placed.of(cluster, m, p, job.chunks)
        for internal in (True, False):
            duration = least_duration(job, m, p, workers, internal)
            shortest = np.minimum.accumulate(duration)
            for k in np.flatnonzero(np.append(True, shortest[1:] < shortest[:-1])).tolist():
                found += placed.modes(internal, k + 1, int(duration[k]))
    return found


@dataclass(frozen=True, eq=False)
class _Placed:
    """What fits of one pair of types.

    Parameters
    ----------
    workers : ndarray of int, shape (H,)
        That fit on each server.
    needed : ndarray of int, shape (D,)
        Fewest parameter servers for 1, 2, ... workers elsewhere, (2i).
    numbers : ndarray of int, shape (K,)
        Numbers of parameter servers to choose from, ascending; 0 alone with all-reduce.
    beside : ndarray of int, shape (K, H)
        Workers that fit beside so many of them; -1 where these do not fit.
    """

    worker_type: int
    ps_type: int
    workers: np.ndarray
    needed: np.ndarray
    numbers: np.ndarray
    beside: np.ndarray

    @classmethod
    def of(cls, cluster: Cluster, m: int, p: int, most: int) -> _Placed:
        """Of jobs with at most so many workers."""
        e, servers, ring = cluster.worker_types[m], cluster.servers, cluster.allreduce
        workers = count_fitting(servers, e)
        if ring:
            return cls(
                m, p, workers, np.zeros(most, np.int64), np.zeros(1, np.int64), workers[None]
            )
        z = cluster.ps_types[p]
        needed = least_ps(np.arange(1, most + 1), cluster.worker_gbps[m], cluster.ps_gbps[p])
        ps = count_fitting(servers, z)
        numbers = np.union1d(1, needed[needed <= ps.max(initial=0)])
        beside = count_fitting(servers - numbers[:, None, None] * z, e)
        beside = np.where(ps >= numbers[:, None], beside, -1)
        return cls(m, p, workers, needed, numbers, beside)

    def modes(self, internal: bool, n: int, d: int) -> list[Mode]:
        """Modes of n workers: with several numbers of parameter servers if they are spread."""
        ring = not self.numbers[0]
        most = n if internal else n - 1  # at home
        room = np.minimum(self.workers, most if ring else n)
        if internal or ring:
            numbers, least_beside = self.numbers[:1], np.zeros(1, np.int64)
        else:
            numbers = self.numbers[: np.searchsorted(self.numbers, self.needed[n - 1], "right")]
            least_beside = n - np.searchsorted(self.needed[:n], numbers, "right")
        at_home = np.minimum(self.beside[: len(numbers)], most)
        elsewhere = 0 if internal else room.sum() - room
        fits = (at_home >= least_beside[:, None]) & (at_home + elsewhere >= n)
        rooms, found = tuple(room.tolist()), []
        for k in np.flatnonzero(fits.any(axis=1)).tolist():
            ps, beside = int(numbers[k]), int(least_beside[k])
            homes = tuple(np.flatnonzero(fits[k]).tolist()) if internal or ps else ()
            kinds = self.worker_type, self.ps_type
            found.append(Mode(*kinds, internal, n, ps, beside, d, homes, rooms))
        return found


def horizon(instance: CompletionInstance) -> int:
    """``max a + sum_j min d_j``: in an optimum of (2) all jobs complete by then.

    If one completes later, take the last number i of jobs, in the order of completion, so that the
    first i are done by ``max a`` plus the sum of their least durations. Run the others after them,
    one after the other in that order: each completes earlier than before.
    """
    least = (min(k.duration for k in modes(job, instance.cluster)) for job in instance.jobs)
    return max((job.arrival for job in instance.jobs), default=0) + sum(least)


def time_indexed(
    instance: CompletionInstance,
    *,
    relaxed: bool = False,
    end: int | None = None,
    allowed: Callable[[int, Mode], Container[int]] | None = None,
) -> pyo.ConcreteModel:
    """Build (2) or (15): minimise ``weighted_completion`` over x, home and y.

    Parameters
    ----------
    instance : CompletionInstance
    relaxed : bool
        Drop integrality, (2k), (2l), (2n), (2o).
    end : int, optional
        All jobs are to complete by then; by default the ``horizon``, which loses nothing.
    allowed : callable, optional
        ``(j, mode) -> slots``: which starts there are; by default all.
    """
    last = horizon(instance) if end is None else end

    def starts(j: int, k: int, mode: Mode) -> Iterable[int]:
        slots = range(instance.jobs[j].arrival, last - mode.duration + 1)
        some = slots if allowed is None else allowed(j, mode)
        return (t for t in slots if t in some)

    model = _placements(instance, range(len(instance.jobs)), starts, relaxed)
    total = pyo.quicksum(
        instance.jobs[j].weight * (t + model.modes[j, k].duration) * x
        for (j, k, t), x in model.x.items()
    )
    model.weighted_completion = pyo.Objective(expr=total, sense=pyo.minimize)
    model.constraint_2a = rows((j, started == 1) for j, started in model.started.items())
    return model


def max_weight(
    instance: CompletionInstance, deadline: int, jobs: Iterable[int], *, relaxed: bool = False
) -> pyo.ConcreteModel:
    """Build (7) or (16) of one batch: maximise ``weight`` over x, home and y.

    All ``jobs``, ``J_i``, are there in slot 0; what is scheduled completes by the ``deadline``
    ``tau_i``, (7b). ``relaxed`` drops integrality.
    """
    model = _placements(instance, jobs, lambda j, k, m: range(deadline - m.duration + 1), relaxed)
    total = pyo.quicksum(instance.jobs[j].weight * started for j, started in model.started.items())
    model.weight = pyo.Objective(expr=total, sense=pyo.maximize)
    model.constraint_7a = rows((j, started <= 1) for j, started in model.started.items())
    return model


def schedule_from_values(
    instance: CompletionInstance,
    model: pyo.ConcreteModel,
    x: Mapping[Any, float],
    home: Mapping[Any, float],
    y: Mapping[Any, float],
) -> CompletionSchedule:
    """Schedule of an integer solution of either program, by the values of its variables."""
    types = np.full((2, len(instance.jobs)), NO_TYPE, dtype=np.int64)
    placed = []
    for (j, k, t), value in x.items():
        if value > 0.5:
            mode: Mode = model.modes[j, k]
            types[:, j] = mode.worker_type, mode.ps_type
            for h in range(len(instance.cluster.servers)):
                here = round(home.get((j, k, t, h), 0.0))
                spread = round(y.get((j, k, t, h), 0.0))
                workers = here * mode.workers if mode.internal else spread
                placed.append((j, t, t + mode.duration, h, workers, here * mode.ps))
    return CompletionSchedule.build(instance, types[0], types[1], placed)


def _placements(
    instance: CompletionInstance, jobs: Iterable[int], starts: Starts, relaxed: bool
) -> pyo.ConcreteModel:
    """Variables, placements and capacities, which both programs have."""
    model, cluster, jobs = pyo.ConcreteModel(name="time_indexed"), instance.cluster, list(jobs)
    model.modes = {
        (j, k): mode for j in jobs for k, mode in enumerate(modes(instance.jobs[j], cluster))
    }
    x: dict[Any, float | None] = {}
    home, y = dict(x), dict(x)
    for (j, k), mode in model.modes.items():
        for t in starts(j, k, mode):
            x[j, k, t] = 1
            home |= {(j, k, t, h): 1 for h in mode.homes}
            if not mode.internal:
                y |= {(j, k, t, h): most for h, most in enumerate(mode.room) if most}
    domain = pyo.NonNegativeReals if relaxed else pyo.NonNegativeIntegers
    model.x, model.home, model.y = (variable(most, domain) for most in (x, home, y))
    started = sums(model.x, lambda j, k, t: j)
    model.started = pyo.Expression(jobs, rule=lambda _, j: started.get(j, 0))
    model.one_home = rows(
        (at, total == model.x[at]) for at, total in sums(model.home, lambda *at: at[:3]).items()
    )
    model.all_workers = rows(
        (at, total == model.modes[at[:2]].workers * model.x[at])
        for at, total in sums(model.y, lambda *at: at[:3]).items()
    )
    model.constraint_2i = rows(
        (at, model.y[at] >= model.modes[at[:2]].beside * here)
        for at, here in model.home.items()
        if at in model.y and model.modes[at[:2]].beside
    )
    # With all workers at home q would be 1: allowed, since it is no better than an internal mode.
    model.room = rows((at, n <= n.ub * model.x[at[:3]]) for at, n in model.y.items())
    terms = defaultdict(list)
    for part in (model.home, model.y):
        for at, item in part.items():
            mode = model.modes[at[:2]]
            amount = cluster.worker_types[mode.worker_type]
            if part is model.home:
                amount = amount * (mode.workers if mode.internal else 0)
                amount = amount + (mode.ps * cluster.ps_types[mode.ps_type] if mode.ps else 0.0)
            for r in np.flatnonzero(amount).tolist():
                for slot in range(at[2], at[2] + mode.duration):
                    terms[at[3], slot, r].append((float(amount[r]), item))
    model.constraint_2h = capacity_rows(terms, cluster.tolerant.servers)
    return model
