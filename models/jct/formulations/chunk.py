"""The chunk model as a MILP: every chunk on one worker, in whole slots.

Glossary
--------
``j, w, s, t``
    Job, edge worker, edge server, slot; 0-based.
``zeta[j]``
    1 if the whole job is in the cloud: all D chunks there, done at ``r + Delta_c + p_c``.
``k[j,w]``
    Chunks that the worker trains.
``q[j], apart[j]``
    Chunks in the cloud while others are at the edge, done at ``r + Delta_c + p``; whether q > 0.
``y[j,w,t]``
    1 if the worker trains a chunk of the job in the slot.
``pending[j,t]``
    1 if the job is not complete before slot t, t >= r. The JCT is ``sum_t pending[j,t]``.
``stored[j,s,t]``
    Chunks of the job on a server with limited storage.
``running[j,t]``
    1 if the job needs a parameter server; only without a cloud.

Why it is exact
---------------
Chunks of a job are identical, so only their numbers per worker count, and any p slots of a
worker are a chunk. In the cloud nothing waits: a chunk there starts when its data are there.
``pending`` is non-increasing and 1 wherever the job runs, so its sum is at least t + 1 - r for
the last slot t, and the objective makes it that. (7c): k chunks are stored where they are
trained for as long as ``pending`` is 1.

With a cloud, each job takes a parameter server there whenever it runs, so (2e), (2f) can always
be met and have no rows. Without one, the parameter servers of a type are interchangeable and may
change from slot to slot: (2f) is one row per type and slot. ``q <= D - 1`` loses nothing: all
chunks in the cloud are done no later with ``zeta = 1``.

It restricts literal (2), :mod:`models.jct.formulations.literal`, which lets chunks migrate and
their work be shared: two chunks of 1.5 slots on one worker take 3 slots there and 4 here.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pyomo.environ as pyo

from models.jct.cluster import Job
from models.jct.formulations.parts import check_size, first_slots, or_zero
from models.jct.instance import JctInstance
from models.pyomo_components import by_key, rows, variable

__all__ = ["chunk"]


def chunk(
    instance: JctInstance, *, relaxed: bool = False, strengthen: bool = True
) -> pyo.ConcreteModel:
    """Build the MILP, or its LP relaxation.

    Parameters
    ----------
    instance : JctInstance
    relaxed : bool
        Drop integrality.
    strengthen : bool
        Add rows that every schedule obeys, but a point of the LP need not:
        :func:`mean_busy_time`, and :func:`symmetry`, which keeps one of the schedules that
        differ by workers of one type on one server.

    Returns
    -------
    ConcreteModel
        Minimise ``total_jct``.

    Raises
    ------
    InputError
        If it would not fit into memory.
    """
    check_size(instance)
    model = pyo.ConcreteModel(name="chunk")
    variables(model, instance, relaxed)
    model.total_jct = pyo.Objective(expr=pyo.quicksum(model.pending.values()))
    dispatch(model, instance)
    constraint_2d(model)
    completion(model, instance)
    parameter_servers(model, instance, relaxed)
    storage(model, instance, relaxed)
    if strengthen:
        mean_busy_time(model, instance)
        symmetry(model, instance)
    return model


def cloud_ends(job: Job, slots: int) -> tuple[int | None, int | None]:
    """End of the job's chunks in the cloud with ``zeta`` 0 and 1; None when not in time."""
    if job.cloud_upload_slots is None:
        return None, None
    ready = job.arrival + job.cloud_upload_slots
    ends = [ready + job.chunk_slots, ready + job.cloud_chunk_slots]
    apart, together = (end if end <= slots else None for end in ends)
    return apart, together


