"""Formulations of the ``colocated`` problem in Pyomo, constraints named as in the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pyomo.environ as pyo

from models.colocated.formulations.compact import compact
from models.colocated.instance import ColocatedInstance

__all__ = ["FORMULATIONS"]

#: Formulations of an instance alone, by the name that commands know them by.
FORMULATIONS: Mapping[str, Callable[[ColocatedInstance], pyo.ConcreteModel]] = {
    "compact": compact,
    "compact-lp": partial(compact, relaxed=True),
}
