"""Formulations of the ``completion`` problem in Pyomo, constraints named as in the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pyomo.environ as pyo

from models.completion.formulations.modes import Mode, horizon, modes
from models.completion.formulations.schedule_ilp import schedule_dual, schedule_ilp
from models.completion.formulations.time_indexed import columns_of, max_weight, time_indexed
from models.completion.instance import CompletionInstance

__all__ = [
    "FORMULATIONS",
    "Mode",
    "columns_of",
    "horizon",
    "max_weight",
    "modes",
    "schedule_dual",
    "schedule_ilp",
    "time_indexed",
]

#: Formulations of an instance alone, by the name that commands know them by.
FORMULATIONS: Mapping[str, Callable[[CompletionInstance], pyo.ConcreteModel]] = {
    "time-indexed": time_indexed,
    "time-indexed-lp": partial(time_indexed, relaxed=True),
}