def variables(model: pyo.ConcreteModel, instance: JctInstance, relaxed: bool) -> None:
    """All but those of storage and parameter servers; only what can be nonzero is made."""
    slots, server = instance.cluster.slots, instance.cluster.worker_server
    domain = pyo.NonNegativeReals if relaxed else pyo.NonNegativeIntegers
    most, busy, zeta, q = {}, {}, {}, {}
    for job in instance.jobs:
        j, places = job.index, job.places(instance.cluster)
        for w, first in first_slots(instance, job).items():
            room = (slots - first) // job.chunk_slots
            if count := min(room, int(places[server[w]])):
                most[j, w] = count
                busy.update({(j, w, t): 1 for t in range(first, slots)})
        apart, together = cloud_ends(job, slots)
        if together is not None:
            zeta[j] = 1
        if apart is not None and job.chunks > 1:
            q[j] = job.chunks - 1
    model.k = variable(most, domain)
    model.y = variable(busy, domain)
    model.zeta = variable(zeta, domain)
    model.q = variable(q, domain)
    model.apart = variable(dict.fromkeys(q, 1), domain)
    model.pending = variable(
        {(job.index, t): 1 for job in instance.jobs for t in range(job.arrival, slots)}, domain
    )


def dispatch(model: pyo.ConcreteModel, instance: JctInstance) -> None:
    """Every chunk is somewhere, and a worker trains whole chunks: (2b), (2c)."""
    k, y = by_key(model.k, lambda j, w: j), by_key(model.y, lambda j, w, t: (j, w))
    model.dispatch = rows(
        (
            job.index,
            pyo.quicksum(v for _, v in k.get(job.index, []))
            + or_zero(model.q, job.index)
            + job.chunks * or_zero(model.zeta, job.index)
            == job.chunks,
        )
        for job in instance.jobs
    )
    model.constraint_2b = rows(
        (at, pyo.quicksum(v for _, v in y[at]) == instance.jobs[at[0]].chunk_slots * count)
        for at, count in model.k.items()
    )
    model.some_apart = rows(
        (j, q <= instance.jobs[j].chunks * model.apart[j]) for j, q in model.q.items()
    )


def constraint_2d(model: pyo.ConcreteModel) -> None:
    """(2d): ``sum_j y[j,w,t] <= 1``."""
    groups = by_key(model.y, lambda j, w, t: (w, t))
    model.constraint_2d = rows(
        (at, pyo.quicksum(v for _, v in group) <= 1) for at, group in groups.items()
    )


def completion(model: pyo.ConcreteModel, instance: JctInstance) -> None:
    """(2j): a job is pending wherever it runs, and never again once it is complete."""
    model.constraint_2j = rows(
        ((j, w, t), y <= model.pending[j, t]) for (j, w, t), y in model.y.items()
    )
    model.falling = rows(
        ((j, t), pending <= model.pending[j, t - 1])
        for (j, t), pending in model.pending.items()
        if (j, t - 1) in model.pending
    )
    in_cloud = {}
    for job in instance.jobs:
        ends = cloud_ends(job, instance.cluster.slots)
        for kind, end, flag in zip(
            ("apart", "together"), ends, (model.apart, model.zeta), strict=True
        ):
            if end is not None and job.index in flag:
                in_cloud[job.index, kind] = model.pending[job.index, end - 1] >= flag[job.index]
    model.in_cloud = rows(in_cloud.items())


def parameter_servers(model: pyo.ConcreteModel, instance: JctInstance, relaxed: bool) -> None:
    """(2e), (2f) without a cloud: no more jobs of a type run than it has parameter servers."""
    cluster = instance.cluster
    if cluster.cloud:
        return
    domain = pyo.NonNegativeReals if relaxed else pyo.NonNegativeIntegers
    model.running = variable({(j, t): 1 for j, _, t in model.y}, domain)
    model.constraint_2e = rows(
        ((j, w, t), y <= model.running[j, t]) for (j, w, t), y in model.y.items()
    )
    groups = by_key(model.running, lambda j, t: (instance.jobs[j].ps_type, t))
    model.constraint_2f = rows(
        (at, pyo.quicksum(v for _, v in group) <= int((cluster.ps_type == at[0]).sum()))
        for at, group in groups.items()
    )


