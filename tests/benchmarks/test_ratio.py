"""The ratio runner: intervals, table, results folder and the command line."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pytest

from benchmarks.ratio import main
from benchmarks.study import interval as interval_module
from benchmarks.study.interval import Bound
from benchmarks.study.statistics import bootstrap_interval
from benchmarks.table import _meaning, summarise
from benchmarks.verify import main as verify
from models.errors import InputError
from models.utility import UtilityInstance
from tests.models.utility.small import instance, job, random_instance

ROOT = Path(__file__).resolve().parents[2]


def test_bootstrap_on_constant_and_on_little_data() -> None:
    assert bootstrap_interval([2.0, 2.0, 2.0]) == (2.0, 2.0)
    assert np.isnan(bootstrap_interval([1.0])[0])
    assert np.isnan(bootstrap_interval([1.0, float("inf")])[0])
    low, high = bootstrap_interval([1.0, 2.0, 3.0, 4.0])
    assert 1.0 < low < 2.5 < high < 4.0
    assert bootstrap_interval([1.0, 2.0, 3.0, 4.0]) == (low, high)


def run_files(tmp_path: Path, out: str, *extra: str, code: int = 0) -> Path:
    """Two tiny instances, two policies; returns the results folder."""
    files = []
    for seed in (1, 2):
        path = tmp_path / f"i{seed}.json"
        drawn = random_instance(np.random.default_rng(seed), jobs=4, slots=4)
        file = msgspec.structs.replace(drawn.file, name=f"i{seed}", seed=seed)
        UtilityInstance.from_file(file).write(path)
        files.append(str(path))
    folder = tmp_path / out
    policies = ["--policy", "oasis,zero-price"]
    assert main(["--instance", *files, *policies, "--out", str(folder), *extra]) == code
    return folder


def test_parameters_of_policies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_files(tmp_path, "a", "--format", "json", "--set", "oasis.floor=0.5")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["policy"] for row in rows] == ["oasis (floor=0.5)", "zero-price"] * 2
    for given, words in {
        "rrh.preempt=false": "no policy 'rrh' is run; there are oasis, zero-price",
        "oasis.roof=1": "policy 'oasis': parameters: got an unexpected keyword argument 'roof'",
    }.items():
        with pytest.raises(InputError, match=words):
            run_files(tmp_path, "b", "--set", given)


def test_a_ratio_below_one_is_explained() -> None:
    frame = pd.DataFrame({"problem": "jct", "ratio_lower": [0.9, 1.2], "objective": 1.0})
    assert "(below 1 where policies run at speed 1 + epsilon" in _meaning(frame)
    assert "(>= 1)" in _meaning(frame[frame["ratio_lower"] > 1.0])


def test_rows_carry_what_the_format_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_files(tmp_path, "a", "--format", "json")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 4
    keys = "problem instance seed policy objective offline_lower offline_upper offline_status "
    keys += "ratio_lower ratio_upper guarantee guarantee_applies guarantee_fails "
    keys += "clairvoyant_bounds bound_source violations policy_seconds offline_seconds "
    keys += "offline_time_limited offline_certified load"
    for row in rows:
        assert set(keys.split()) <= set(row)
        assert row["violations"] == 0
        assert row["objective"] <= row["offline_upper"] * (1 + 1e-9)
        assert row["clairvoyant_bounds"] == (row["policy"] == "oasis")
        assert row["offline_status"] == "optimal"
        assert row["offline_upper"] <= row["offline_certified"]
        assert row["offline_time_limited"] is False


def test_first_line_names_the_other_problems_unless_one_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measured(*_: Any, **__: Any) -> None:
        raise InputError("enough")

    monkeypatch.setattr("benchmarks.door.measure", measured)
    instance([job("a")], slots=4).write(tmp_path / "one.json")
    for options, line in (
        (["--quick"], "utility; others: --problem colocated|completion|jct|reward"),
        (["--quick", "--problem", "utility"], ""),
        (["--instance", str(tmp_path / "one.json")], ""),  # which says it
    ):
        with pytest.raises(InputError, match="enough"):
            main([*options, "--out", str(tmp_path / "out")])
        out, err = capsys.readouterr()
        assert (out, err.strip()) == ("", line)


@pytest.mark.parametrize("other", ["reward", None])
def test_the_problem_is_that_of_the_file(
    other: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    seen: list[str] = []

    def measured(sources: Any, *_: Any, **__: Any) -> None:
        seen.extend(source["problem"] for source in sources)
        raise InputError("enough")

    monkeypatch.setattr("benchmarks.door.measure", measured)
    file = str(ROOT / "docs" / "instances" / "jct.json")
    asked = [] if other is None else ["--problem", other]
    rule = "enough" if other is None else "an instance of 'jct', but 'reward' is asked for"
    with pytest.raises(InputError, match=rule):
        main(["--instance", file, *asked])
    assert seen == (["jct"] if other is None else [])


def contents(folder: Path) -> dict[str, bytes]:
    """All files but the timings."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "timings.jsonl"
    }


