"""Formulations of the ``completion`` problem in Pyomo, constraints named as in the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pyomo.environ as pyo

from models.completion.formulations.time_indexed import max_weight, time_indexed
from models.completion.instance import CompletionInstance

__all__ = ["FORMULATIONS"]


#: Formulations of an instance alone, by the name that commands know them by.
FORMULATIONS: Mapping[str, Callable[[CompletionInstance], pyo.ConcreteModel]] = {
    "time-indexed": time_indexed,
    "time-indexed-lp": partial(time_indexed, relaxed=True),
    "max-weight": lambda one: max_weight(one, one.cluster.slots, range(len(one.jobs))),
}
