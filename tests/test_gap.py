"""The gap command: what a run records, how it ends, and what is shown of it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks import gap as gap_module
from benchmarks import gap_run
from benchmarks.gap import main
from benchmarks.gap_report import format_gaps, format_overruns, plot_gap, plot_growth
from benchmarks.gap_run import run_cell
from benchmarks.memory import tree_peak
from benchmarks.pictures.medians import plot_medians
from models.errors import InputError

CELL = {"problem": "utility", "jobs": 5, "slots": 6, "servers": "3+3", "seed": 0, "threads": 1}

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


def test_a_run_records_what_it_says_and_is_taken_up_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    argv = ["--sizes", "5x6x3+3", "--times", "20", "--seeds", "1", "--out", str(tmp_path / "out")]
    assert main(argv) == 0
    printed = capsys.readouterr().out
    assert re.search(r"5x6x3\+3 +2\.33 +compact +0\.00% / 0\.00%", printed)
    rows = [json.loads(line) for line in (tmp_path / "out/rows.jsonl").read_text().splitlines()]
    assert [row["method"] for row in rows] == ["compact", "toolkit"]
    for row in rows:
        assert {key: row[key] for key in CELL} == CELL
        assert row["status"] == "optimal"
        assert row["gap"] == pytest.approx((row["bound"] - row["objective"]) / row["bound"])
        assert row["overrun"] == row["seconds"] - 20.0
        assert 0.0 < row["seconds"] < 20.0
        assert 0.0 < row["cpu_seconds"] < 40.0
        assert row["bound_source"] in ("milp", "prices")
        if sys.platform == "linux":
            assert 50 < row["memory_mb"] < 2000
    # Both are optimal, to a gap of 1e-4.
    assert rows[0]["objective"] == pytest.approx(rows[1]["objective"], rel=2e-4)
    for name in ("gap.pdf", "gap.png", "gap.csv", "growth.pdf", "growth.png", "settings.json"):
        assert (tmp_path / "out" / name).stat().st_size > 0
    assert len(pd.read_csv(tmp_path / "out/gap.csv")) == 2

    monkeypatch.setattr(gap_module, "run_cell", lambda **cell: pytest.fail("run again"))
    assert main(argv) == 0
    again = capsys.readouterr()
    assert again.out == printed
    assert "utility-gap: 2 of 2 cells: as run before" in again.err


def test_a_run_that_hangs_is_killed_and_counts_as_a_gap_of_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gap_run, "_GRACE", -29.5)  # half a second after it has begun
    cell = {**CELL, "jobs": 40, "slots": 40, "servers": "20+20"}
    began = time.monotonic()
    (row,) = run_cell(**cell, method="compact", time_limit=30.0)
    assert time.monotonic() - began < 25.0
    assert row["status"] == "killed"
    assert (row["objective"], row["bound"], row["bound_source"]) == (None, None, None)
    assert row["gap"] == 1.0
    assert 0.4 < row["seconds"] < 5.0
    assert row["overrun"] == row["seconds"] - 30.0


def test_a_run_that_fails_says_why_and_the_command_ends_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (row,) = run_cell(**CELL, method="none", time_limit=1.0)
    assert (row["status"], row["gap"], row["objective"]) == ("failed", 1.0, None)
    assert row["message"] == "KeyError: 'none'"
    monkeypatch.setattr(gap_module, "run_cell", lambda **cell: [{**row, **cell}])
    assert main(["--quick", "--methods", "toolkit", "--out", str(tmp_path / "out")]) == 1
    assert "failed: toolkit, 5x6x3+3, seed 0: KeyError: 'none'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "fault"),
    [
        (["--sizes", "5x5"], "size '5x5': want JOBSxSLOTSxSERVERS"),
        (["--sizes", "0x5x2+2"], "size '0x5x2+2'"),
        (["--sizes", "5x5x2"], "servers '2': want numbers joined by +, e.g. 5+5"),
        (["--methods", "magic"], "unknown method 'magic': want some of compact, toolkit, bound"),
        (["--problem", "nothing"], "unknown problem 'nothing'"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(
    argv: list[str], fault: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=fault.replace("+", r"\+")):
        main([*argv, "--out", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("times", ["0", "five", "1,", "inf", "nan"])
def test_bad_times_are_a_line_and_exit_code_2(
    times: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--times", times, "--out", str(tmp_path / "out")])
    assert end.value.code == 2
    assert f"'{times}'" in capsys.readouterr().err
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
    first, second = format_gaps(rows, {"b"}).splitlines()[2:]
    assert "40% / 50%" in first
    assert [cell.strip() for cell in second.split("  ") if cell.strip()] == [
        *("2x2x1+1", "1.5", "b", "bound 85", "bound 65", "6.5", "-", "-")
    ]
    rows.loc[[5, 6, 7], "bound"] = np.nan
    assert "bound 90 (1 of 2)   no bound" in format_gaps(rows, {"b"})


def test_without_gaps_there_is_no_picture_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gap.png").write_bytes(b"of other methods")
    small = ["--sizes", "5x6x3+3", "--times", "1", "--seeds", "1"]
    assert main([*small, "--methods", "bound", "--out", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "bound, median of 1 seed" in told
    assert "gap, median" not in told
    assert (tmp_path / "growth.png").exists()
    assert not (tmp_path / "gap.png").exists()
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert all(row["gap"] is None and row["bound"] > 0 for row in rows)


def test_the_largest_overrun_of_every_method_is_named() -> None:
    text = format_overruns(ROWS)
    assert "a +0.5 s (2x2x1+1, seed 0, limit 5 s, feasible)" in text
    assert "b +61.0 s (2x2x1+1, seed 0, limit 5 s, feasible)" in text
    assert format_overruns(ROWS[ROWS["overrun"] <= 0]).endswith(": a none; b none")


def test_pictures_show_medians_and_every_seed() -> None:
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
        found.append(tree_peak(child.pid))
        child.communicate(b"\n")
        assert tree_peak(child.pid) is None
    assert ballast.all()
    assert all(200e6 < peak < 300e6 for peak in found)
    assert found[1] > found[0]
