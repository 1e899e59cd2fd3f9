"""The scorer of the ``colocated`` problem: constraints (3)-(7) of the paper, one by one.

It judges every schedule, offline and online, and shares no code with what it judges.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from models.colocated.cluster import Job
from models.colocated.instance import ColocatedInstance
from models.colocated.schedule import ColocatedSchedule
from models.instance import check_made_for
from models.scoring import Score, Violation

__all__ = ["score"]

_TOLERANCE = 1e-6  # of capacities, relative to max(1, capacity)
_ROUND_OFF = 1e-9  # of (3) and of gamma, relative


def score(instance: ColocatedInstance, schedule: ColocatedSchedule) -> Score:
    """Total utility and every violation.

    =======  =====================================================================================
    (3)      Samples trained by a job that is admitted, at the rate of Fact 1 in each slot:
             internal if and only if all its workers and parameter servers are on one server.
    (4)      At most F workers of a job in a slot.
    (5)      Capacities, with workers and parameter servers of all jobs on a server.
    (6)      The completion slot is read from w: the last slot with a worker.
    (7)      Nothing runs before its arrival.
    gamma    ``w <= gamma s`` in every slot; more parameter servers are allowed. The paper has an
             equation without a number for it.
    >= 0     No negative numbers of workers or parameter servers.
    =======  =====================================================================================

    A job that is not admitted earns nothing; if it was started and did not finish, its allocations
    still have to obey all but (3).

    Parameters
    ----------
    instance : ColocatedInstance
    schedule : ColocatedSchedule
        Must belong to the instance.

    Returns
    -------
    Score

    Raises
    ------
    InputError
        If the schedule belongs to another instance.
    """
    check_made_for(instance, schedule.instance_hash, "schedule")
    jobs, slots = instance.jobs, instance.cluster.slots
    workers, ps = (np.zeros((len(jobs), slots), dtype=np.int64) for _ in range(2))
    for total, rows in ((workers, schedule.workers), (ps, schedule.ps)):
        np.add.at(total, (rows[:, 0], rows[:, 1]), rows[:, 3])
    internal = _servers_used(instance, schedule) == 1
    violations = [
        *_constraint_3(instance, schedule.admitted, workers, internal),
        *_constraint_4(instance, workers),
        *_constraint_5(instance, schedule),
        *_constraint_7(instance, schedule),
        *_gamma(instance, workers, ps),
        *_signs(instance, schedule),
    ]
    completion = np.full(len(jobs), -1, dtype=np.int64)
    value = np.zeros(len(jobs))
    for i in np.flatnonzero(schedule.admitted):
        busy = np.flatnonzero(workers[i] > 0)
        if busy.size:  # (6)
            completion[i] = busy[-1]
            value[i] = float(jobs[i].utility(completion[i] - jobs[i].arrival))
    return Score(float(value.sum()), tuple(violations), completion, value)


def _servers_used(instance: ColocatedInstance, schedule: ColocatedSchedule) -> np.ndarray:
    """Servers on which a job has workers or parameter servers, by job and slot: Fact 1."""
    rows = np.unique(np.concatenate([schedule.workers[:, :3], schedule.ps[:, :3]]), axis=0)
    used = np.zeros((len(instance.jobs), instance.cluster.slots), dtype=np.int64)
    np.add.at(used, (rows[:, 0], rows[:, 1]), 1)
    return used


def _time(job: Job, slot_seconds: float, internal: bool) -> float:
    """Slots in which a worker trains a sample: MB are 8 Mbit, Gbps 1000 Mbit a second."""
    seconds = 2.0 * 8.0 * job.gradient_mb / (job.internal_gbps if internal else job.external_gbps)
    return job.sample_slots + job.gamma / job.max_workers * (seconds / 1000.0) / slot_seconds


def _constraint_3(
    instance: ColocatedInstance, admitted: np.ndarray, workers: np.ndarray, internal: np.ndarray
) -> Iterator[Violation]:
    for i in np.flatnonzero(admitted).tolist():
        job, done = instance.jobs[i], 0.0
        for where in (True, False):
            time = _time(job, instance.cluster.slot_seconds, where)
            done += float(workers[i, internal[i] == where].sum()) / time
        if done < job.samples * (1.0 - _ROUND_OFF):
            message = f"job '{job.id}' trains {done:.12g} of {job.samples} samples"
            yield Violation("(3)", message, job.id)


def _constraint_4(instance: ColocatedInstance, workers: np.ndarray) -> Iterator[Violation]:
    most = np.array([job.max_workers for job in instance.jobs], dtype=np.int64)
    for i, t in np.argwhere(workers > most[:, None]).tolist():
        job, count = instance.jobs[i], workers[i, t]
        message = f"job '{job.id}' runs {count} workers in slot {t}, more than F = {most[i]}"
        yield Violation("(4)", message, job.id, t)


def _constraint_5(instance: ColocatedInstance, schedule: ColocatedSchedule) -> Iterator[Violation]:
    cluster = instance.cluster
    used = np.zeros((cluster.slots, *cluster.servers.shape))
    for kind, rows in (("worker", schedule.workers), ("ps", schedule.ps)):
        if len(rows):
            demand = np.array([getattr(job, kind) for job in instance.jobs])
            np.add.at(used, (rows[:, 1], rows[:, 2]), demand[rows[:, 0]] * rows[:, 3:4])
    over = used > cluster.servers + _TOLERANCE * np.maximum(1.0, cluster.servers)
    for t, h, r in np.argwhere(over).tolist():
        amounts = f"{used[t, h, r]:.9g} of {cluster.servers[h, r]:.9g} {cluster.resources[r]}"
        yield Violation("(5)", f"server {h} uses {amounts} in slot {t}", None, t, h)


def _constraint_7(instance: ColocatedInstance, schedule: ColocatedSchedule) -> Iterator[Violation]:
    arrival = np.array([job.arrival for job in instance.jobs], dtype=np.int64)
    for what, rows in (("worker", schedule.workers), ("parameter server", schedule.ps)):
        for i, t, h, _ in rows[rows[:, 1] < arrival[rows[:, 0]]].tolist():
            job = instance.jobs[i]
            message = f"job '{job.id}' runs a {what} in slot {t}, before its arrival {job.arrival}"
            yield Violation("(7)", message, job.id, t, h)


def _gamma(instance: ColocatedInstance, workers: np.ndarray, ps: np.ndarray) -> Iterator[Violation]:
    gamma = np.array([job.gamma for job in instance.jobs]).reshape(-1, 1)
    for i, t in np.argwhere(workers * (1.0 - _ROUND_OFF) > gamma * ps).tolist():
        job = instance.jobs[i]
        message = (
            f"job '{job.id}' has {workers[i, t]} workers but {ps[i, t]} parameter servers in slot "
            f"{t}, with gamma = {job.gamma:.9g}"
        )
        yield Violation("gamma", message, job.id, t)


def _signs(instance: ColocatedInstance, schedule: ColocatedSchedule) -> Iterator[Violation]:
    for what, rows in (("workers", schedule.workers), ("parameter servers", schedule.ps)):
        for i, t, h, count in rows[rows[:, 3] < 0].tolist():
            job = instance.jobs[i]
            message = f"job '{job.id}' has {count} {what} on server {h} in slot {t}"
            yield Violation(">= 0", message, job.id, t, h)
