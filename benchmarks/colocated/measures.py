"""What cells of ``colocated`` measure of runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.colocated.tables import metrics
from benchmarks.study.cell import Result
from benchmarks.study.instances import drawn, instance_of
from benchmarks.study.run import run_policy
from benchmarks.study.scheme import policy_of
from models.colocated import ColocatedInstance
from models.problem import problem

__all__ = ["draw", "head", "run"]

Measurement = Callable[[], Result]

_POINT = ("jobs", "slots", "servers", "internal_times", "seed")
_OF_CELL = ("scheme", "reading")


def draw(*, jobs: int, slots: int, servers: int, seed: int, **settings: Any) -> ColocatedInstance:
    """The instance of a point: its size and settings, without what else a cell is told."""
    settings = {name: value for name, value in settings.items() if name not in _OF_CELL}
    source = drawn(
        "colocated", jobs=jobs, slots=slots, servers=servers, seed=seed, settings=settings
    )
    instance: ColocatedInstance = instance_of(source)
    return instance


def head(instance: ColocatedInstance, cell: Mapping[str, Any]) -> dict[str, Any]:
    """What every record says of where it was measured."""
    told = {name: cell[name] for name in (*_POINT, "reading") if name in cell}
    return {**told, "load": problem("colocated").load(instance)}


def run(*, scheme: Mapping[str, Any], **cell: Any) -> Measurement:
    """One record: :func:`benchmarks.colocated.tables.metrics` of a scheme's run."""
    instance = draw(**cell)

    def measure() -> Result:
        policy = policy_of("colocated", scheme["policy"])
        found = metrics(instance, run_policy(instance, policy, **scheme["parameters"]))
        return Result([{**head(instance, cell), **found, "policy": scheme["name"]}])

    return measure
