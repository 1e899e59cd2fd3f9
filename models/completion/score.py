"""The scorer of the ``completion`` problem: constraints (2a)-(2o), (15a) and (15b), one by one.

It judges every schedule, offline and online, and shares no code with what it judges.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from models.completion.cluster import Cluster, Job
from models.completion.instance import CompletionInstance
from models.completion.schedule import CompletionSchedule
from models.instance import check_made_for
from models.scoring import Score, Violation

__all__ = ["score"]

_TOLERANCE = 1e-6  # of capacities, relative to max(1, capacity)
_ROUND_OFF = 1e-9  # of (2f) and (2i), relative

Fault = tuple[str, str, int | None, int | None]  # equation, what the job does, slot, server


def score(instance: CompletionInstance, schedule: CompletionSchedule) -> Score:
    """Total weighted completion time and every violation.

    ================  ============================================================================
    (2a)              A job that does not run at all; or one that pauses or whose placement changes,
                      unless the schedule is elastic.
    (2b), (2c)        No job can have two types. One without workers breaks (2b), without PSs (2e).
    (2d), (15a)       Hold of themselves, since q is read from the placement; as do (2m)-(2o).
    (2f)              Elastic: ``sum_t N_t rho_t >= E D K`` with the rate of each slot.
    (2h), (15b)       In every slot, also past T.
    ================  ============================================================================

    The others hold in every slot in which a job runs. The score's ``completion`` is ``c_j``, the
    first slot after the last of a job, and ``value`` is ``w_j c_j``; -1 and 0 of jobs that are not
    done. Raises InputError if the schedule belongs to another instance.
    """
    check_made_for(instance, schedule.instance_hash, "schedule")
    bounds = np.searchsorted(schedule.rows[:, 0], np.arange(len(instance.jobs) + 1))
    types = zip(schedule.worker_type.tolist(), schedule.ps_type.tolist(), strict=True)
    completion = np.full(len(instance.jobs), -1, dtype=np.int64)
    violations: list[Violation] = []
    for job, (m, p), (first, last) in zip(
        instance.jobs, types, pairwise(bounds.tolist()), strict=True
    ):
        rows = schedule.rows[first:last, 1:]
        found = list(_job(job, instance.cluster, m, p, rows, schedule.elastic))
        if len(rows) and not any(equation == "(2f)" for equation, *_ in found):
            completion[job.index] = rows[:, 1].max()
        for equation, fault, slot, server in found:
            message = f"job '{job.id}' {fault}" + (f" in slot {slot}" if slot is not None else "")
            violations.append(Violation(equation, message, job.id, slot, server))
    violations += _capacity(instance, schedule)
    weight = np.array([job.weight for job in instance.jobs])
    value = np.where(completion >= 0, weight * completion, 0.0)
    return Score(float(value.sum()), tuple(violations), completion, value)


def _job(
    job: Job, cluster: Cluster, m: int, p: int, rows: np.ndarray, elastic: bool
) -> Iterator[Fault]:
    """What one job breaks on its own; rows are (begin, end, server, workers, ps)."""
    if not len(rows):
        yield "(2a)", "does not run", None, None
        return
    start = int(rows[:, 0].min())
    if start < job.arrival:
        yield "(2j)", f"runs before its arrival {job.arrival}", start, None
    if not elastic and (rows[:, :2] != rows[0, :2]).any():
        yield "(2a)", "pauses, or its placement changes", None, None
    done = 0.0
    for begin, end in pairwise(np.unique(rows[:, :2]).tolist()):
        placed = rows[(rows[:, 0] <= begin) & (end <= rows[:, 1]), 2:]
        if len(placed):  # no pause
            yield from _slot(job, cluster, m, p, begin, placed)
            workers = int(placed[:, 1].sum())
            if workers > 0 and (cluster.allreduce or placed[:, 2].any()):
                rate = _rate(job, cluster, m, p, workers, len(placed) == 1)
                done += (end - begin) * workers * rate
    if done < job.work * (1.0 - _ROUND_OFF):
        yield "(2f)", f"trains {done:.12g} of {job.work} mini-batches", None, None


def _rate(job: Job, cluster: Cluster, m: int, p: int, workers: int, internal: bool) -> float:
    """``rho`` of (1), or of (14)."""
    gigabits = 0.0 if internal else 2.0 * 8.0 * job.gradient_mb / 1000.0
    transfer = gigabits / float(cluster.worker_types[m, cluster.bandwidth]) / cluster.slot_seconds
    update = float(job.update_slots[0 if cluster.allreduce else p])
    part = (workers - 1) / workers if cluster.allreduce else 1.0
    return 1.0 / (float(job.minibatch_slots[m]) + update * part + transfer * part)


def _slot(
    job: Job, cluster: Cluster, m: int, p: int, slot: int, placed: np.ndarray
) -> Iterator[Fault]:
    """What a job breaks in a slot; placed are rows (server, workers, ps)."""
    for server, y, s in placed[(placed[:, 1:] < 0).any(axis=1)].tolist():
        equation, what = ("(2k)", f"{y} workers") if y < 0 else ("(2l)", f"{s} PSs")
        yield equation, f"has {what} on server {server}", slot, server
    workers, ps = placed[:, 1:].sum(axis=0).tolist()
    if not placed[:, 1].any():
        yield "(2b)", "has no worker", slot, None
    if workers > job.chunks:
        yield "(2g)", f"has {workers} workers, more than D = {job.chunks},", slot, None
    if cluster.allreduce:
        return
    if ps < 1:
        yield "(2e)", f"has {ps} PSs", slot, None
    for server, y, s in placed[placed[:, 2] > 0].tolist():
        need = (workers - y) * float(cluster.worker_types[m, cluster.bandwidth])
        have = s * float(cluster.ps_types[p, cluster.bandwidth])
        if need * (1.0 - _ROUND_OFF) > have:
            gbps = f"{have:.9g} Gbps of PSs on server {server} for {need:.9g} Gbps of workers"
            yield "(2i)", f"has {gbps} elsewhere", slot, server


def _capacity(instance: CompletionInstance, schedule: CompletionSchedule) -> Iterator[Violation]:
    """(2h), (15b): the first slot of each stretch of them in which a resource runs over."""
    cluster, rows = instance.cluster, schedule.rows
    amount = rows[:, 4:5] * cluster.worker_types[schedule.worker_type[rows[:, 0]]]
    if not cluster.allreduce:
        amount = amount + rows[:, 5:6] * cluster.ps_types[schedule.ps_type[rows[:, 0]]]
    for h, capacity in enumerate(cluster.servers):
        here = rows[:, 3] == h
        slots, place = np.unique(rows[here, 1:3], return_inverse=True)
        used = np.zeros((len(slots), len(capacity)))
        ends = place.reshape(-1, 2)
        np.add.at(used, ends[:, 0], amount[here])
        np.add.at(used, ends[:, 1], -amount[here])
        used = np.cumsum(used, axis=0)
        over = used > capacity + _TOLERANCE * np.maximum(1.0, capacity)
        opens = over & ~np.vstack([np.zeros_like(over[:1]), over[:-1]])
        for k, r in np.argwhere(opens).tolist():
            t, name = int(slots[k]), cluster.resources[r]
            message = f"server {h} uses {used[k, r]:.9g} of {capacity[r]:.9g} {name} in slot {t}"
            yield Violation("(15b)" if cluster.allreduce else "(2h)", message, None, t, h)
