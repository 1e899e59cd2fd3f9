"""Formulations of the ``utility`` problem in Pyomo, constraints named as in the paper."""

from __future__ import annotations

from models.utility.formulations.compact import compact
from models.utility.formulations.limits import JobLimits, ServerCut, job_limits
from models.utility.formulations.schedule_ilp import (
    resource_prices,
    schedule_dual,
    schedule_ilp,
)
from models.utility.formulations.schedules import (
    schedule_from_columns,
    schedule_from_values,
    set_values,
    without_idle,
)

__all__ = [
    "JobLimits",
    "ServerCut",
    "compact",
    "job_limits",
    "resource_prices",
    "schedule_dual",
    "schedule_from_columns",
    "schedule_from_values",
    "schedule_ilp",
    "set_values",
    "without_idle",
]