def storage(model: pyo.ConcreteModel, instance: JctInstance, relaxed: bool) -> None:
    """(7a)-(7e): ``stored >= sum_w k - D (1 - pending)`` and ``sum_j u stored <= U``."""
    cluster = instance.cluster
    domain = pyo.NonNegativeReals if relaxed else pyo.NonNegativeIntegers
    on_server: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for (j, w), count in model.k.items():
        s = int(cluster.worker_server[w])
        if np.isfinite(cluster.storage_gb[s]) and instance.jobs[j].chunk_gb > 0:
            on_server[j, s].append(count)
    most = {at: int(instance.jobs[at[0]].places(cluster)[at[1]]) for at in on_server}
    model.stored = variable(
        {(j, s, t): n for (j, s), n in most.items() for i, t in model.pending if i == j}, domain
    )
    model.constraint_7c = rows(
        (
            (j, s, t),
            stored >= pyo.quicksum(on_server[j, s]) - most[j, s] * (1 - model.pending[j, t]),
        )
        for (j, s, t), stored in model.stored.items()
    )
    groups = by_key(model.stored, lambda j, s, t: (s, t))
    model.constraint_7b = rows(
        (
            (s, t),
            pyo.quicksum(instance.jobs[j].chunk_gb * v for (j, _, _), v in group)
            <= float(cluster.storage_gb[s]) * (1.0 + 1e-9),
        )
        for (s, t), group in groups.items()
    )
    # What is stored fits also without a look at the pending jobs.
    model.places = rows((at, pyo.quicksum(found) <= most[at]) for at, found in on_server.items())


def mean_busy_time(model: pyo.ConcreteModel, instance: JctInstance) -> None:
    """Strengthening: a job is done after its mean busy time by half a chunk, and no sooner.

    A chunk whose end is c (JCT units from r) is trained in p of the slots before c, so the mean
    of its ``t - r`` is at most ``c - (p + 1) / 2``; the mean over the D chunks of a job whose JCT
    is C is at most ``C - (p + 1) / 2``. And no chunk is done before
    ``min(Delta) + p``, or ``Delta_c + p_c`` with ``zeta = 1``.
    """
    y, pending = by_key(model.y, lambda j, w, t: j), by_key(model.pending, lambda j, t: j)
    found = {}
    for job in instance.jobs:
        j, p, delay = job.index, job.chunk_slots, job.cloud_upload_slots or 0
        jct = pyo.quicksum(v for _, v in pending[j])
        zeta, q = or_zero(model.zeta, j), or_zero(model.q, j)
        whole = (delay + job.cloud_chunk_slots) * zeta
        weighted = pyo.quicksum((t - job.arrival) * v for (_, _, t), v in y.get(j, []))
        weighted += (delay + (p - 1) / 2) * p * q
        found[j, "mean"] = jct >= weighted / (p * job.chunks) + (p + 1) / 2 * (1 - zeta) + whole
        firsts = [first - job.arrival for first in first_slots(instance, job).values()]
        least = min([*firsts, delay] if instance.cluster.cloud else firsts, default=0)
        found[j, "least"] = jct >= (least + p) * (1 - zeta) + whole
    model.mean_busy_time = rows(found.items())


def symmetry(model: pyo.ConcreteModel, instance: JctInstance) -> None:
    """Of two workers of one type on one server, the first has at least as many chunks.

    Such workers may be exchanged in any schedule.
    """
    cluster = instance.cluster
    chunks = by_key(model.k, lambda j, w: w)
    place = list(zip(cluster.worker_server.tolist(), cluster.worker_type.tolist(), strict=True))
    last: dict[tuple[int, int], int] = {}
    found = {}
    for w, at in enumerate(place):
        if w in chunks and at in last:
            more, less = chunks[last[at]], chunks[w]
            found[w] = pyo.quicksum(v for _, v in more) >= pyo.quicksum(v for _, v in less)
        last[at] = w
    model.symmetry = rows(found.items())
