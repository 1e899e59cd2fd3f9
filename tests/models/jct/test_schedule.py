"""Schedules of the `jct` problem: intervals, files, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from models.errors import InputError
from models.jct import JctSchedule, score
from tests.models.jct.small import worked_example, worked_schedule


def test_touching_intervals_are_one_row() -> None:
    rows = [(0, 0, 0, 2, 3), (0, 0, 0, 1, 2), (0, 0, 0, 4, 6), (1, 0, 0, 3, 4)]
    schedule = JctSchedule.build(worked_example(), [False] * 3, rows, [])
    assert schedule.workers.tolist() == [[0, 0, 0, 1, 3], [0, 0, 0, 4, 6], [1, 0, 0, 3, 4]]
    assert schedule.ps.tolist() == []


@pytest.mark.parametrize(
    "row",
    [
        (3, 0, 0, 0, 1),  # no fourth job
        (0, 2, 0, 0, 1),  # no third server
        (0, -2, 0, 0, 1),
        (0, 1, 1, 0, 1),  # no second worker there
        (0, 0, -1, 0, 1),
        (0, 0, 0, 1, 1),  # empty
        (0, 0, 0, 19, 21),  # past the horizon
    ],
)
def test_row_that_names_what_is_not_there(row: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="worker row"):
        JctSchedule.build(worked_example(), [False] * 3, [row], [])


def test_flags_are_one_per_job() -> None:
    with pytest.raises(InputError, match=r"2 numbers for 3 jobs - at `together`"):
        JctSchedule.build(worked_example(), [False] * 2, [], [])


@pytest.mark.parametrize("migration", [False, True])
def test_file_round_trip(migration: bool, tmp_path: Path) -> None:
    example = worked_example()
    base = worked_schedule(example)
    schedule = JctSchedule.build(example, base.together, base.workers, base.ps, migration=migration)
    path = tmp_path / "schedule.json.gz"
    schedule.write(path)
    again = JctSchedule.read(path, example)
    assert again.workers.tolist() == schedule.workers.tolist()
    assert again.ps.tolist() == schedule.ps.tolist()
    assert again.together.tolist() == [False, False, True]
    assert again.migration is migration
    assert again.instance_hash == schedule.instance_hash


def written(tmp_path: Path, **changes: Any) -> Path:
    path = tmp_path / "schedule.json"
    worked_schedule(worked_example()).write(path)
    data = json.loads(path.read_text())
    data["jobs"][0].update(changes)
    path.write_text(json.dumps(data))
    return path


def test_zeta_follows_from_the_allocations_when_absent(tmp_path: Path) -> None:
    example = worked_example()
    path = tmp_path / "schedule.json"
    worked_schedule(example).write(path)
    data = json.loads(path.read_text())
    for job in data["jobs"]:
        del job["together"]
    path.write_text(json.dumps(data))
    again = JctSchedule.read(path, example)
    assert again.together.tolist() == [False, False, True]
    assert score(example, again).objective == 12.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": "other"}, "no job 'other' in the instance - at `$.jobs[0].id`"),
        ({"id": "short"}, "job 'short' stands twice - at `$.jobs[1].id`"),
        ({"admitted": False}, "every job has to be admitted - at `$.jobs[0].admitted`"),
        (
            {"allocations": [[20, 0, "worker", 0]]},
            "slot 20 is past the horizon - at `$.jobs[0].allocations[0]`",
        ),
        ({"allocations": [[1, 2, "worker", 0]]}, "no server 2 - at `$.jobs[0].allocations[0]`"),
        (
            {"allocations": [[1, 1, "worker", 1]]},
            "no worker 1 on server 1 - at `$.jobs[0].allocations[0]`",
        ),
        (
            {"allocations": [[1, 1, "ps", 0]]},
            "no parameter server 0 on server 1 - at `$.jobs[0].allocations[0]`",
        ),
        ({"allocations": [[1, -2, "ps", 0]]}, ">= -1"),
        ({"allocations": [[1, 0, "gpu", 0]]}, "Invalid enum value 'gpu'"),
    ],
)
def test_bad_file_is_named(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        JctSchedule.read(written(tmp_path, **changes), worked_example())
    assert message in str(caught.value)


def test_schedule_of_another_instance_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="made for another instance"):
        JctSchedule.read(written(tmp_path), worked_example(storage_gb=9.0))
