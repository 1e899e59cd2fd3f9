"""The gap command: what a run records, how it ends, and what is shown of it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numba import njit

from benchmarks.contract import GapMethod, gap_methods
from benchmarks.gap import main
from benchmarks.gap_report import format_gaps, format_overruns, plot_gap, plot_growth
from benchmarks.pictures.lines import plot_medians
from benchmarks.study import gap as gap_measure
from benchmarks.study.cell import Outcome, Result
from benchmarks.study.gap import Gap
from benchmarks.study.guard import Guard
from benchmarks.study.run import run_until_compiled
from benchmarks.study.store import Store
from benchmarks.study.study import Trial
from benchmarks.workload.servers import ServerNumbers
from models.errors import InputError
from online.process_tree import tree_memory
from solvers.result import SolveResult
from tests.benchmarks.frames import assert_marks_are_told

ROOT = Path(__file__).resolve().parents[2]

POINT = {"jobs": 5, "slots": 6, "servers": (3, 3)}
ROW = {"problem": "utility", **POINT, "servers": "3+3", "seed": 0, "threads": 1}

# Hand-made: seed 0 and 1 of "a" end at gaps of 10 and 20 %, of "b" at 0 and 100 %.
ROWS = pd.DataFrame(
    [
        {
            "size": "2x2x1+1",
            "load": 1.5,
            "seed": seed,
            "method": method,
            "time_limit": limit,
            "gap": gap,
            "seconds": limit + over,
            "overrun": over,
            "memory_mb": memory,
            "status": "feasible",
        }
        for method, memory in (("a", 300.0), ("b", np.nan))
        for seed, limit, gap, over in {
            "a": [
                (0, 5.0, 0.3, 0.5),
                (1, 5.0, 0.5, -1.0),
                (0, 10.0, 0.1, 0.0),
                (1, 10.0, 0.2, 0.1),
            ],
            "b": [(0, 5.0, 1.0, 61.0), (1, 5.0, 1.0, 0.0), (0, 10.0, 0.0, -9), (1, 10.0, 1.0, 2.0)],
        }[method]
    ]
)


@pytest.mark.usefixtures("rendered")
@pytest.mark.parametrize(
    "methods", [["toolkit"], pytest.param(["compact", "toolkit"], marks=pytest.mark.slow)]
)
def test_a_run_records_what_it_says_and_is_taken_up_again(
    methods: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    argv = ["--sizes", "5x6x3+3", "--times", "20", "--seeds", "1", "--out", str(tmp_path / "out")]
    argv += ["--methods", ",".join(methods)]
    assert main(argv) == 0
    printed = capsys.readouterr().out
    assert re.search(rf"5x6x3\+3 +1\.01 +{methods[0]} +0\.00% / 0\.00%", printed)
    rows = [json.loads(line) for line in (tmp_path / "out/rows.jsonl").read_text().splitlines()]
    assert [row["method"] for row in rows] == methods
    for row in rows:
        assert {key: row[key] for key in ROW} == ROW
        assert row["status"] == "optimal"
        assert row["gap"] == pytest.approx((row["bound"] - row["objective"]) / row["bound"])
        assert row["overrun"] == row["seconds"] - 20.0
        assert 0.0 < row["seconds"] < 20.0
        assert 0.0 < row["cpu_seconds"] < 40.0
        assert row["bound_source"] in ("milp", "prices")
        if sys.platform == "linux":
            assert 50 < row["memory_mb"] < 2000
    # Both are optimal, to a gap of 1e-4.
    assert rows[0]["objective"] == pytest.approx(rows[-1]["objective"], rel=2e-4)
    for name in ("gap.pdf", "gap.png", "gap.csv", "growth.pdf", "growth.png", "settings.json"):
        assert (tmp_path / "out" / name).stat().st_size > 0
    assert len(pd.read_csv(tmp_path / "out/gap.csv")) == len(methods)

    monkeypatch.setattr(Guard, "run", lambda *given: pytest.fail("run again"))
    assert main(argv) == 0
    again = capsys.readouterr()
    assert again.out == printed  # seconds and memory are those of the run
    assert f"utility-gap: {len(methods)} of {len(methods)} cells were finished before" in again.err
    # A run of a part has rows of its own, and the other's cells stay.
    assert main([*argv, "--methods", "toolkit"]) == 0
    assert "1 of 1 cells were finished before" in capsys.readouterr().err
    assert len((tmp_path / "out/rows.jsonl").read_text().splitlines()) == 1


def test_a_run_that_hangs_is_killed_and_counts_as_a_gap_of_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gap_measure, "GRACE", -29.5)  # half a second after it has begun
    argv = ["--sizes", "40x40x20+20", "--times", "30", "--seeds", "1", "--methods", "compact"]
    assert main([*argv, "--out", str(tmp_path)]) == 0
    assert (
        "out of time: compact, 30 s, utility 40x40x20+20 load=1.0 seed 0: "
        in capsys.readouterr().err
    )
    (row,) = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert (row["status"], row["message"]) == ("killed", "still running after 0.5 s")
    assert (row["objective"], row["bound"], row["bound_source"]) == (None, None, None)
    assert (row["gap"], row["cpu_seconds"]) == (1.0, None)
    assert 0.4 < row["seconds"] < 5.0
    assert row["overrun"] == row["seconds"] - 30.0
    assert list((tmp_path / "cells").iterdir()) == []  # it is run anew


def test_a_run_that_fails_says_why_and_the_command_ends_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = Outcome("failed", None, "KeyError: 'none'", 0.1, 0.1, 100.0)
    monkeypatch.setattr(Guard, "run", lambda *given: failed)
    argv = ["--quick", "--methods", "toolkit", "--out", str(tmp_path / "out")]
    assert main(argv) == 1
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "failed: toolkit, 1 s, utility 5x6x3+3 load=1.0 seed 0: KeyError: 'none'"
    row = json.loads((tmp_path / "out/rows.jsonl").read_text().splitlines()[0])
    assert (row["status"], row["gap"], row["objective"]) == ("failed", 1.0, None)
    assert row["message"] == "KeyError: 'none'"
    assert list((tmp_path / "out/cells").iterdir()) == []


@pytest.mark.usefixtures("guarded_here")
def test_an_unknown_method_in_a_cell_is_an_error_of_the_process() -> None:
    (cell, *_) = Gap(("compact",), (1.0,)).cells(Trial("utility", POINT, 0))
    parameters = {**cell.parameters, "method": "none"}
    with Guard() as guard:
        outcome = guard.run(replace(cell, parameters=parameters))
    assert (outcome.status, outcome.message) == ("failed", "KeyError: 'none'")


def test_method_limit_and_threads_tell_runs_apart(tmp_path: Path) -> None:
    store = Store(tmp_path)
    trial = Trial("utility", POINT, 0)
    (one,) = Gap(("bound",), (5.0,), 1).cells(trial)
    for other in (
        Gap(("bound",), (9.0,), 1),
        Gap(("bound",), (5.0,), 2),
        Gap(("toolkit",), (5.0,)),
    ):
        (cell,) = other.cells(trial)
        assert store.key(cell) != store.key(one)
    store.save(one, Outcome("done", Result({"gap": 0.5}), "", 1.5, 1.25, 300.0))
    found, enough = store.find(one)
    assert found is not None and enough
    costs = (found.seconds, found.cpu_seconds, found.memory_mb, found.ran)
    assert costs == (1.5, 1.25, 300.0, False)


def test_what_is_compiled_is_compiled_before_the_time_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solved: list[str] = []

    def spy(instance: Any, **effort: Any) -> SolveResult[Any]:
        solved.append(f"{len(instance.jobs)} jobs")
        return compact(instance, **effort)

    part = gap_methods("utility")
    compact = part.methods["compact"].solve
    spied = replace(part, methods={"spy": GapMethod("", spy)})
    monkeypatch.setattr(gap_measure, "gap_methods", lambda name: spied)
    (cell,) = Gap(("spy",), (5.0,)).cells(Trial("utility", {**POINT, "jobs": 3}, 0))
    measure = gap_measure.solve(**cell.parameters)
    assert solved == ["5 jobs"]  # the quick instance
    assert measure().value["status"] == "optimal"
    assert solved == ["5 jobs", "3 jobs"]


def test_what_compiles_is_run_again_until_nothing_does() -> None:
    kernels = [njit(lambda x: x + 1.0), njit(lambda x: x + 2.0)]
    called: list[int] = []

    def run() -> None:  # as under a time limit that the first compilation takes up
        called.append(len(called))
        if len(called) < 4:
            kernels[min(called[-1], 1)](1.0)

    run_until_compiled(run)
    assert called == [0, 1, 2]


_COMPILED = """
import json, sys
from numba.core import event
from benchmarks.study.gap import solve
measure = solve(**json.loads(sys.argv[1]))
with event.install_recorder("numba:compile") as compiled:
    measure()
