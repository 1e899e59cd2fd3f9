"""The time-indexed programs (2) and (15), and (7) and (16) of one batch, made linear exactly.

Glossary
--------
``j, k, t, h``
    Job, mode (:class:`~models.completion.formulations.modes.Mode`), start, server.
``x[j,k,t]``
    1 if job j starts in slot t in mode k: ``x_jt``, ``d_j``, the types, N and q at once.
``home[j,k,t,h]``
    1 if, besides, its parameter servers are on server h; if it runs on one server, all of it.
``y[j,k,t,h]``
    Workers on server h then, if it is spread: ``y_jhm``, 0 unless the job runs so.

With start and mode in their index the placements need no product with x, so that (2h) is linear:
a placement takes its amounts in the slots from t to t + d_k - 1. (2b)-(2g) hold in every mode; (2i)
is ``beside_k`` workers at home at least. (2j) and (7b) leave out starts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pyomo.environ as pyo

from models.completion.column import Column
from models.completion.formulations.modes import Mode, horizon, modes
from models.completion.instance import CompletionInstance
from models.pyomo_components import capacity_rows, rows, sums, variable

__all__ = ["columns_of", "max_weight", "time_indexed"]

Starts = Callable[[int, int, Mode], Iterable[int]]


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
    instance: CompletionInstance,
    deadline: int,
    jobs: Iterable[int] | None = None,
    *,
    relaxed: bool = False,
) -> pyo.ConcreteModel:
    """Build (7) or (16) of one batch: maximise ``weight`` over x, home and y.

    Parameters
    ----------
    instance : CompletionInstance
    deadline : int
        ``tau_i``: what is scheduled completes by then, (7b).
    jobs : iterable of int, optional
        ``J_i``, all of which are there in slot 0; by default all jobs.
    relaxed : bool
        Drop integrality.
    """
    batch = range(len(instance.jobs)) if jobs is None else jobs
    model = _placements(instance, batch, lambda j, k, m: range(deadline - m.duration + 1), relaxed)
    total = pyo.quicksum(instance.jobs[j].weight * started for j, started in model.started.items())
    model.weight = pyo.Objective(expr=total, sense=pyo.maximize)
    model.constraint_7a = rows((j, started <= 1) for j, started in model.started.items())
    return model


def columns_of(
    instance: CompletionInstance,
    model: pyo.ConcreteModel,
    x: Mapping[Any, float],
    home: Mapping[Any, float],
    y: Mapping[Any, float],
) -> list[Column]:
    """The schedules that an integer solution runs, one for each job that starts."""
    found, servers = [], range(len(instance.cluster.servers))
    for (j, k, t), value in x.items():
        if value < 0.5:
            continue
        mode: Mode = model.modes[j, k]
        at_home, workers = (
            np.array([round(part.get((j, k, t, h), 0.0)) for h in servers]) for part in (home, y)
        )
        workers += at_home * (mode.workers if mode.internal else 0)
        ps = at_home * mode.ps
        used = np.flatnonzero(workers + ps)
        found.append(
            Column(
                job=j,
                start=t,
                duration=mode.duration,
                worker_type=mode.worker_type,
                ps_type=mode.ps_type,
                servers=used,
                workers=workers[used],
                ps=ps[used],
                value=-instance.jobs[j].weight * (t + mode.duration),
            )
        )
    return found


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
    # N workers may be on one server, but not at home: nothing would be elsewhere, and q = 1.
    model.constraint_2d = rows(
        (at, n + model.home[at] <= n.ub * model.x[at[:3]])
        if at in model.home and n.ub == model.modes[at[:2]].workers
        else (at, n <= n.ub * model.x[at[:3]])
        for at, n in model.y.items()
    )
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
