"""Formulations of the ``completion`` problem in Pyomo, constraints named as in the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pyomo.environ as pyo

from models.completion.formulations.time_indexed import max_weight, time_indexed
from models.completion.instance import CompletionInstance

__all__ = ["FORMULATIONS"]


def _one_batch(instance: CompletionInstance, *, relaxed: bool = False) -> pyo.ConcreteModel:
    """(7) or (16) of all jobs, as if they had arrived, until T."""
    return max_weight(instance, instance.cluster.slots, range(len(instance.jobs)), relaxed=relaxed)


#: Formulations of an instance alone, by the name that commands know them by.
FORMULATIONS: Mapping[str, Callable[[CompletionInstance], pyo.ConcreteModel]] = {
    "time-indexed": time_indexed,
    "time-indexed-lp": partial(time_indexed, relaxed=True),
    "max-weight": _one_batch,
    "max-weight-lp": partial(_one_batch, relaxed=True),
}
