"""The scorer: hand-made schedules, one broken constraint at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from models.errors import InputError
from models.sigmoid import Sigmoid
from models.utility import UtilityInstance, UtilitySchedule, score
from tests.models.utility.small import instance, job


@pytest.fixture
def pair() -> UtilityInstance:
    """Two jobs, two worker servers of 2 Gbps, one parameter server of 4 Gbps, 4 slots."""
    return instance(
        [
            job("a", chunks=2, work=3, utility=Sigmoid(priority=2.0, decay=1.0, target=1.0)),
            job("b", arrival=1, chunks=3, work=2, ps=[2.0]),
        ],
        worker_servers=[[2.0], [2.0]],
        ps_servers=[[4.0]],
    )


def codes(ins: UtilityInstance, schedule: UtilitySchedule) -> list[str]:
    return [violation.equation for violation in score(ins, schedule).violations]


def test_objective_by_hand(pair: UtilityInstance) -> None:
    # a: 2 workers in slot 0, 1 in slot 1: done in slot 1, delay 1, utility 2/(1+e^0) = 1.
    # b: 2 workers in slot 1 with one parameter server of 2 Gbps: utility 1. Total 2.
    schedule = UtilitySchedule.build(
        pair,
        [True, True],
        [(0, 0, 0, 1), (0, 0, 1, 1), (0, 1, 0, 1), (1, 1, 1, 2)],
        [(0, 0, 0, 2), (0, 1, 0, 1), (1, 1, 0, 1)],
    )
    result = score(pair, schedule)
    assert result.violations == ()
    assert result.objective == pytest.approx(2.0)
    assert result.completion.tolist() == [1, 1]


def test_a_job_that_is_not_admitted_earns_nothing_but_obeys_capacities(
    pair: UtilityInstance,
) -> None:
    started = UtilitySchedule.build(pair, [False, False], [(0, 0, 0, 2)], [(0, 0, 0, 2)])
    result = score(pair, started)
    assert result.violations == ()
    assert (result.objective, result.completion.tolist()) == (0.0, [-1, -1])
    too_much = UtilitySchedule.build(pair, [False, False], [(0, 0, 0, 3)], [(0, 0, 0, 3)])
    assert codes(pair, too_much) == ["(3)", "(4)"]


ROWS = list[tuple[int, int, int, int]]
BROKEN: list[tuple[str, list[bool], ROWS, ROWS]] = [
    ("(2)", [True, False], [(0, 0, 0, 2)], [(0, 0, 0, 2)]),
    ("(3)", [True, False], [(0, 0, 0, 2), (0, 0, 1, 1)], [(0, 0, 0, 3)]),
    ("(4)", [False, True], [(1, 1, 0, 3)], [(1, 1, 0, 2)]),
    (
        "(5)",
        [True, True],
        [(0, 1, 0, 2), (0, 2, 0, 1), (1, 1, 1, 2)],
        [(0, 1, 0, 2), (0, 2, 0, 1), (1, 1, 0, 2)],
    ),
    ("(6)", [False, True], [(1, 1, 0, 2)], []),
    ("(7)", [False, True], [(1, 1, 0, 1), (1, 2, 0, 1)], [(1, 1, 0, 2), (1, 2, 0, 1)]),
    (
        "(12)",
        [False, True],
        [(1, 1, 0, 2), (1, 2, 0, -1), (1, 3, 0, 1)],
        [(1, 1, 0, 1), (1, 3, 0, 1)],
    ),
]


@pytest.mark.parametrize(("equation", "admitted", "workers", "ps"), BROKEN)
def test_each_constraint_is_named(
    pair: UtilityInstance, equation: str, admitted: list[bool], workers: ROWS, ps: ROWS
) -> None:
    assert equation in codes(pair, UtilitySchedule.build(pair, admitted, workers, ps))


def test_before_arrival_names_both_sides(pair: UtilityInstance) -> None:
    early = UtilitySchedule.build(pair, [False, True], [(1, 0, 0, 2)], [(1, 0, 0, 1)])
    result = score(pair, early)
    assert [v.equation for v in result.violations] == ["(9)", "(10)"]
    assert "job 'b' runs a worker in slot 0, before its arrival 1" in str(result.violations[0])
    assert (result.violations[0].job, result.violations[0].slot) == ("b", 0)


def test_capacity_violation_names_server_and_slot(pair: UtilityInstance) -> None:
    over = UtilitySchedule.build(pair, [False, False], [(1, 2, 1, 3)], [(1, 2, 0, 2)])
    violation = score(pair, over).violations[0]
    assert (violation.equation, violation.slot, violation.server) == ("(4)", 2, 1)
    assert "uses 3 of 2 bandwidth_gbps in slot 2" in violation.message


def test_completion_is_the_last_slot_with_a_worker(pair: UtilityInstance) -> None:
    # (8): idling a worker in slot 3 delays the completion, even though the work was done.
    schedule = UtilitySchedule.build(
        pair,
        [True, False],
        [(0, 0, 0, 2), (0, 1, 0, 1), (0, 3, 0, 1)],
        [(0, 0, 0, 2), (0, 1, 0, 1), (0, 3, 0, 1)],
    )
    assert score(pair, schedule).completion[0] == 3


def test_schedule_file_round_trip_and_refusals(pair: UtilityInstance, tmp_path: Path) -> None:
    schedule = UtilitySchedule.build(pair, [False, True], [(1, 1, 0, 2)], [(1, 1, 0, 1)])
    path = tmp_path / "schedule.json"
    schedule.write(path)
    again = UtilitySchedule.read(path, pair)
    assert np.array_equal(again.workers, schedule.workers)
    assert np.array_equal(again.admitted, schedule.admitted)
    assert score(pair, again).objective == 1.0
    other = instance([job("a"), job("b")])
    with pytest.raises(InputError, match="another instance"):
        UtilitySchedule.read(path, other)
    with pytest.raises(InputError, match="another instance"):
        score(other, schedule)
    for old, new, message in (
        ('"id":"b"', '"id":"z"', "no job 'z'"),
        ("[1,0,", "[9,0,", "past the horizon"),
        ("[1,0,", "[1,7,", "server 7"),
        ('"worker",2', '"worker",0', "allocations"),
    ):
        bad = tmp_path / "bad.json"
        bad.write_text(path.read_text().replace(old, new))
        with pytest.raises(InputError, match=message):
            UtilitySchedule.read(bad, pair)
