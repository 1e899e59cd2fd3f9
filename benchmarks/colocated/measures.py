"""What cells of ``colocated`` measure of runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.colocated.tables import metrics
from benchmarks.study.cell import Measurement, Result
from benchmarks.study.instances import Points
from benchmarks.study.run import run_policy
from benchmarks.study.scheme import policy_of

__all__ = ["draw", "head", "run"]

_TOLD = ("jobs", "slots", "servers", "internal_times", "seed", "reading")
_POINTS = Points("colocated", _TOLD, ("scheme", "reading"))
draw, head = _POINTS.draw, _POINTS.head


def run(*, scheme: Mapping[str, Any], **cell: Any) -> Measurement:
    """One record: :func:`benchmarks.colocated.tables.metrics` of a scheme's run."""
    instance = draw(**cell)

    def measure() -> Result:
        policy = policy_of("colocated", scheme["policy"])
        found = metrics(instance, run_policy(instance, policy, **scheme["parameters"]))
        return Result([{**head(instance, cell), **found, "policy": scheme["name"]}])

    return measure
