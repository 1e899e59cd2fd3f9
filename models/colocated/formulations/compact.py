"""The compact MILP: DMLRS, (3)-(7), made linear exactly.

Glossary
--------
``i, t, h, r``
    Job, slot, server, resource; 0-based.
``d[i,t]``
    1 if job i is to be done by the end of slot t. Replaces (6); ``x_i = d[i,T-1]``, and
    ``d[i,t] - d[i,t-1]`` is 1 at the deadline.
``home[i,h,t]``
    1 if job i is internal in slot t: all that it runs is on server h.
``v[i,h,t]``, ``u[i,h,t]``
    Its workers and parameter servers there.
``w[i,h,t]``, ``s[i,h,t]``
    Workers and parameter servers of a job that is external in the slot.

What makes Fact 1 linear
------------------------
The rate in (3) depends on where a job runs. Each slot of a job has a mode, external or internal on
one of the servers, and variables of its own for each mode, which are 0 in the others:
``v <= most home`` and ``sum_h w <= most (x_i - d[i,t-1] - sum_h home)``. Then (3) is the sum of
what the modes train, in external worker-slots: ``sum w + speedup * sum v >= work``, no products.

- A feasible schedule gives a point of the same value: the modes are those of Fact 1.
- A point gives a schedule worth at least as much (:func:`schedule_from_values`): a job that is
  external in the model may be on one server, where it is only faster, and parameter servers of a
  mode without workers are left out. The completion slot, read from the workers, is not after the
  deadline, and utilities are non-increasing.

So the optima agree. Capacities and work are the tolerant ones (:mod:`models.tolerance`): all
schedules that the scorer accepts are in the model.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyomo.environ as pyo

from models.colocated.cluster import ROUND_OFF, Job
from models.colocated.formulations.limits import JobLimits, job_limits
from models.colocated.instance import ColocatedInstance
from models.colocated.schedule import ColocatedSchedule
from models.pyomo_components import (
    by_key,
    capacity_rows,
    rows,
    stays_done,
    sums,
    total_utility,
    variable,
)

__all__ = ["compact", "schedule_from_values"]

Limits = Mapping[int, JobLimits]
Values = Mapping[Any, float]

_LEAST_WORK = 1e-3  # one worker does more in a slot; a solver's tolerance could do without less


def compact(instance: ColocatedInstance, *, relaxed: bool = False) -> pyo.ConcreteModel:
    """Build the MILP, or its LP relaxation: maximise ``utility`` over d, home, v, u, w, s.

    Parameters
    ----------
    instance : ColocatedInstance
    relaxed : bool
        Drop integrality.
    """
    limits, slots = job_limits(instance), instance.cluster.slots
    model = pyo.ConcreteModel(name="compact")
    _variables(model, limits, slots, relaxed)
    values = {i: found.job.values(slots) for i, found in limits.items()}
    model.utility = total_utility(model.d, values)
    _constraint_3(model, limits)
    _constraint_4(model, limits)
    _constraint_5(model, instance)
    model.constraint_6 = stays_done(model.d)
    _gamma(model, limits)
    return model


def schedule_from_values(
    instance: ColocatedInstance, d: Values, v: Values, u: Values, w: Values, s: Values
) -> ColocatedSchedule:
    """Schedule of an integer solution, by the values of its variables.

    Workers in slots after the one in which the job is done, and parameter servers of a mode
    without workers, are left out.
    """
    admitted = np.zeros(len(instance.jobs), dtype=bool)
    placed: dict[tuple[int, int], list[tuple[int, int, int]]] = defaultdict(list)
    for (i, h, t), value in v.items():
        if round(value):
            placed[i, t].append((h, round(value), round(u[i, h, t])))
    internal = set(placed)
    for i, h, t in {**w, **s}:
        if (i, t) not in internal:
            counts = [round(part.get((i, h, t), 0.0)) for part in (w, s)]
            placed[i, t].append((h, *counts))
    tables: tuple[list, list] = ([], [])
    for job in instance.jobs:
        slots = sorted(t for i, t in d if i == job.index)
        admitted[job.index] = bool(slots) and d[job.index, slots[-1]] > 0.5
        left = job.work * (1.0 - ROUND_OFF / 2) if admitted[job.index] else 0.0
        for t in range(job.arrival, instance.cluster.slots):
            workers = sum(count for _, count, _ in placed[job.index, t])
            if left > 0.0 and workers:
                left -= workers * (job.speedup if (job.index, t) in internal else 1.0)
                for h, *here in placed[job.index, t]:
                    for table, count in zip(tables, here, strict=True):
                        table.append((job.index, t, h, count))
    return ColocatedSchedule.build(instance, admitted, *tables)


def _variables(model: pyo.ConcreteModel, limits: Limits, slots: int, relaxed: bool) -> None:
    """Whole numbers from 0, (7); those that are 0 in every schedule are not made."""
    domain = pyo.NonNegativeReals if relaxed else pyo.NonNegativeIntegers
    d: dict[Any, float | None] = {}
    home, v, u, w, s = (dict(d) for _ in range(5))
    for i, found in limits.items():
        internal, workers, ps = (
            part.tolist() for part in (found.internal, found.workers, found.ps)
        )
        for t in range(found.job.arrival, slots):
            d |= {(i, t): 1} if t >= found.earliest else {}
            for h, most in enumerate(internal):
                if most:
                    home[i, h, t], v[i, h, t] = 1, most
                    u[i, h, t] = found.job.ps_needed(most)
            w |= {(i, h, t): most for h, most in enumerate(workers) if most}
            s |= {(i, h, t): most for h, most in enumerate(ps) if most}
    for name, upper in (("d", d), ("home", home), ("v", v), ("u", u), ("w", w), ("s", s)):
        model.add_component(name, variable(upper, domain))


def _constraint_3(model: pyo.ConcreteModel, limits: Limits) -> None:
    """(3) with (6): what is trained by the end of slot t is all, if that is the deadline."""
    trained: dict[int, list[tuple[int, Any]]] = defaultdict(list)
    for part, internal in ((model.w, False), (model.v, True)):
        for (i, t), total in sums(part, lambda i, h, t: (i, t)).items():
            trained[i].append((t, (limits[i].job.speedup if internal else 1.0) * total))
    model.constraint_3 = rows(
        (
            (i, t),
            pyo.quicksum(total for slot, total in trained[i] if slot <= t)
            >= max(limits[i].job.tolerant_work, _LEAST_WORK) * d,
        )
        for (i, t), d in model.d.items()
    )


def _constraint_4(model: pyo.ConcreteModel, limits: Limits) -> None:
    """(4) with (6) and Fact 1: one mode in each slot up to the deadline, none after it.

    Where a job has a home it has external workers, too, so that their row leaves it one home.
    """
    last = max((t for _, t in model.d), default=0)
    homes = sums(model.home, lambda i, h, t: (i, t))
    external = sums(model.w, lambda i, h, t: (i, t))
    # The share of the slot that is left for external workers.
    left = {
        (i, t): (model.d[i, last] - (model.d[i, t - 1] if (i, t - 1) in model.d else 0))
        - homes.get((i, t), 0)
        for i, t in external
    }
    model.constraint_4 = rows(
        (at, total <= limits[at[0]].most * left[at]) for at, total in external.items()
    )
    model.constraint_4_internal = rows(
        (at, v <= v.ub * model.home[at]) for at, v in model.v.items()
    )


def _constraint_5(model: pyo.ConcreteModel, instance: ColocatedInstance) -> None:
    """(5): ``sum_i alpha_i^r (w + v) + beta_i^r (s + u) <= C_h^r``."""
    terms: dict[tuple[int, int, int], list[tuple[float, Any]]] = defaultdict(list)
    for kind, parts in (("worker", (model.w, model.v)), ("ps", (model.s, model.u))):
        for part in parts:
            for (h, t), group in by_key(part, lambda i, h, t: (h, t)).items():
                for (i, _, _), item in group:
                    demand = getattr(instance.jobs[i], kind)
                    for r in np.flatnonzero(demand).tolist():
                        terms[h, t, r].append((float(demand[r]), item))
    model.constraint_5 = capacity_rows(terms, instance.cluster.tolerant.servers)


def _gamma(model: pyo.ConcreteModel, limits: Limits) -> None:
    """``workers <= gamma PSs`` in either mode, up to round-off."""
    ps = sums(model.s, lambda i, h, t: (i, t))
    model.gamma = rows(
        ((i, t), _enough(limits[i].job, total, ps.get((i, t), 0), limits[i].most))
        for (i, t), total in sums(model.w, lambda i, h, t: (i, t)).items()
    )
    model.gamma_internal = rows(
        (at, _enough(limits[at[0]].job, v, model.u[at], v.ub)) for at, v in model.v.items()
    )


def _enough(job: Job, workers: Any, ps: Any, most: int) -> Any:
    """The row, with no coefficient that is smaller than 1 or of no use."""
    gamma = min(job.gamma * (1.0 + 2.0 * ROUND_OFF), most)
    return workers <= gamma * ps if gamma >= 1.0 else workers / gamma <= ps
