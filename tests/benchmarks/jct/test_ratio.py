"""The ratio runner and the other commands on `jct`: which bound a row is compared with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.door import evaluate
from benchmarks.jct import WORKLOAD
from benchmarks.ratio import main as ratio
from benchmarks.speed import main as speed
from benchmarks.verify import main as verify
from models.jct import JctInstance
from models.jct.score import score
from tests.models.jct.small import instance, job, server, worked_example

MIGRATING = {"srtf", "tiresias-l"}
PAPERS = ["a-online", "a-online-e", "srtf", "tiresias-l", "batchsche"]


def gap_between_bounds() -> JctInstance:
    """Two jobs of two slots and two servers, each with room for the data of one job alone.

    The upload delays are 1 and 3.
    """
    jobs = [
        job(name, upload=[1, 3], chunk_slots=2, cloud_chunk_slots=2, chunk_gb=1.0) for name in "ab"
    ]
    return instance(jobs, [server(2, storage_gb=1.0) for _ in range(2)], name="gap")


def test_migrating_policies_are_never_compared_with_a_milp_bound() -> None:
    # Each server stores one of the jobs: (1 + 2) + (3 + 2) = 8, which the MILP proves. Prices
    # know nothing of storage: 3 + 3 = 6.
    found = evaluate(gap_between_bounds(), PAPERS, time_limit=10)
    for row in found.rows:
        moves = row.policy in MIGRATING
        assert row.offline_allows == ("migration" if moves else "")
        assert row.bound_source == ("prices" if moves else "milp")
        assert (row.offline_lower, row.offline_upper) == ((6.0, 8.0) if moves else (8.0, 8.0))
        assert row.ratio_upper == pytest.approx(row.objective / row.offline_lower)
        assert row.offline_certified == 6.0


def test_migrating_policies_alone() -> None:
    found = evaluate(gap_between_bounds(), ["srtf"], time_limit=10)
    assert found.rows[0].bound_source == "prices"
    # The best schedule of the problem's own model is that of the offline solver.
    assert score(gap_between_bounds(), found.best).objective == 8.0


def test_the_table_says_which_bound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    worked_example().write(tmp_path / "one.json")
    options = ["--problem", "jct", "--instance", str(tmp_path / "one.json")]
    assert ratio([*options, "--out", str(tmp_path / "out"), "--columns", "all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines if "100 %" in line and "(file)" in line]
    text = " ".join(" ".join(lines).split())
    assert names == [
        "a-online",
        "a-online-e",
        "srtf-edge+",
        "tiresias-l-edge*+",
        "batchsche",
    ]
    assert "allows migration too, of which only the bound by prices is known" in text
    assert "sum of the objectives / sum of the offline lower bounds" in text


def test_rows_schedules_and_certificates_can_be_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worked_example().write(tmp_path / "one.json")
    one = str(tmp_path / "one.json")
    options = ["--problem", "jct", "--instance", one, "--out", str(tmp_path / "out")]
    assert ratio([*options, "--format", "json"]) == 0
    rows = {row["policy"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert tuple(rows) == WORKLOAD.policies
    (cell,) = (tmp_path / "out" / "instances").iterdir()
    for name, row in rows.items():
        assert row["ratio_lower"] >= 1.0
        assert row["violations"] == 0
        assert row["completed"] == row["jobs"] == 3
        assert verify([one, str(cell / "schedules" / f"{name}.json.gz")]) == 0
        assert f"objective {row['objective']!r}" in capsys.readouterr().out
    certificate = str(cell / "certificate.json.gz")
    assert verify([one, str(cell / "offline.json.gz"), "--certificate", certificate]) == 0
    out = capsys.readouterr().out
    # The optimum of the worked example is 12.
    assert "objective 12.0" in out
    assert f"bound {rows['a-online']['offline_certified']!r}" in out
    # Run again, the rows are taken from the folder and the same.
    assert ratio([*options, "--format", "json"]) == 0
    again = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["objective"] for row in again] == [row["objective"] for row in rows.values()]


def test_the_guarantee_shows_with_speed_augmentation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--problem", "jct", "--jobs", "3", "--slots", "9", "--servers", "4", "--seeds", "1"]
    options += ["--set", "chunks=2:3", "--set", "epochs=1:3", "--set", "epsilon=0.5"]
    policies = ["a-online", "srtf-edge", "a-online-printed", "a-online-whole"]
    options += ["--policy", ",".join(policies), "--out", str(tmp_path)]
    assert ratio([*options, "--format", "json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["policy"] for row in rows] == policies
    for row in rows:
        # Faster policies are no incumbents: the optimum is a schedule of the offline side.
        assert row["offline_allows"] or row["offline_lower"] == row["offline_upper"]
        assert (row["guarantee"] is None) == (row["policy"] == "srtf-edge")
        if row["guarantee_applies"]:
            assert row["ratio_upper"] <= row["guarantee"] and not row["guarantee_fails"]
    assert any(row["guarantee_applies"] for row in rows)
    assert min(row["ratio_upper"] for row in rows) < 1.0
    for place in (tmp_path / "instances").iterdir():
        for file in [place / "offline.json.gz", *(place / "schedules").iterdir()]:
            assert verify([str(place / "instance.json.gz"), str(file)]) == 0
    capsys.readouterr()


def test_the_same_seed_gives_the_same_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = ["--jobs", "4", "--slots", "20", "--servers", "6", "--seeds", "1"]
    texts = []
    for name in "ab":
        out = tmp_path / name
        assert ratio(["--problem", "jct", *small, "--out", str(out)]) == 0
        capsys.readouterr()
        texts.append((out / "rows.jsonl").read_bytes())
    assert texts[0] == texts[1]


def test_quick_and_speed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    size = WORKLOAD.quick
    assert (size.jobs, size.seeds) == (10, 2)
    options = ["--problem", "jct", "--jobs", "3", "--slots", "9", "--servers", "4", "--seeds", "1"]
    assert speed([*options, "--policy", "a-online", "--format", "csv"]) == 0
    header, row = capsys.readouterr().out.splitlines()
    assert "arrivals" in header
    assert ",a-online," in row
