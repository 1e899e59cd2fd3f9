"""From the variables of a model to a schedule, and back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyomo.environ as pyo

from models.errors import InputError
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from models.utility.score import score

__all__ = ["schedule_from_values", "set_values", "without_idle"]

Values = Mapping[Any, float]  # by (job, server, slot)


def schedule_from_values(
    instance: UtilityInstance, x: Mapping[int, float], y: Values, z: Values
) -> UtilitySchedule:
    """Schedule of a solution of the compact ILP, without idle workers.

    Parameters
    ----------
    instance : UtilityInstance
    x : mapping of job to value
        Admitted where above 1/2; jobs that are not mentioned are not admitted.
    y, z : mapping of (job, server, slot) to value
        Rounded to whole numbers.
    """
    admitted = np.zeros(len(instance.jobs), dtype=bool)
    for i, value in x.items():
        admitted[i] = value > 0.5
    tables = [[(i, t, s, round(value)) for (i, s, t), value in part.items()] for part in (y, z)]
    return without_idle(instance, UtilitySchedule.build(instance, admitted, *tables))


def without_idle(instance: UtilityInstance, schedule: UtilitySchedule) -> UtilitySchedule:
    """The same schedule without what does no harm to leave out.

    Drops the workers beyond the need W, last slots and last servers first, the parameter
    servers beyond ``ceil(n b / B)``, and all of the jobs that are not admitted. Breaks no
    constraint and completes no job later.
    """
    need = {job.index: job.work for job in instance.jobs if schedule.admitted[job.index]}
    running: dict[tuple[int, int], int] = defaultdict(int)
    workers, ps = [], []
    for i, t, server, count in schedule.workers.tolist():  # sorted by job, slot, server
        kept = min(count, need.get(i, 0))
        if kept > 0:
            need[i] -= kept
            running[i, t] += kept
            workers.append((i, t, server, kept))
    left = {(i, t): instance.jobs[i].ps_needed(n) for (i, t), n in running.items()}
    for i, t, server, count in schedule.ps.tolist():
        kept = min(count, left.get((i, t), 0))
        if kept > 0:
            left[i, t] -= kept
            ps.append((i, t, server, kept))
    return UtilitySchedule.build(instance, schedule.admitted, workers, ps)


def set_values(
    model: pyo.ConcreteModel, instance: UtilityInstance, schedule: UtilitySchedule
) -> None:
    """Give the variables of a compact model the values of a feasible schedule.

    Raises
    ------
    InputError
        If the schedule is for another instance or breaks a constraint.
    """
    violations = score(instance, schedule).violations
    if violations:
        raise InputError(f"start is no feasible schedule: {violations[0]}")
    schedule = without_idle(instance, schedule)
    completion = score(instance, schedule).completion
    for variable in (model.d, model.n, model.m, model.y, model.z):
        variable.set_values(dict.fromkeys(variable, 0))
    for i, t in model.d:
        model.d[i, t].set_value(int(0 <= completion[i] <= t))
    for part, total, table in (
        (model.y, model.n, schedule.workers),
        (model.z, model.m, schedule.ps),
    ):
        for i, t, s, count in table.tolist():
            part[i, s, t].set_value(count)
            total[i, t].set_value(total[i, t].value + count)
