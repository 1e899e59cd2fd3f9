"""Formulations of the ``utility`` problem in Pyomo, constraints named as in the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pyomo.environ as pyo

from models.utility.formulations.compact import compact
from models.utility.formulations.limits import JobLimits, job_limits
from models.utility.formulations.schedule_ilp import (
    resource_prices,
    schedule_dual,
    schedule_ilp,
)
from models.utility.formulations.schedules import (
    schedule_from_values,
    set_values,
    without_idle,
)
from models.utility.instance import UtilityInstance

__all__ = [
    "FORMULATIONS",
    "JobLimits",
    "compact",
    "job_limits",
    "resource_prices",
    "schedule_dual",
    "schedule_from_values",
    "schedule_ilp",
    "set_values",
    "without_idle",
]

#: Formulations of an instance alone, by the name that commands know them by.
FORMULATIONS: Mapping[str, Callable[[UtilityInstance], pyo.ConcreteModel]] = {
    "compact": compact,
    "compact-lp": partial(compact, relaxed=True),
    "compact-plain": partial(compact, strengthen=False),
    "compact-plain-lp": partial(compact, relaxed=True, strengthen=False),
}