def test_same_seed_same_bytes_and_resumed_runs_change_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = run_files(tmp_path, "a"), run_files(tmp_path, "b")
    before = contents(first)
    assert len(before) > 20
    assert before == contents(second)
    timings = (first / "timings.jsonl").read_text().splitlines()
    assert len(timings) == 4
    assert "finished before" not in capsys.readouterr().err
    run_files(tmp_path, "a", "--columns", "policy,ms")
    out, err = capsys.readouterr()
    assert contents(first) == before
    assert "6 of 6 cells were finished before" in err
    # Nothing ran, so there are no times to tell.
    assert (first / "timings.jsonl").read_text() == ""
    lines = [line for line in out.splitlines() if line.startswith(("oasis", "zero-price"))]
    assert len(lines) == 2 and all(line.endswith(" -") for line in lines)


@pytest.mark.slow
def test_workers_give_the_same_bytes(tmp_path: Path) -> None:
    assert contents(run_files(tmp_path, "a", "--workers", "2")) == contents(
        run_files(tmp_path, "b", "--workers", "1")
    )


def test_results_are_readable_and_verify(tmp_path: Path) -> None:
    folder = run_files(tmp_path, "a")
    frame = pd.read_csv(folder / "rows.csv")
    assert list(frame["policy"]) == ["oasis", "zero-price"] * 2
    assert sorted(path.name[:3] for path in (folder / "instances").iterdir()) == ["i1-", "i2-"]
    cell = next((folder / "instances").iterdir())
    for name in ("schedules/oasis", "schedules/zero-price", "offline"):
        assert verify([str(cell / "instance.json.gz"), str(cell / f"{name}.json.gz")]) == 0
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    for cell in (folder / "instances").iterdir():
        certificate = ["--certificate", str(cell / "certificate.json.gz")]
        assert verify([str(cell / "instance.json.gz"), *certificate]) == 0
        bound = json.loads(gzip.decompress((cell / "certificate.json.gz").read_bytes()))["bound"]
        (row, _) = (row for row in rows if row["instance"] == cell.name.partition("-")[0])
        assert row["offline_certified"] == bound


def test_a_contradicted_bound_spoils_the_rows_of_its_instance_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    really = interval_module.offline_interval

    def wrong_at_first(sense: Any, known: Any, bounds: Any, **more: Any) -> Any:
        monkeypatch.setattr(interval_module, "offline_interval", really)
        return really(sense, known, [Bound(known[0].value / 2, "prices")], **more)

    monkeypatch.setattr(interval_module, "offline_interval", wrong_at_first)
    run_files(tmp_path, "a", "--format", "json", code=1)
    out, err = capsys.readouterr()
    errors = [json.loads(line)["error"] for line in out.splitlines()]
    assert errors[2:] == ["", ""]
    for error, policy in zip(errors, ("oasis", "zero-price"), strict=False):
        assert error.startswith("offline: objective ") and error.endswith("a fault of the code")
        assert f"failed: problem utility, instance i1, seed 1, policy {policy}: {error}\n" in err


def test_summary_names_the_worst_seed() -> None:
    frame = pd.DataFrame(
        {
            "problem": "utility",
            "policy": ["p", "p"],
            "seed": [3, 4],
            "instance": ["x", "y"],
            "objective": [5.0, 10.0],
            "offline_lower": [10.0, 15.0],
            "offline_upper": [10.0, 15.0],
            "offline_allows": "",
            "ratio_lower": [2.0, 1.5],
            "ratio_upper": [2.0, 1.5],
            "guarantee": [None, None],
            "guarantee_applies": [None, None],
            "violations": 0,
            "completed": [1, 2],
            "jobs": [2, 2],
            "load": [0.5, 1.5],
            "policy_seconds": [0.1, 0.1],
            "decisions": [10, 10],
            "clairvoyant_bounds": False,
        }
    )
    row = summarise(frame).loc["p"]
    assert (row["worst"], row["worst_seed"], row["mean_upper"]) == (2.0, 3, 1.75)
    assert row["totals"] == pytest.approx(25 / 15)
    assert row["load"] == 1.0


def command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_verify_reports_violations_with_code_1(tmp_path: Path) -> None:
    one = instance([job("a", work=2)])
    one.write(tmp_path / "i.json")
    schedule = tmp_path / "s.json"
    schedule.write_text(
        f'{{"format":"1","problem":"utility","instance":"{one.hash}","jobs":'
        '[{"id":"a","admitted":true,"allocations":[[0,0,"worker",1],[0,0,"ps",1]]}]}'
    )
    done = command("benchmarks.verify", str(tmp_path / "i.json"), str(schedule), cwd=ROOT)
    assert done.returncode == 1
    assert "(2) job 'a' gets 1 of 2 worker-slots" in done.stdout


@pytest.mark.slow
def test_a_policy_from_a_file_outside(tmp_path: Path) -> None:
    (tmp_path / "my_file.py").write_text(
        "from online.policy import Decision, Policy\n\n\n"
        "class MyPolicy(Policy):\n"
        "    name = 'mine'\n\n"
        "    def reset(self, public, rng):\n"
        "        pass\n\n"
        "    def step(self, event):\n"
        "        return Decision()\n"
    )
    instance([job("a", work=2)]).write(tmp_path / "i.json")
    done = command(
        "benchmarks.ratio",
        "--instance",
        "i.json",
        "--policy",
        "my_file:MyPolicy",
        "--workers",
        "1",
        "--format",
        "csv",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert ",mine,0.0," in done.stdout
    assert (tmp_path / "results" / "ratio-utility" / "rows.csv").is_file()
