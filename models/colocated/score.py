"""The scorer of the ``colocated`` problem: constraints (3)-(7) of the paper, one by one.

It judges every schedule, offline and online, and shares no code with what it judges.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from models.allocations import summed_rows
from models.colocated.cluster import Job
from models.colocated.instance import ColocatedInstance
from models.colocated.schedule import ColocatedSchedule
from models.instance import check_made_for
from models.scoring import Score, Violation
from models.slot_scoring import (
    before_arrival,
    earned,
    negative,
    over_capacity,
    too_many_workers,
    totals,
)

__all__ = ["score"]

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
    jobs, servers, kinds = instance.jobs, instance.cluster.servers, ("worker", "ps")
    workers, ps = totals(instance, schedule.workers), totals(instance, schedule.ps)
    internal = _servers_used(instance, schedule) == 1
    violations = [
        *_constraint_3(instance, schedule.admitted, workers, internal),
        *too_many_workers(instance, "(4)", workers, [job.max_workers for job in jobs], "F"),
        *over_capacity(instance, schedule, "(5)", kinds, servers, "server"),
        *before_arrival(instance, "(7)", schedule.workers, "worker"),
        *before_arrival(instance, "(7)", schedule.ps, "parameter server"),
        *_gamma(instance, workers, ps),
        *negative(instance, ">= 0", schedule.workers, "workers"),
        *negative(instance, ">= 0", schedule.ps, "parameter servers"),
    ]
    completion, value = earned(instance, schedule.admitted, workers)  # (6)
    return Score(float(value.sum()), tuple(violations), completion, value)


def _servers_used(instance: ColocatedInstance, schedule: ColocatedSchedule) -> np.ndarray:
    """Servers on which a job has workers or parameter servers, by job and slot: Fact 1."""
    rows = np.concatenate([schedule.workers, schedule.ps])
    rows[:, 3] = 1
    rows = summed_rows(rows, 4)  # each place once
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


def _gamma(instance: ColocatedInstance, workers: np.ndarray, ps: np.ndarray) -> Iterator[Violation]:
    gamma = np.array([job.gamma for job in instance.jobs]).reshape(-1, 1)
    for i, t in np.argwhere(workers * (1.0 - _ROUND_OFF) > gamma * ps).tolist():
        job = instance.jobs[i]
        message = (
            f"job '{job.id}' has {workers[i, t]} workers but {ps[i, t]} parameter servers in slot "
            f"{t}, with gamma = {job.gamma:.9g}"
        )
        yield Violation("gamma", message, job.id, t)
