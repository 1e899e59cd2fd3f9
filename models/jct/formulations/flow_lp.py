"""The LP of (4) and its dual (6), and those of (8): the LP and dual (9).

The paper relaxes (4h) and drops (4c)-(4g). What is left bounds (4) from below:

- minimise ``sum (t - r) / (p D) y[j,w,t] + sum Delta_c / D x[j]``
- (4a) ``sum y[j,w,t] / p + x[j] >= D`` for every job,
- (4b) ``sum_j y[j,w,t] <= 1`` for every worker and slot,
- (7b) ``sum u_j y[j,w,t] <= U_s`` over the workers of a server, for every slot, in (8).

Chunks of a job are alike: y is summed over them, and so is (4a); their dual variables
``alpha[j]`` are equal in some optimum (the mean over the chunks is as good), so the dual counts
each D times. ``x[j]`` is the number of chunks trained in the cloud, whose workers are unlimited:
its cheapest slot is the first, ``t = r + Delta_c``. As zeta is gone, the cloud trains at the rate
of ``zeta = 1`` whatever else the job does. In (6a) t starts at ``r + Delta``, as (4h) says; the
(6a) of the paper, for all ``t >= r``, would only be weaker.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pyomo.environ as pyo

from models.jct.formulations.parts import check_size, first_slots
from models.jct.instance import JctInstance
from models.pyomo_components import by_key, rows, variable

__all__ = ["flow_dual", "flow_lp"]


def flow_lp(instance: JctInstance, *, capacitated: bool = False) -> pyo.ConcreteModel:
    """Build the LP of (4), or of (8).

    Returns
    -------
    ConcreteModel
        Minimise ``flow_time``; ``constraint_4a``, ``constraint_4b`` and ``constraint_7b``.

    Raises
    ------
    InputError
        If it would not fit into memory.
    """
    check_size(instance)
    model = pyo.ConcreteModel(name="flow_lp")
    jobs = instance.jobs
    model.y = variable(dict.fromkeys(_places(instance)), pyo.NonNegativeReals)
    clouds = [job.index for job in jobs if job.cloud_upload_slots is not None]
    model.x = variable(dict.fromkeys(clouds), pyo.NonNegativeReals)
    model.flow_time = pyo.Objective(
        expr=pyo.quicksum(_cost(instance, j, t) * y for (j, _, t), y in model.y.items())
        + pyo.quicksum(
            (jobs[j].cloud_upload_slots or 0) / jobs[j].chunks * model.x[j] for j in clouds
        )
    )
    trained: dict[int, list[Any]] = defaultdict(list)
    for (j, _, _), y in model.y.items():
        trained[j].append(y / jobs[j].chunk_slots)
    for j, x in model.x.items():
        trained[j].append(x)
    model.constraint_4a = rows(
        (job.index, pyo.quicksum(trained[job.index]) >= job.chunks) for job in jobs
    )
    groups = by_key(model.y, lambda j, w, t: (w, t))
    model.constraint_4b = rows(
        (at, pyo.quicksum(v for _, v in group) <= 1) for at, group in groups.items()
    )
    if capacitated:
        limits = _storage(instance)
        stored = by_key(model.y, lambda j, w, t: (int(instance.cluster.worker_server[w]), t))
        model.constraint_7b = rows(
            ((s, t), pyo.quicksum(jobs[j].chunk_gb * v for (j, _, _), v in group) <= limits[s])
            for (s, t), group in stored.items()
            if s in limits
        )
    return model


def flow_dual(instance: JctInstance, *, capacitated: bool = False) -> pyo.ConcreteModel:
    """Build the dual (6), or (9).

    Returns
    -------
    ConcreteModel
        Maximise ``bound`` over alpha, beta and, in (9), eta; ``constraint_6a`` (or (9a)) at
        the edge and ``constraint_6a_cloud``.

    Raises
    ------
    InputError
        If it would not fit into memory.
    """
    check_size(instance)
    model = pyo.ConcreteModel(name="flow_dual")
    jobs, server = instance.jobs, instance.cluster.worker_server.tolist()
    places = _places(instance)
    limits = _storage(instance) if capacitated else {}
    model.alpha = variable({job.index: None for job in jobs}, pyo.NonNegativeReals)
    model.beta = variable(dict.fromkeys((w, t) for _, w, t in places), pyo.NonNegativeReals)
    model.eta = variable(
        dict.fromkeys((server[w], t) for _, w, t in places if server[w] in limits),
        pyo.NonNegativeReals,
    )
    model.bound = pyo.Objective(
        expr=pyo.quicksum(job.chunks * model.alpha[job.index] for job in jobs)
        - pyo.quicksum(model.beta.values())
        - pyo.quicksum(limits[s] * eta for (s, _), eta in model.eta.items()),
        sense=pyo.maximize,
    )
    found = {}
    for j, w, t in places:
        price = model.beta[w, t]
        if server[w] in limits:
            price = price + jobs[j].chunk_gb * model.eta[server[w], t]
        found[j, w, t] = model.alpha[j] / jobs[j].chunk_slots <= _cost(instance, j, t) + price
    model.constraint_6a = rows(found.items())
    model.constraint_6a_cloud = rows(
        (job.index, model.alpha[job.index] <= job.cloud_upload_slots / job.chunks)
        for job in jobs
        if job.cloud_upload_slots is not None
    )
    return model


def _places(instance: JctInstance) -> list[tuple[int, int, int]]:
    """(job, worker, slot) that may be nonzero."""
    return [
        (job.index, w, t)
        for job in instance.jobs
        for w, first in first_slots(instance, job).items()
        for t in range(first, instance.cluster.slots)
    ]


def _cost(instance: JctInstance, j: int, t: int) -> float:
    job = instance.jobs[j]
    return (t - job.arrival) / (job.chunk_slots * job.chunks)


def _storage(instance: JctInstance) -> dict[int, float]:
    storage = instance.cluster.storage_gb
    return {s: float(storage[s]) for s in np.flatnonzero(np.isfinite(storage)).tolist()}
