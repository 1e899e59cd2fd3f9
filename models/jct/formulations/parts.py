"""What the formulations of ``jct`` share: first slots, and the constraints on parameter servers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyomo.environ as pyo

from models.errors import InputError
from models.jct.cluster import Job
from models.jct.instance import JctInstance
from models.pyomo_components import by_key, rows, variable

__all__ = ["check_size", "cloud_first", "first_slots", "or_zero", "parameter_servers"]

_MOST_VARIABLES = 10**6  # about a kilobyte each

Running = Mapping[tuple[int, int], list[tuple[Any, float]]]


def check_size(instance: JctInstance, *, each_chunk: bool = False) -> None:
    """Refuse instances whose models would not fit into memory.

    Parameters
    ----------
    instance : JctInstance
    each_chunk : bool
        Whether the formulation has variables for every chunk.

    Raises
    ------
    InputError
    """
    slots, count = instance.cluster.slots, 0
    for job in instance.jobs:
        workers = len(job.eligible(instance.cluster)) + 2  # the job itself, and the cloud
        count += workers * (slots - job.arrival) * (job.chunks if each_chunk else 1)
    if count > _MOST_VARIABLES:
        raise InputError(
            f"{instance.name}: about {count} variables (jobs x workers x slots"
            f"{' x chunks' if each_chunk else ''}) are more than {_MOST_VARIABLES}, too many for "
            f"a model in Pyomo"
        )


def first_slots(instance: JctInstance, job: Job) -> dict[int, int]:
    """First slot in which each eligible edge worker can run the job, if before the horizon."""
    workers = job.eligible(instance.cluster)
    delay = job.upload_slots[instance.cluster.worker_server[workers]]
    found = zip(workers.tolist(), (job.arrival + delay).tolist(), strict=True)
    return {w: first for w, first in found if first < instance.cluster.slots}


def cloud_first(instance: JctInstance, job: Job) -> int | None:
    """First slot in which the cloud can run the job, if there is one before the horizon."""
    if job.cloud_upload_slots is None:
        return None
    first = job.arrival + job.cloud_upload_slots
    return first if first < instance.cluster.slots else None


def or_zero(component: Any, index: Any) -> Any:
    """The variable with that index, 0 where there is none."""
    return component[index] if index in component else 0


def parameter_servers(
    model: pyo.ConcreteModel, instance: JctInstance, edge: Running, cloud: Running, domain: Any
) -> None:
    """(2e)-(2h), the same as (4c), (4d), (4f), (4g).

    Parameter servers of one type are interchangeable and may change from slot to slot, so
    ``z[j,t]`` says whether one at the edge serves the job, and (2f) is a row per type and slot.

    Parameters
    ----------
    model : ConcreteModel
        With ``zeta``, over the jobs that the cloud can serve.
    instance : JctInstance
    edge, cloud : mapping of (job, slot) to list of (variable, upper bound)
        What runs there.
    domain : pyomo domain
    """
    cluster = instance.cluster
    running = {at: [*edge.get(at, []), *cloud.get(at, [])] for at in sorted({*edge, *cloud})}
    kinds = {j: int((cluster.ps_type == job.ps_type).sum()) for j, job in enumerate(instance.jobs)}
    model.z = variable({at: 1 for at in running if kinds[at[0]]}, domain)
    model.z_cloud = variable(dict.fromkeys(running if cluster.cloud else [], 1), domain)
    served = {at: or_zero(model.z, at) + or_zero(model.z_cloud, at) for at in running}
    model.constraint_2e = rows(
        ((*at, number), v <= most * served[at])
        for at, found in running.items()
        for number, (v, most) in enumerate(found)
    )
    model.constraint_2e_one = rows((at, z <= 1) for at, z in served.items() if at in model.z)
    model.constraint_2e_only = rows(
        (at, served[at] <= pyo.quicksum(v for v, _ in found)) for at, found in running.items()
    )
    groups = by_key(model.z, lambda j, t: (instance.jobs[j].ps_type, t))
    model.constraint_2f = rows(
        (at, pyo.quicksum(v for _, v in group) <= kinds[group[0][0][0]])
        for at, group in groups.items()
    )
    z = by_key(model.z, lambda j, t: j)
    at_edge: dict[int, list[tuple[Any, float]]] = {j: [] for j in model.zeta}
    for (j, _), found in edge.items():
        if j in at_edge:
            at_edge[j] += found
    for j in at_edge:
        at_edge[j] += [(v, 1.0) for _, v in z.get(j, [])]
    model.constraint_2g = rows(
        (j, model.zeta[j] + pyo.quicksum(v for v, _ in found) >= 1) for j, found in at_edge.items()
    )
    model.constraint_2h = rows(
        ((j, number), v <= most * (1 - model.zeta[j]))
        for j, found in at_edge.items()
        for number, (v, most) in enumerate(found)
    )