print([str(e.data["dispatcher"].py_func.__name__) for _, e in compiled.buffer])
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("problem", "method", "size"),
    [
        ("utility", "toolkit", (10, 10, (5, 5))),
        ("jct", "toolkit", (30, 300, 100)),
    ],
)
def test_no_kernel_is_compiled_while_the_time_runs(
    problem: str, method: str, size: tuple[int, int, ServerNumbers], tmp_path: Path
) -> None:
    point = dict(zip(("jobs", "slots", "servers"), size, strict=True))
    (cell,) = Gap((method,), (5.0,)).cells(Trial(problem, point, 0))
    command = [sys.executable, "-c", _COMPILED, json.dumps(dict(cell.parameters))]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},  # as in a fresh clone
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("argv", "fault"),
    [
        (["--sizes", "5x5"], "size '5x5': want JOBSxSLOTSxSERVERS"),
        (["--sizes", "0x5x2+2"], "size '0x5x2+2'"),
        (["--sizes", "5x5x2"], "servers '2': want numbers above 0 joined by +, e.g. 5+5"),
        (["--loads", "1", "--set", "load=2"], "--set load=1: 'load' is set twice"),
        (["--methods", "magic"], "unknown method 'magic': want some of compact, scip, cp-sat"),
        (["--problem", "nothing"], "unknown problem 'nothing'"),
        (["--problem", "reward"], "problem 'reward' has no gap part yet; those with one: coloc"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(
    argv: list[str], fault: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=fault.replace("+", r"\+")):
        main([*argv, "--out", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


def test_a_solver_that_is_not_installed_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.gap.find_spec", lambda name: None)
    fault = r"method 'cp-sat' needs ortools: pip install -c constraints.txt -e '.\[check\]'"
    with pytest.raises(InputError, match=fault):
        main(["--methods", "compact,cp-sat", "--out", str(tmp_path / "out")])


@pytest.mark.parametrize("times", ["0", "five", "1,", "inf", "nan"])
def test_bad_times_are_a_line_and_exit_code_2(
    times: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--times", times, "--out", str(tmp_path / "out")])
    assert end.value.code == 2
    assert f"'{times.rpartition(',')[2]}' is not a positive number" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_table_gives_median_and_worst_gap_memory_and_proofs() -> None:
    head, _, first, second = (line.split("  ") for line in format_gaps(ROWS).splitlines())
    cells = [[cell.strip() for cell in line if cell.strip()] for line in (head, first, second)]
    assert cells[0] == ["size", "load", "method", "5 s", "10 s", "s taken", "peak MB", "proven"]
    # (30 + 50) / 2 and (10 + 20) / 2; (0 + 100) / 2. Seconds (10 + 10.1) / 2; (1 + 12) / 2
    assert cells[1] == ["2x2x1+1", "1.5", "a", "40% / 50%", "15% / 20%", "10.1", "300", "0 of 2"]
    assert cells[2] == ["2x2x1+1", "1.5", "b", "100% / 100%", "50% / 100%", "6.5", "-", "1 of 2"]


def test_what_looks_for_no_schedule_has_its_bound_in_the_table_and_no_gap() -> None:
    rows = ROWS.assign(bound=[90.0, 80.0, 70.0, 60.0] * 2)
    rows.loc[rows["method"] == "b", "gap"] = None
    first, second = format_gaps(rows).splitlines()[2:]
    assert "40% / 50%" in first
    assert [cell.strip() for cell in second.split("  ") if cell.strip()] == [
        *("2x2x1+1", "1.5", "b", "bound 85", "bound 65", "6.5", "-", "-")
    ]
    rows.loc[[5, 6, 7], "bound"] = np.nan
    assert "bound 90 (1 of 2)   no bound" in format_gaps(rows)


def test_tables_as_other_commands_have_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    value = {"load": 1.5, "gap": 0.1, "bound": 9.0, "status": "feasible", "message": ""}
    done = Outcome("done", Result(value), "", 0.5, 0.4, 100.0)
    monkeypatch.setattr(Guard, "run", lambda *given: done)
    argv = ["--quick", "--methods", "toolkit", "--out", str(tmp_path / "out")]
    assert main([*argv, "--format", "markdown", "--columns", "method,2"]) == 0
    assert "| method | 2 s |\n| :--- | ---: |\n| toolkit | 10% / 10% |" in capsys.readouterr().out
    assert main([*argv, "--format", "json"]) == 0
    assert capsys.readouterr().out == (tmp_path / "out/rows.jsonl").read_text()
    with pytest.raises(InputError, match="no column '5': choose from size, load, method, 1, 2"):
        main([*argv, "--columns", "5"])


@pytest.mark.usefixtures("guarded_here")
def test_without_gaps_there_is_no_picture_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in (tmp_path, tmp_path / "runs" / "other"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "gap.png").write_bytes(b"of other methods")
    small = ["--sizes", "5x6x3+3", "--times", "1", "--seeds", "1"]
    assert main([*small, "--methods", "bound", "--out", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "bound, median of 1 seed" in told
    assert "gap, median" not in told
    assert (tmp_path / "growth.png").exists()
    assert not (tmp_path / "gap.png").exists()
    assert (tmp_path / "runs" / "other" / "gap.png").exists()
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert all(row["gap"] is None and row["bound"] > 0 for row in rows)


def test_the_largest_overrun_of_every_method_is_named() -> None:
    text = format_overruns(ROWS)
    assert "a +0.5 s (2x2x1+1, seed 0, limit 5 s, feasible)" in text
    assert "b +61.0 s (2x2x1+1, seed 0, limit 5 s, feasible)" in text
    assert format_overruns(ROWS[ROWS["overrun"] <= 0]).endswith(": a none; b none")


def test_pictures_show_medians_and_every_seed() -> None:
    for picture in (plot_gap(ROWS), plot_growth(ROWS)):
        assert_marks_are_told(picture)
    (panel,) = plot_gap(ROWS).axes
    assert panel.get_title(loc="left") == "2x2x1+1"
    seeds_a, median_a, _, median_b = (np.asarray(line.get_ydata()) for line in panel.lines)
    assert seeds_a.tolist() == [0.3, 0.5, 0.1, 0.2]
    assert median_a == pytest.approx([0.4, 0.15])
    assert median_b == pytest.approx([1.0, 0.50005])  # 0 stands at 1e-4
    seconds, memory = plot_growth(ROWS).axes  # at the limit of 10 s
    assert seconds.lines[1].get_ydata() == pytest.approx([10.05])
    assert memory.lines[1].get_ydata() == pytest.approx([300.0])
    assert len(memory.lines[3].get_ydata()) == 0  # memory of "b" is not known


def test_several_loads_are_told_apart_and_stand_below_each_other() -> None:
    measure = Gap(("toolkit",), (5.0,), by_load=True)
    lost = [Outcome("out of time", seconds=5.0)]
    rows = [
        row | {"size": row["size"].replace("5x", size)}
        for size in ("5x", "7x")
        for load in (1.0, None)
        for row in measure.rows(Trial("utility", {**POINT, "load": load}, 0), lost)
    ]
    assert [row["size"] for row in rows[:2]] == ["5x6x3+3, load 1", "5x6x3+3, as drawn"]
    titles = [panel.get_title(loc="left") for panel in plot_gap(pd.DataFrame(rows), 2).axes]
    assert titles == [f"{n}x6x3+3, {load}" for load in ("load 1", "as drawn") for n in (5, 7)]


def test_medians_with_nothing_to_draw() -> None:
    frame = pd.DataFrame({"x": [1.0], "y": [np.nan], "who": ["a"]})
    picture = plot_medians(frame, x="x", y="y", series="who", xlabel="x", ylabel="y")
    assert [len(line.get_xdata()) for line in picture.axes[0].lines] == [0, 0]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_counts_children_and_not_the_parent() -> None:
    hold = "b = bytearray(200_000_000); print(flush=True); input()"
    spawn = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {hold!r}])"
    ballast = np.ones(60_000_000)  # 480 MB that are not the child's
    found: list[Any] = []
    for code in (hold, spawn):
        child = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert child.stdout is not None
        child.stdout.readline()
        found.append(tree_memory(child.pid))
        child.communicate(b"\n")
        assert tree_memory(child.pid) is None
    assert ballast.all()
    assert all(200e6 < now <= peak < 300e6 for now, peak in found)
    assert found[1][1] > found[0][1]
