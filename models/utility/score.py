"""The scorer of the ``utility`` problem: constraints (2)-(13) of the paper, one by one.

It judges every schedule, offline and online, and shares no code with what it judges.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from models.instance import check_made_for
from models.scoring import Score, Violation
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule

__all__ = ["score"]

_TOLERANCE = 1e-6  # relative to max(1, right-hand side)


def score(instance: UtilityInstance, schedule: UtilitySchedule) -> Score:
    """Objective (1) and every violation of (2)-(13).

    The completion slot ``t_i`` of (8) is read from y. A job that is not admitted earns
    nothing; if it was started and did not finish, its allocations still have to obey
    (4)-(7), (9), (10) and at most N workers a slot, but not (2) nor the x in (3).

    Parameters
    ----------
    instance : UtilityInstance
    schedule : UtilitySchedule
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
    # n[i, t] = sum_h y_ih(t), m[i, t] = sum_k z_ik(t)
    n = np.zeros((len(jobs), slots), dtype=np.int64)
    m = np.zeros((len(jobs), slots), dtype=np.int64)
    np.add.at(n, (schedule.workers[:, 0], schedule.workers[:, 1]), schedule.workers[:, 3])
    np.add.at(m, (schedule.ps[:, 0], schedule.ps[:, 1]), schedule.ps[:, 3])

    violations = [
        *_constraint_2(instance, schedule, n),
        *_constraint_3(instance, n),
        *_capacity(instance, "(4)", schedule.workers, "worker"),
        *_capacity(instance, "(5)", schedule.ps, "ps"),
        *_constraint_6(instance, n, m),
        *_constraint_7(instance, n, m),
        *_before_arrival(instance, "(9)", schedule.workers, "worker"),
        *_before_arrival(instance, "(10)", schedule.ps, "parameter server"),
        *_signs(instance, "(12)", schedule.workers, "workers"),
        *_signs(instance, "(13)", schedule.ps, "parameter servers"),
    ]
    completion = np.full(len(jobs), -1, dtype=np.int64)
    value = np.zeros(len(jobs))
    for i in np.flatnonzero(schedule.admitted):
        busy = np.flatnonzero(n[i] > 0)
        if busy.size:  # (8)
            completion[i] = busy[-1]
            value[i] = float(jobs[i].utility(completion[i] - jobs[i].arrival))
    return Score(float(value.sum()), tuple(violations), completion, value)


def _constraint_2(
    instance: UtilityInstance, schedule: UtilitySchedule, n: np.ndarray
) -> Iterator[Violation]:
    for i in np.flatnonzero(schedule.admitted):
        job, done = instance.jobs[i], int(n[i].sum())
        if done < job.work:
            yield Violation("(2)", f"job '{job.id}' gets {done} of {job.work} worker-slots", job.id)


def _constraint_3(instance: UtilityInstance, n: np.ndarray) -> Iterator[Violation]:
    chunks = np.array([job.chunks for job in instance.jobs], dtype=np.int64)
    for i, t in np.argwhere(n > chunks[:, None]).tolist():
        job = instance.jobs[i]
        message = f"job '{job.id}' runs {n[i, t]} workers in slot {t}, more than N = {job.chunks}"
        yield Violation("(3)", message, job.id, t)


def _capacity(
    instance: UtilityInstance, equation: str, rows: np.ndarray, kind: str
) -> Iterator[Violation]:
    cluster = instance.cluster
    capacity = cluster.worker_servers if kind == "worker" else cluster.ps_servers
    demand = np.array([job.worker if kind == "worker" else job.ps for job in instance.jobs])
    used = np.zeros((cluster.slots, *capacity.shape))
    if len(rows):
        np.add.at(used, (rows[:, 1], rows[:, 2]), demand[rows[:, 0]] * rows[:, 3:4])
    over = used > capacity + _TOLERANCE * np.maximum(1.0, capacity)
    for t, s, r in np.argwhere(over).tolist():
        message = (
            f"{kind} server {s} uses {used[t, s, r]:.9g} of {capacity[s, r]:.9g} "
            f"{cluster.resources[r]} in slot {t}"
        )
        yield Violation(equation, message, None, t, s)


def _constraint_6(instance: UtilityInstance, n: np.ndarray, m: np.ndarray) -> Iterator[Violation]:
    b = np.array([job.worker_gbps for job in instance.jobs]).reshape(-1, 1)
    big_b = np.array([job.ps_gbps for job in instance.jobs]).reshape(-1, 1)
    need, have = n * b, m * big_b
    for i, t in np.argwhere(need > have + _TOLERANCE * np.maximum(1.0, have)).tolist():
        job = instance.jobs[i]
        message = (
            f"job '{job.id}' has {need[i, t]:.9g} Gbps of workers but {have[i, t]:.9g} Gbps of "
            f"parameter servers in slot {t}"
        )
        yield Violation("(6)", message, job.id, t)


def _constraint_7(instance: UtilityInstance, n: np.ndarray, m: np.ndarray) -> Iterator[Violation]:
    for i, t in np.argwhere(m > n).tolist():
        job = instance.jobs[i]
        message = (
            f"job '{job.id}' has {m[i, t]} parameter servers but {n[i, t]} workers in slot {t}"
        )
        yield Violation("(7)", message, job.id, t)


def _before_arrival(
    instance: UtilityInstance, equation: str, rows: np.ndarray, what: str
) -> Iterator[Violation]:
    arrival = np.array([job.arrival for job in instance.jobs], dtype=np.int64)
    for i, t, s, _ in rows[rows[:, 1] < arrival[rows[:, 0]]].tolist():
        job = instance.jobs[i]
        message = f"job '{job.id}' runs a {what} in slot {t}, before its arrival {job.arrival}"
        yield Violation(equation, message, job.id, t, s)


def _signs(
    instance: UtilityInstance, equation: str, rows: np.ndarray, what: str
) -> Iterator[Violation]:
    for i, t, s, count in rows[rows[:, 3] < 0].tolist():
        job = instance.jobs[i]
        message = f"job '{job.id}' has {count} {what} on server {s} in slot {t}"
        yield Violation(equation, message, job.id, t, s)
