"""Formulations of the ``jct`` problem in Pyomo, constraints named as in the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pyomo.environ as pyo

from models.jct.formulations.chunk import chunk
from models.jct.formulations.flow_lp import flow_dual, flow_lp
from models.jct.formulations.fractional import fractional
from models.jct.formulations.literal import literal
from models.jct.instance import JctInstance

__all__ = ["FORMULATIONS", "chunk", "flow_dual", "flow_lp", "fractional", "literal"]

#: Formulations of an instance alone, by the name that commands know them by.
FORMULATIONS: Mapping[str, Callable[[JctInstance], pyo.ConcreteModel]] = {
    "chunk": chunk,
    "chunk-lp": partial(chunk, relaxed=True),
    "literal": literal,
    "fractional": fractional,
    "flow-lp": flow_lp,
    "flow-dual": flow_dual,
    "capacitated": partial(fractional, capacitated=True),
    "capacitated-lp": partial(flow_lp, capacitated=True),
    "capacitated-dual": partial(flow_dual, capacitated=True),
}
