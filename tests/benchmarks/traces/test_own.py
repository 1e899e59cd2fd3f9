"""A table of one's own: its columns, what is dropped, and that every problem takes it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.contract import experiments_of
from benchmarks.generate import main as generate
from benchmarks.study.file import read_study_file
from benchmarks.trace import main as trace_command
from benchmarks.traces import read_trace
from models.errors import InputError
from models.problem import own_problem_names, read_instance

HEADER = "job,submit_s,duration_s,workers,weight,who"
EPOCH = 1_700_000_000  # 22:13:20 of a day: 800 s after a full hour


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def many(tmp_path: Path) -> Path:
    """400 jobs, twelve an hour, of 1 to 8 workers for up to two hours; the heaviest weighs 7."""
    rows = (
        f"j{i},{EPOCH + 300 * i},{600 + 17 * (i % 397)},{1 + i % 8},{1 + i % 7},me"
        for i in range(400)
    )
    return write(tmp_path / "jobs.csv", HEADER, *rows)


def test_columns_by_hand(tmp_path: Path) -> None:
    late, early = f"late,{EPOCH + 3600},50,3,2.5,you", f"early,{EPOCH},100,2,1,me"
    bad = (f"a,{EPOCH},0,1,1,x", f"b,{EPOCH},5,0,1,x", f"c,{EPOCH},5,1,0,x")
    table = read_trace(f"csv:{write(tmp_path / 'a.csv', HEADER, late, early, *bad)}").table("jobs")
    frame = table.frame
    assert frame["job"].tolist() == ["early", "late"]
    assert frame["submit_s"].tolist() == [800.0, 4400.0]
    assert frame["gpus"].tolist() == [2, 3]
    assert frame["gpu_seconds"].tolist() == frame["core_seconds"].tolist() == [200.0, 150.0]
    assert frame["weight"].tolist() == [1.0, 2.5]
    assert table.rows == 5
    assert list(table.dropped.values()) == [1, 1, 1]


def test_columns_that_may_be_left_out_and_one_that_replaces_the_work(tmp_path: Path) -> None:
    file = write(tmp_path / "b.csv", "gpus,work_s,submit_s,duration_s", "2,50,0,100", "1,0,9,9")
    frame = read_trace(f"csv:{file}").table("jobs").frame
    assert frame["job"].tolist() == ["row-2"]
    assert frame["gpu_seconds"].tolist() == [50.0]
    assert "weight" not in frame


@pytest.mark.parametrize(
    ("header", "row", "fault"),
    [
        ("submit_s,duration_s", "0,1", "line 1: want a column gpus or workers, there are neither"),
        ("submit_s,duration_s,gpus,workers", "0,1,1,1", "line 1: .* there are both"),
        ("submit_s,gpus", "0,1", "line 1: no column duration_s in the header"),
        ("submit_s,duration_s,gpus", "0,1,1.5", "line 2: gpus '1.5' is not an integer"),
        ("submit_s,duration_s,gpus", "0,nan,1", "line 2: duration_s 'nan' is not a number"),
        ("submit_s,duration_s,gpus", "0,1,1,9", "line 2: 4 fields where 3 are expected"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, header: str, row: str, fault: str) -> None:
    with pytest.raises(InputError, match=rf"own\.csv: {fault}"):
        read_trace(f"csv:{write(tmp_path / 'own.csv', header, row)}").table("jobs")


@pytest.mark.parametrize("problem", own_problem_names())
def test_every_problem_makes_instances_of_it(
    tmp_path: Path, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = f"csv:{many(tmp_path)}"
    out = str(tmp_path / "one.json")
    size = ["--problem", problem, "--jobs", "4", "--slots", "12"]
    assert generate([*size, "--trace", spec, "--out", out]) == 0
    instance = read_instance(out)
    assert instance.problem == problem
    assert instance.name.startswith(("csv-", "ps-csv-"))
    capsys.readouterr()
    assert trace_command(["audit", spec, "--problem", problem, "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["tables"][0]["arrivals"]["per_hour"]["max"] == 12
    assert not record["mapping"][problem].startswith("none")


def test_a_study_file_takes_it(tmp_path: Path) -> None:
    head = '[[study]]\nproblem = "completion"\npolicies = ["fifo"]\n'
    base = "base = { jobs = 4, slots = 12, servers = 2 }\n"
    for count, rule in ((4, ""), (400, "no window of 12 slots holds 400 arrivals")):
        text = f'{head}{base.replace("4", str(count), 1)}trace = "csv:{many(tmp_path)}"\n'
        file = write(tmp_path / "study.toml", text)
        if rule:  # the first instance is drawn to see
            with pytest.raises(InputError, match=rule):
                read_study_file(file)
        else:
            assert read_study_file(file).asked["study"][0]["trace"].startswith("csv:")


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        ("utility", lambda job: job.utility.priority),
        ("completion", lambda job: job.weight),
        ("colocated", lambda job: job.utility.priority),
    ],
)
def test_weights_reach_the_jobs(tmp_path: Path, problem: str, told: object) -> None:
    assert callable(told)
    size = {"jobs": 6, "slots": 12, "servers": experiments_of(problem).workload.quick.servers}
    trace = read_trace(f"csv:{many(tmp_path)}")
    instance, _ = experiments_of(problem).workload.draw(**size, seed=0, trace=trace)
    weights = [told(job) for job in instance.file.jobs]
    assert set(weights) <= set(range(1, 8))  # what is drawn is no whole number
    assert np.ptp(weights) > 0
