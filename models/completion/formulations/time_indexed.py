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
from collections.abc import Callable, Iterable, Mapping
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
    pairs = product(range(len(cluster.worker_types)), cluster.ps_choices)
    for (m, p), internal in product(pairs, (True, False)):
        duration = least_duration(job, m, p, workers, internal)
        shortest = np.minimum.accumulate(duration)
        for k in np.flatnonzero(np.append(True, shortest[1:] < shortest[:-1])).tolist():
            found += _placed(cluster, m, p, internal, k + 1, int(duration[k]))
    return found


def _placed(cluster: Cluster, m: int, p: int, internal: bool, n: int, d: int) -> list[Mode]:
    """Modes of n workers: with several numbers of parameter servers if they are spread."""
    e, servers, ring = cluster.worker_types[m], cluster.servers, cluster.allreduce
    z = np.zeros_like(e) if ring else cluster.ps_types[p]
    most = n if internal else n - 1  # at home
    room = np.minimum(count_fitting(servers, e), most if ring else n)
    least_beside = {0: 0} if ring else {1: 0}
    if not (internal or ring):
        b, big_b = cluster.worker_gbps[m], cluster.ps_gbps[p]
        least_beside = {least_ps(n - beside, b, big_b): beside for beside in range(n - 1, -1, -1)}
    found = []
    for ps, beside in least_beside.items():
        at_home = np.minimum(count_fitting(servers - ps * z, e), most)
        elsewhere = 0 if internal else room.sum() - room
        fits = (count_fitting(servers, z) >= ps) & (at_home >= beside) & (at_home + elsewhere >= n)
        if homes := tuple(np.flatnonzero(fits).tolist()):
            homes = homes if internal or ps else ()
            found.append(Mode(m, p, internal, n, ps, beside, d, homes, tuple(room.tolist())))
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
    allowed: Callable[[int, int, int], bool] = lambda j, k, t: True,
) -> pyo.ConcreteModel:
    """Build (2) or (15): minimise ``weighted_completion`` over x, home and y.

    Parameters
    ----------
    instance : CompletionInstance
    relaxed : bool
        Drop integrality, (2k), (2l), (2n), (2o).
    end : int, optional
        All jobs are to complete by then; by default the ``horizon``, which loses nothing.
    allowed : callable
        ``(j, k, t) -> bool``: which starts there are, k counted as in ``modes``.
    """
    last = horizon(instance) if end is None else end

    def starts(j: int, k: int, mode: Mode) -> Iterable[int]:
        slots = range(instance.jobs[j].arrival, last - mode.duration + 1)
        return (t for t in slots if allowed(j, k, t))

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
