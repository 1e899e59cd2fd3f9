"""The compact ILP (1)-(13), made linear exactly.

Glossary
--------
``i, t, h, k, r``
    Job, slot, worker server, parameter server, resource; 0-based.
``d[i,t]``
    1 if job i is to be done by the end of slot t: its deadline is t or earlier. Replaces (8);
    ``x_i = d[i,T-1]``, and ``c[i,t] = d[i,t] - d[i,t-1]`` is 1 at the deadline.
``y[i,h,t]``, ``z[i,k,t]``
    Workers and parameter servers on one server.
``n[i,t]``, ``m[i,t]``
    Their totals over the servers. They only give the solver something better to branch on.

Why it is exact
---------------
The objective is ``sum_it f_i(t - a_i) c[i,t]``, and (3) becomes
``n[i,t] <= N_i (x_i - d[i,t-1])``: no worker after the deadline.

- A schedule of (1) gives a point of the same value: the deadlines are its completion slots.
- A point gives a schedule whose completion slot, read from y as (8) says, is not after its
  deadline. As ``f_i`` is non-increasing, the schedule is worth at least as much.

So the optima agree. Where ``f_i`` is flat, d need not be tight: the completion slot is
therefore always read from y.

Workers beyond the need ``W_i`` may be left out of any schedule, last slots first, without
breaking a constraint or completing later. So (2) may hold with equality, ``n_max_i``, the
most workers that fit on the empty cluster and at most ``W_i``, stands for ``N_i``, and only
variables that can be nonzero are made (:mod:`models.utility.formulations.limits`).

The scorer lets a little more than the capacities pass, and so does the ILP
(:mod:`models.tolerance`): its optimum is that of all schedules that the scorer accepts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pyomo.environ as pyo

from models.pyomo_components import (
    by_key,
    capacity_rows,
    rows,
    stays_done,
    total_utility,
    variable,
)
from models.utility.formulations.limits import JobLimits, job_limits
from models.utility.instance import UtilityInstance

__all__ = ["compact"]

Limits = dict[int, JobLimits]


def compact(
    instance: UtilityInstance,
    *,
    relaxed: bool = False,
    strengthen: bool = True,
) -> pyo.ConcreteModel:
    """Build the compact ILP, or its LP relaxation.

    Parameters
    ----------
    instance : UtilityInstance
    relaxed : bool
        Drop integrality, (11)-(13).
    strengthen : bool
        Add rows that every schedule without idle workers obeys, but a point of the LP need
        not: :func:`work_by_deadline` and :func:`staircase`.

    Returns
    -------
    ConcreteModel
        Maximise ``utility`` over d, n, m, y, z; one constraint per family of the paper.
    """
    limits = {found.job.index: found for found in job_limits(instance)}
    model = pyo.ConcreteModel(name="compact")
    domain = pyo.NonNegativeReals if relaxed else pyo.NonNegativeIntegers
    variables_9_to_13(model, instance, limits, domain)
    slots = instance.cluster.slots
    model.utility = total_utility(
        model.d, {i: found.job.values(slots) for i, found in limits.items()}
    )
    totals(model)
    constraint_2(model, limits)
    constraint_3(model, limits)
    constraint_4(model, instance, limits)
    constraint_5(model, instance, limits)
    constraint_6(model, limits)
    constraint_7(model)
    model.constraint_8 = stays_done(model.d)
    if strengthen:
        work_by_deadline(model, limits)
        staircase(model, limits)
    return model


def variables_9_to_13(
    model: pyo.ConcreteModel, instance: UtilityInstance, limits: Limits, domain: Any
) -> None:
    """(9)-(13): whole numbers from 0; those that are 0 in every schedule are not made."""
    slots = instance.cluster.slots
    open_slots = [(i, t) for i in limits for t in range(limits[i].job.arrival, slots)]
    model.d = variable({(i, t): 1 for i, t in open_slots if t >= limits[i].earliest}, domain)
    model.n = variable({(i, t): limits[i].most for i, t in open_slots}, domain)
    model.m = variable({(i, t): limits[i].most_ps for i, t in open_slots}, domain)

    def per_server(room: Callable[[JobLimits], np.ndarray]) -> dict[Hashable, float]:
        rooms = {i: room(limits[i]).tolist() for i in limits}
        return {(i, s, t): most for i, t in open_slots for s, most in enumerate(rooms[i]) if most}

    model.y = variable(per_server(lambda job: job.workers), domain)
    model.z = variable(per_server(lambda job: job.ps), domain)
    model.x = pyo.Expression(list(limits), rule=lambda _, i: model.d[i, slots - 1])
    # 1 from the arrival to the deadline of an admitted job.
    model.running = pyo.Expression(
        open_slots,
        rule=lambda _, i, t: model.x[i] - (model.d[i, t - 1] if (i, t - 1) in model.d else 0),
    )


def totals(model: pyo.ConcreteModel) -> None:
    """``n[i,t] = sum_h y[i,h,t]`` and ``m[i,t] = sum_k z[i,k,t]``."""
    for name, total, part in (("workers", model.n, model.y), ("ps", model.m, model.z)):
        parts = by_key(part, lambda i, s, t: (i, t))
        model.add_component(
            f"total_{name}",
            rows((at, total[at] == pyo.quicksum(v for _, v in parts.get(at, []))) for at in total),
        )


def constraint_2(model: pyo.ConcreteModel, limits: Limits) -> None:
    """(2): ``sum_t n[i,t] = W_i x_i``."""
    n = by_key(model.n, lambda i, t: i)
    model.constraint_2 = rows(
        (i, pyo.quicksum(v for _, v in n[i]) == j.job.work * model.x[i]) for i, j in limits.items()
    )


def constraint_3(model: pyo.ConcreteModel, limits: Limits) -> None:
    """(3) with (8): ``n[i,t] <= n_max_i (x_i - d[i,t-1])``."""
    model.constraint_3 = rows(
        ((i, t), n <= limits[i].most * model.running[i, t]) for (i, t), n in model.n.items()
    )


def constraint_4(model: pyo.ConcreteModel, instance: UtilityInstance, limits: Limits) -> None:
    """(4): ``sum_i w_i^r y[i,h,t] <= c_h^r``."""
    demand = {i: limits[i].job.worker.tolist() for i in limits}
    capacity = instance.cluster.tolerant.worker_servers
    model.constraint_4 = capacity_rows(
        demand_on_servers(model.y, capacity.shape[1], demand), capacity
    )


def constraint_5(model: pyo.ConcreteModel, instance: UtilityInstance, limits: Limits) -> None:
    """(5): ``sum_i s_i^r z[i,k,t] <= c_k^r``."""
    demand = {i: limits[i].job.ps.tolist() for i in limits}
    capacity = instance.cluster.tolerant.ps_servers
    model.constraint_5 = capacity_rows(
        demand_on_servers(model.z, capacity.shape[1], demand), capacity
    )


def constraint_6(model: pyo.ConcreteModel, limits: Limits) -> None:
    """(6): ``n[i,t] <= B_i / b_i m[i,t]``, up to its tolerance.

    A positive level is multiplied by the bracket of (3) with (8), as in :func:`staircase`.
    """
    lines = {i: job.slope_of_6() for i, job in limits.items()}
    model.constraint_6 = rows(
        ((i, t), n <= lines[i][0] * model.m[i, t] + lines[i][1] * model.running[i, t])
        for (i, t), n in model.n.items()
    )


def constraint_7(model: pyo.ConcreteModel) -> None:
    """(7): ``m[i,t] <= n[i,t]``."""
    model.constraint_7 = rows((at, m <= model.n[at]) for at, m in model.m.items())


def work_by_deadline(model: pyo.ConcreteModel, limits: Limits) -> None:
    """Strengthening of (2): ``sum_{s<=t} n[i,s] >= W_i d[i,t]`` for t < T - 1."""
    n = by_key(model.n, lambda i, t: i)
    model.work_by_deadline = rows(
        ((i, t), pyo.quicksum(v for (_, s), v in n[i] if s <= t) >= limits[i].job.work * d)
        for (i, t), d in model.d.items()
        if (i, t + 1) in model.d
    )


def staircase(model: pyo.ConcreteModel, limits: Limits) -> None:
    """Strengthening of (6): the hull of its whole points, for every job and slot.

    For each edge ``n = e m + l`` of the hull: ``n[i,t] <= e m[i,t] + l (x_i - d[i,t-1])``.
    Valid, for up to the deadline the bracket is 1, and after it n = m = 0.
    """
    edges = {i: list(enumerate(j.staircase())) for i, j in limits.items()}
    model.staircase = rows(
        ((i, t, edge), n <= slope * model.m[i, t] + level * model.running[i, t])
        for (i, t), n in model.n.items()
        for edge, (slope, level) in edges[i]
    )


def demand_on_servers(
    part: pyo.Var, resources: int, demand: dict[int, list[float]]
) -> dict[tuple[int, int, int], list[tuple[float, Any]]]:
    """Terms of the capacity rows, by (server, slot, resource)."""
    return {
        (s, t, r): [(demand[i][r], v) for (i, _, _), v in group]
        for (s, t), group in by_key(part, lambda i, s, t: (s, t)).items()
        for r in range(resources)
    }
