"""ILP (4), the average fractional flow time of the chunks, and (8), the same with storage.

Glossary
--------
``y[j,d,w,t]``
    1 if edge worker w trains chunk d of job j in slot t >= r + Delta, (4h).
``a[j,d,t], b[j,d,t]``
    1 if a worker of the cloud does, with ``zeta`` 0 and 1.
``z[j,t], z_cloud[j,t], zeta[j]``
    As in :mod:`models.jct.formulations.literal`.
``x[j,d,s], stored[j,d,s,t], pending[j,t]``
    Whether the chunk is on server s; whether it is stored there in slot t; whether the job is
    not complete before slot t. Only in (8).

``E B / n`` is read as whole slots, p with ``zeta = 0`` and ``p_c`` with ``zeta = 1``, so (3) is
``sum_t (t - r) y / (p D)``: two kinds of variables for the cloud make it linear. Unrounded,
(4a) would train a chunk of 1.5 slots in 2 and count 2 / 1.5 of its flow time, and the value could
exceed that of (2), against Lemma 1.

By Lemma 1 the optimum is at most that of the chunk model, (8) with storage and (4) without.
A chunk may move between workers; (7a)-(7d) keep it on one server.
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

__all__ = ["fractional"]


def fractional(
    instance: JctInstance, *, capacitated: bool = False, relaxed: bool = False
) -> pyo.ConcreteModel:
    """Build ILP (4), or (8).

    Parameters
    ----------
    instance : JctInstance
    capacitated : bool
        Add storage, (7a)-(7e): (8).
    relaxed : bool
        Drop integrality, and nothing else; the paper's LP, which also drops (4c)-(4g), is
        :func:`models.jct.formulations.flow_lp.flow_lp`.

    Returns
    -------
    ConcreteModel
        Minimise ``flow_time``; constraints under their numbers in (2), (4) and (7).

    Raises
    ------
    InputError
        If it would not fit into memory.
    """
    check_size(instance, each_chunk=True)
    model = pyo.ConcreteModel(name="fractional")
    domain = pyo.NonNegativeReals if relaxed else pyo.NonNegativeIntegers
    variables(model, instance, domain)
    jobs = instance.jobs

    def weighted(index: tuple[int, ...], p: int) -> float:
        job = jobs[index[0]]
        return (index[-1] - job.arrival) / (p * job.chunks)

    apart = [*model.y.items(), *model.a.items()]
    model.flow_time = pyo.Objective(
        expr=pyo.quicksum(weighted(at, jobs[at[0]].chunk_slots) * v for at, v in apart)
        + pyo.quicksum(weighted(at, jobs[at[0]].cloud_chunk_slots) * v for at, v in model.b.items())
    )
    constraint_4a(model, instance)
    workers = by_key(model.y, lambda j, d, w, t: (w, t))
    model.constraint_4b = rows(
        (at, pyo.quicksum(v for _, v in group) <= 1) for at, group in workers.items()
    )
    at_once: dict[tuple[int, int, int], list[Any]] = defaultdict(list)
    edge: dict[tuple[int, int], list[tuple[Any, float]]] = defaultdict(list)
    cloud: dict[tuple[int, int], list[tuple[Any, float]]] = defaultdict(list)
    for component, running in ((model.y, edge), (model.a, cloud), (model.b, cloud)):
        for (j, d, *_, t), v in component.items():
            at_once[j, d, t].append(v)
            running[j, t].append((v, 1.0))
    model.constraint_4e = rows((at, pyo.quicksum(group) <= 1) for at, group in at_once.items())
    parameter_servers(model, instance, edge, cloud, domain)
    model.by_zeta = rows(
        [((0, *at), v <= 1 - model.zeta[at[0]]) for at, v in model.a.items()]
        + [((1, *at), v <= model.zeta[at[0]]) for at, v in model.b.items()]
    )
    if capacitated:
        storage(model, instance, domain)
    return model


def variables(model: pyo.ConcreteModel, instance: JctInstance, domain: Any) -> None:
    """(4h): only what may be nonzero is made."""
    slots = instance.cluster.slots
    y, cloud, zeta = {}, {}, {}
    for job in instance.jobs:
        first = cloud_first(instance, job)
        if first is not None:
            zeta[job.index] = 1
        for d in range(job.chunks):
            for w, t0 in first_slots(instance, job).items():
                y.update({(job.index, d, w, t): 1 for t in range(t0, slots)})
            if first is not None:
                cloud.update({(job.index, d, t): 1 for t in range(first, slots)})
    model.y = variable(y, domain)
    model.a = variable(cloud, domain)
    model.b = variable(cloud, domain)
    model.zeta = variable(zeta, domain)


def constraint_4a(model: pyo.ConcreteModel, instance: JctInstance) -> None:
    """(4a): every chunk is trained, for p slots or, with ``zeta = 1``, for ``p_c`` slots."""
    y, a, b = (by_key(v, lambda j, d, *_: (j, d)) for v in (model.y, model.a, model.b))
    found = {}
    for job in instance.jobs:
        zeta = or_zero(model.zeta, job.index)
        for at in ((job.index, d) for d in range(job.chunks)):
            apart = pyo.quicksum(v for _, v in [*y.get(at, []), *a.get(at, [])])
            found[*at, "apart"] = apart >= job.chunk_slots * (1 - zeta)
            if at in b:
                together = pyo.quicksum(v for _, v in b[at])
                found[*at, "together"] = together >= job.cloud_chunk_slots * zeta
    model.constraint_4a = rows(found.items())


def storage(model: pyo.ConcreteModel, instance: JctInstance, domain: Any) -> None:
    """(7a)-(7e): a chunk is on one server, from the arrival to the completion of its job."""
    cluster, jobs = instance.cluster, instance.jobs
    server = cluster.worker_server.tolist()
    places = sorted({(j, d, server[w]) for j, d, w, _ in model.y})
    model.x = variable(dict.fromkeys(places, 1), domain)
    model.pending = variable(
        {(job.index, t): 1 for job in jobs for t in range(job.arrival, cluster.slots)}, domain
    )
    model.stored = variable(
        {(j, d, s, t): 1 for j, d, s in places for t in range(jobs[j].arrival, cluster.slots)},
        domain,
    )
    model.constraint_7a = rows(
        ((j, d, w, t), y <= model.x[j, d, server[w]]) for (j, d, w, t), y in model.y.items()
    )
    on = by_key(model.x, lambda j, d, s: (j, d))
    model.one_server = rows((at, pyo.quicksum(v for _, v in on[at]) <= 1) for at in on)
    cloud = [
        (kind, at, v)
        for kind, component in (("a", model.a), ("b", model.b))
        for at, v in component.items()
    ]
    model.constraint_7a_cloud = rows(
        ((kind, *at), v <= 1 - pyo.quicksum(x for _, x in on.get(at[:2], [])))
        for kind, at, v in cloud
    )
    model.running = rows((at, y <= model.pending[at[0], at[-1]]) for at, y in model.y.items())
    model.running_in_cloud = rows(
        ((kind, *at), v <= model.pending[at[0], at[-1]]) for kind, at, v in cloud
    )
    model.falling = rows(
        ((j, t), pending <= model.pending[j, t - 1])
        for (j, t), pending in model.pending.items()
        if (j, t - 1) in model.pending
    )
    model.constraint_7c = rows(
        ((j, d, s, t), stored >= model.x[j, d, s] + model.pending[j, t] - 1)
        for (j, d, s, t), stored in model.stored.items()
    )
    groups = by_key(model.stored, lambda j, d, s, t: (s, t))
    model.constraint_7b = rows(
        (
            (s, t),
            pyo.quicksum(jobs[j].chunk_gb * v for (j, *_), v in group)
            <= float(cluster.storage_gb[s]) * (1.0 + 1e-9),
        )
        for (s, t), group in groups.items()
        if cluster.storage_gb[s] < float("inf")
    )
