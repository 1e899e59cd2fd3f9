"""The paper's MINLP (2) as it stands, made linear exactly.

Glossary
--------
``y[j,w,t]``
    1 if edge worker w runs job j in slot t >= r + Delta, (2i).
``m[j,t]``
    Workers of the cloud that do; they are unlimited and alike.
``z[j,t], z_cloud[j,t]``
    1 if a parameter server at the edge, or in the cloud, serves the job.
``zeta[j]``
    1 if all of it is in the cloud.
``pending[j,t]``
    1 if the job is not complete before slot t.

Why it is exact
---------------
- (2b) is a product of ``n_j``, which depends on zeta, and y. Divided by n it asks for a number
  of worker-slots, ``D E B / n``, and numbers of worker-slots are whole: at least
  ``N_0 (1 - zeta) + N_1 zeta`` with ``N = ceil(D E B / n)`` for either value of zeta.
- (2e) holds where the job runs: ``y <= z + z_cloud <= 1``. A parameter server where it does not run
  would serve nothing: ``z + z_cloud <= sum y + m``.
- (2g), (2h): ``zeta + sum y + sum z >= 1`` and ``y, z <= 1 - zeta``.
- (2j): ``pending`` is non-increasing, 1 wherever the job runs, and the objective is its sum.

(2i) is applied to workers only: no parameter server of the cloud could else serve edge workers
before the upload to the cloud.

How it differs from the chunk model
-----------------------------------
(2b) bounds the work of a job in total. So a chunk may migrate from worker to worker at no cost,
and work that is no whole number of slots per chunk is rounded once per job. Every schedule of
:mod:`models.jct.formulations.chunk` is one of (2), so this optimum is at most that of the chunk
model. Storage, (7), has no place in it: x names chunks, which (2) does not.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pyomo.environ as pyo

from models.jct.formulations.parts import (
    check_size,
    cloud_first,
    first_slots,
    or_zero,
    parameter_servers,
)
from models.jct.instance import JctInstance
from models.pyomo_components import by_key, rows, variable
from models.rounding import ceil_tolerant

__all__ = ["literal"]


def literal(instance: JctInstance, *, relaxed: bool = False) -> pyo.ConcreteModel:
    """Build it, or its LP relaxation; storage is not looked at.

    Returns
    -------
    ConcreteModel
        Minimise ``total_jct``; one constraint per family of the paper.

    Raises
    ------
    InputError
        If it would not fit into memory.
    """
    check_size(instance)
    model = pyo.ConcreteModel(name="literal")
    domain = pyo.NonNegativeReals if relaxed else pyo.NonNegativeIntegers
    slots = instance.cluster.slots
    jobs = instance.jobs
    firsts = {job.index: first_slots(instance, job) for job in jobs}
    clouds = {job.index: first for job in jobs if (first := cloud_first(instance, job)) is not None}
    # (2a), (2i), (2k): only what may be nonzero is made.
    model.y = variable(
        {(j, w, t): 1 for j in firsts for w, t0 in firsts[j].items() for t in range(t0, slots)},
        domain,
    )
    model.m = variable(
        {(j, t): jobs[j].chunks for j, first in clouds.items() for t in range(first, slots)}, domain
    )
    model.zeta = variable(dict.fromkeys(clouds, 1), domain)
    model.pending = variable(
        {(job.index, t): 1 for job in jobs for t in range(job.arrival, slots)}, domain
    )
    model.total_jct = pyo.Objective(expr=pyo.quicksum(model.pending.values()))

    edge: dict[tuple[int, int], list[tuple[Any, float]]] = defaultdict(list)
    for (j, _, t), y in model.y.items():
        edge[j, t].append((y, 1.0))
    cloud = {(j, t): [(m, float(jobs[j].chunks))] for (j, t), m in model.m.items()}
    constraint_2b(model, instance)
    model.constraint_2c = rows(
        (
            at,
            pyo.quicksum(y for y, _ in edge.get(at, [])) + or_zero(model.m, at)
            <= jobs[at[0]].chunks,
        )
        for at in sorted({*edge, *cloud})
    )
    workers = by_key(model.y, lambda j, w, t: (w, t))
    model.constraint_2d = rows(
        (at, pyo.quicksum(y for _, y in group) <= 1) for at, group in workers.items()
    )
    parameter_servers(model, instance, edge, cloud, domain)
    model.constraint_2j = rows(
        ((*at, number), v <= most * model.pending[at])
        for at in sorted({*edge, *cloud})
        for number, (v, most) in enumerate([*edge.get(at, []), *cloud.get(at, [])])
    )
    model.falling = rows(
        ((j, t), pending <= model.pending[j, t - 1])
        for (j, t), pending in model.pending.items()
        if (j, t - 1) in model.pending
    )
    return model


def constraint_2b(model: pyo.ConcreteModel, instance: JctInstance) -> None:
    """(2b): enough worker-slots, ``ceil(D E B / n)`` with n by zeta."""
    y, m = by_key(model.y, lambda j, w, t: j), by_key(model.m, lambda j, t: j)
    found = {}
    for job in instance.jobs:
        apart = ceil_tolerant(job.chunks * job.chunk_time)
        together = ceil_tolerant(job.chunks * job.cloud_chunk_time)
        done = pyo.quicksum(v for _, v in [*y.get(job.index, []), *m.get(job.index, [])])
        found[job.index] = done >= apart + (together - apart) * or_zero(model.zeta, job.index)
    model.constraint_2b = rows(found.items())
