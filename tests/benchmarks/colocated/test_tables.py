"""Tables of runs on `colocated`, on a schedule made by hand."""

from __future__ import annotations

from typing import Any

from benchmarks.colocated.tables import blocks, metrics, places
from benchmarks.study.run import run_policy
from models.colocated import ColocatedInstance, ColocatedSchedule
from online.colocated.fifo import FIFO
from tests.models.colocated.small import instance, job


def two_machines() -> ColocatedInstance:
    more: dict[str, Any] = {"samples": 4, "max_workers": 2}
    return instance([job("a", **more), job("b", 1, samples=9)], servers=[[2.0], [4.0]])


def made() -> ColocatedSchedule:
    """Job a: on machine 1 alone in slots 0 and 1, then a worker there, its PS elsewhere."""
    workers = [(0, 0, 1, 2), (0, 1, 1, 2), (0, 2, 1, 1)]
    ps = [(0, 0, 1, 2), (0, 1, 1, 2), (0, 2, 0, 1)]
    return ColocatedSchedule.build(two_machines(), [True, False], workers, ps)


def test_places_know_what_is_internal() -> None:
    assert places(made()).values.tolist() == [
        [0, 0, 1, 2, 2, True],
        [0, 1, 1, 2, 2, True],
        [0, 2, 0, 0, 1, False],
        [0, 2, 1, 1, 0, False],
    ]


def test_blocks_are_what_a_gantt_chart_needs() -> None:
    assert blocks(two_machines(), made()).values.tolist() == [
        ["a", 0, 2, 3, 1, 0.5, "external"],
        ["a", 1, 0, 2, 4, 1.0, "internal"],
        ["a", 1, 2, 3, 1, 0.25, "external"],
    ]


def test_metrics_of_a_run() -> None:
    ins = two_machines()
    found = metrics(ins, run_policy(ins, FIFO))
    # Job a asks for 2 workers and takes 2 slots; b needs 9 slots of which there are 3.
    assert (found["completed"], found["time_done"], found["internal"]) == (1, 2.0, 1.0)
    assert found["time_all"] == (2 + 4) / 2
    assert found["utility"] == 1.0


def test_metrics_of_nothing() -> None:
    ins = instance([job("a", samples=9)])
    found = metrics(ins, run_policy(ins, FIFO))
    assert (found["completed"], found["time_done"], found["time_all"]) == (0, None, 5.0)
