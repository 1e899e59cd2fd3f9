"""The scorer of the ``utility`` problem: constraints (2)-(13) of the paper, one by one.

It judges every schedule, offline and online, and shares no code with what it judges.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from models.instance import check_made_for
from models.scoring import Score, Violation
from models.slot_scoring import (
    TOLERANCE,
    before_arrival,
    earned,
    negative,
    over_capacity,
    too_many_workers,
    totals,
)
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule

__all__ = ["score"]


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
    jobs, cluster = instance.jobs, instance.cluster
    # n[i, t] = sum_h y_ih(t), m[i, t] = sum_k z_ik(t)
    n, m = totals(instance, schedule.workers), totals(instance, schedule.ps)
    sides = (
        ("(4)", ("worker",), cluster.worker_servers, "worker server"),
        ("(5)", ("ps",), cluster.ps_servers, "ps server"),
    )
    violations = [
        *_constraint_2(instance, schedule, n),
        *too_many_workers(instance, "(3)", n, [job.chunks for job in jobs], "N"),
        *(fault for side in sides for fault in over_capacity(instance, schedule, *side)),
        *_constraint_6(instance, n, m),
        *_constraint_7(instance, n, m),
        *before_arrival(instance, "(9)", schedule.workers, "worker"),
        *before_arrival(instance, "(10)", schedule.ps, "parameter server"),
        *negative(instance, "(12)", schedule.workers, "workers"),
        *negative(instance, "(13)", schedule.ps, "parameter servers"),
    ]
    completion, value = earned(instance, schedule.admitted, n)  # (8)
    return Score(float(value.sum()), tuple(violations), completion, value)


def _constraint_2(
    instance: UtilityInstance, schedule: UtilitySchedule, n: np.ndarray
) -> Iterator[Violation]:
    for i in np.flatnonzero(schedule.admitted):
        job, done = instance.jobs[i], int(n[i].sum())
        if done < job.work:
            yield Violation("(2)", f"job '{job.id}' gets {done} of {job.work} worker-slots", job.id)


def _constraint_6(instance: UtilityInstance, n: np.ndarray, m: np.ndarray) -> Iterator[Violation]:
    b = np.array([job.worker_gbps for job in instance.jobs]).reshape(-1, 1)
    big_b = np.array([job.ps_gbps for job in instance.jobs]).reshape(-1, 1)
    need, have = n * b, m * big_b
    for i, t in np.argwhere(need > have + TOLERANCE * np.maximum(1.0, have)).tolist():
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
