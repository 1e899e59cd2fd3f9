"""Schedules and columns of `completion`: rows, files, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.completion import CompletionInstance, CompletionSchedule
from models.completion.cluster import NO_TYPE
from models.completion.column import Column, schedule_of
from models.errors import InputError
from tests.models.completion.small import instance, job, ring_job


def example() -> CompletionInstance:
    return instance([job("a", chunks=3), job("b"), job("c")], servers=[[4.0], [4.0]])


def test_rows_are_merged() -> None:
    rows = [
        (1, 5, 6, 0, 1, 1),
        (0, 2, 4, 1, 1, 0),  # touches the next
        (0, 4, 7, 1, 1, 0),
        (0, 3, 5, 1, 0, 2),  # lies over both
        (0, 8, 9, 1, 1, 0),
        (0, 8, 9, 1, -1, 0),  # takes that back
        (0, 2, 7, 0, 1, 1),
    ]
    found = CompletionSchedule.build(example(), [0, 0, 0], [0, 0, 0], rows, elastic=True)
    assert found.rows.tolist() == [
        [0, 2, 3, 1, 1, 0],
        [0, 2, 7, 0, 1, 1],
        [0, 3, 5, 1, 1, 2],
        [0, 5, 7, 1, 1, 0],
        [1, 5, 6, 0, 1, 1],
    ]
    assert found.start.tolist() == [2, 5, -1]
    assert found.end.tolist() == [7, 6, -1]
    assert found.duration.tolist() == [5, 1, 0]
    assert found.worker_type.tolist() == [0, 0, NO_TYPE]
    assert found.ps_type.tolist() == [0, 0, NO_TYPE]
    with pytest.raises(ValueError, match="WRITEABLE"):
        found.rows.setflags(write=True)


@pytest.mark.parametrize("elastic", [False, True])
def test_file_round_trip(elastic: bool, tmp_path: Path) -> None:
    # Past the four slots in which jobs arrive, too.
    rows = [(0, 2, 7, 0, 1, 1), (0, 2, 7, 1, 2, 0), (1, 9, 10, 1, 1, 1)]
    if elastic:
        rows.append((0, 8, 9, 1, 1, 1))
    written = CompletionSchedule.build(example(), [0] * 3, [0] * 3, rows, elastic=elastic)
    path = tmp_path / "schedule.json.gz"
    written.write(path)
    again = CompletionSchedule.read(path, example())
    assert again.rows.tolist() == written.rows.tolist()
    assert again.worker_type.tolist() == [0, 0, NO_TYPE]
    assert again.ps_type.tolist() == [0, 0, NO_TYPE]
    assert again.elastic is elastic


def test_schedules_of_all_reduce_have_no_ps(tmp_path: Path) -> None:
    ins = instance([ring_job("a")], architecture="allreduce")
    written = CompletionSchedule.build(ins, [0], [NO_TYPE], [(0, 0, 1, 0, 1, 0)])
    written.write(tmp_path / "schedule.json")
    data = json.loads((tmp_path / "schedule.json").read_text())
    assert data["jobs"] == [
        {
            "id": "a",
            "admitted": True,
            "start": 0,
            "duration": 1,
            "worker_type": 0,
            "ps_type": -1,
            "allocations": [[0, 0, "worker", 1]],
        }
    ]
    with pytest.raises(InputError, match="job 'a' has no PS type 0"):
        CompletionSchedule.build(ins, [0], [0], [(0, 0, 1, 0, 1, 1)])


@pytest.mark.parametrize(
    "row", [(3, 0, 1, 0, 1, 1), (0, -1, 1, 0, 1, 1), (0, 1, 1, 0, 1, 1), (0, 0, 1, 2, 1, 1)]
)
def test_rows_that_name_nothing_are_refused(row: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="is empty or names what is not there"):
        CompletionSchedule.build(example(), [0] * 3, [0] * 3, [row])


def test_types_are_checked() -> None:
    with pytest.raises(InputError, match="job 'a' has no worker type 1"):
        CompletionSchedule.build(example(), [1, 0, 0], [0] * 3, [(0, 0, 1, 0, 1, 1)])
    with pytest.raises(InputError, match="job 'a' has no PS type -1"):
        CompletionSchedule.build(example(), [0] * 3, [-1] * 3, [(0, 0, 1, 0, 1, 1)])


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"id": "z"}, "no job 'z' in the instance - at `$.jobs[0].id`"),
    ({"admitted": False}, "every job has to be admitted - at `$.jobs[0].admitted`"),
    ({"allocations": []}, "do not span the 1 slots from 2 on - at `$.jobs[0].start`"),
    ({"worker_type": 1}, "job 'a' has no worker type 1"),
    ({"ps_type": -1}, "job 'a' has no PS type -1"),
    ({"start": 1}, "do not span the 1 slots from 1 on - at `$.jobs[0].start`"),
    ({"duration": 2}, "do not span the 2 slots from 2 on - at `$.jobs[0].start`"),
    ({"allocations": [[2, 5, "worker", 1]]}, "row (0, 2, 3, 5, 1, 0) (job, begin, end, server"),
    ({"allocations": [[2, 0, "worker", 0]]}, "at `$.jobs[0].allocations[0][3]`"),
    ({"colour": 1}, "unknown field `colour`"),
]


@pytest.mark.parametrize(("changes", "fault"), FAULTS)
def test_what_is_refused(changes: dict[str, Any], fault: str, tmp_path: Path) -> None:
    ins, path = example(), tmp_path / "schedule.json"
    CompletionSchedule.build(ins, [0] * 3, [0] * 3, [(0, 2, 3, 0, 1, 1)]).write(path)
    data = json.loads(path.read_text())
    data["jobs"][0] |= changes
    path.write_text(json.dumps(data))
    with pytest.raises(InputError) as caught:
        CompletionSchedule.read(path, ins)
    assert fault in str(caught.value) and str(path) in str(caught.value)
    data["jobs"] *= 2
    data["instance"] = "0" * 64
    path.write_text(json.dumps(data))
    with pytest.raises(InputError):
        CompletionSchedule.read(path, ins)


def test_columns() -> None:
    ins = example()
    servers, workers, ps = np.array([0, 1]), np.array([2, 1]), np.array([0, 1])
    spread = Column(0, 0, servers, workers, ps, 0, 1, 2, value=5.0, cost=2.0)
    inside = Column(0, 0, np.array([1]), np.array([1]), np.array([1]), 1, 4, 1, value=1.0)
    assert (spread.completion, spread.internal, spread.payoff) == (3, False, 3.0)
    assert inside.internal
    assert spread.amounts(ins.cluster).tolist() == [[2.0], [2.0]]
    found = schedule_of(ins, [inside, spread])
    assert found.rows.tolist() == [[0, 1, 3, 0, 2, 0], [0, 1, 3, 1, 1, 1], [1, 4, 5, 1, 1, 1]]
    with pytest.raises(ValueError, match="two columns of job 1"):
        schedule_of(ins, [inside, inside])
