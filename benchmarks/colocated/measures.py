"""What cells of ``colocated`` measure of runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.colocated.tables import metrics
from benchmarks.study.cell import Measurement, Result
from benchmarks.study.instances import Points
from benchmarks.study.run import run_policy
from benchmarks.study.scheme import policy_of
from models.colocated import ColocatedInstance
from online.colocated.price_bounds import PriceBounds
from online.price_range import Units

__all__ = ["draw", "head", "run"]

_TOLD = ("jobs", "slots", "servers", "internal_times", "seed", "reading")
_POINTS = Points("colocated", _TOLD, ("scheme", "reading"))
draw, head = _POINTS.draw, _POINTS.head


def run(*, scheme: Mapping[str, Any], **cell: Any) -> Measurement:
    """One record: :func:`benchmarks.colocated.tables.metrics` of a scheme's run.

    A scheme of the paper's policy may have ``level``, what L is multiplied by, and ``units_of`` the
    resources (:func:`online.price_range.resource_scale`).
    """
    instance = draw(**cell)

    def measure() -> Result:
        parameters = dict(scheme["parameters"])
        bounds = {
            name: parameters.pop(name) for name in ("level", "units_of") if name in parameters
        }
        policy: Any = policy_of("colocated", scheme["policy"])
        if bounds:
            policy, parameters = policy(_bounds(instance, **bounds), **parameters), {}
        found = metrics(instance, run_policy(instance, policy, **parameters))
        return Result([{**head(instance, cell), **found, "policy": scheme["name"]}])

    return measure


def _bounds(
    instance: ColocatedInstance, level: float = 1.0, units_of: Units = "normalised"
) -> PriceBounds:
    """U and L in other units of the resources, or with L times a factor, still below U / e."""
    found = PriceBounds.from_instance(instance, units=units_of)
    ranges = tuple(
        replace(side, lower=min(level * side.lower, side.upper[side.upper > 0].min() / np.e))
        for side in found.ranges
        if side.lower > 0.0
    )
    return replace(found, ranges=ranges or found.ranges)
