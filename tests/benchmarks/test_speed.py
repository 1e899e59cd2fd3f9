"""The speed command: several sizes, one table, one picture; what it refuses."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.pictures.lines import plot_costs
from benchmarks.speed import main
from benchmarks.study.instances import drawn
from benchmarks.study.scheme import Scheme
from benchmarks.study.speed import Speed
from benchmarks.study.study import Entry, Trial
from models.errors import InputError

SMALL = ["--problem", "reward", "--policy", "drf,spreading", "--format", "csv"]


@pytest.mark.usefixtures("rendered")
def test_sizes_are_measured_one_by_one_and_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = [*SMALL, "--sizes", "2x10x3,4x20x6", "--seeds", "2", "--out", str(tmp_path / "out")]
    assert main(argv) == 0
    frame = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert frame["size"].tolist() == ["2x10x3"] * 6 + ["4x20x6"] * 6
    assert frame["seed"].tolist() == [0, 0, 0, 1, 1, 1] * 2
    assert frame["policy"].tolist() == ["drf", "spreading", "numpy-ogasched"] * 4
    assert frame["commits"].tolist() == [10] * 6 + [20] * 6
    assert (frame["run_s"] >= frame["policy_s"]).all()
    written = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert written == ["speed-reward.csv", "speed-reward.pdf", "speed-reward.png"]
    kept = pd.read_csv(tmp_path / "out" / "speed-reward.csv")
    pd.testing.assert_frame_equal(kept, frame)


@pytest.mark.parametrize(
    ("argv", "fault"),
    [
        (["--sizes", "2x10"], "size '2x10': want JOBSxSLOTSxSERVERS"),
        (["--sizes", "2x10x3", "--jobs", "3"], "--jobs does not go with --sizes"),
        (["--sizes", "2x10x3", "--instance", "a.json"], "--instance does not go with --sizes"),
        (["--sizes", "2x10x0"], "servers '0'"),
        (["--jobs", "2"], "--out needs --sizes"),
    ],
)
def test_bad_sizes_are_refused_and_nothing_is_written(
    argv: list[str], fault: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=fault):
        main([*SMALL, *argv, "--out", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


def test_a_policy_that_breaks_is_a_row_with_its_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "broken_speed.py"
    file.write_text(
        "from online.reward.drf import DRF\n"
        "class Broken(DRF):\n"
        "    name = 'broken'\n"
        "    def step(self, event):\n"
        "        raise RuntimeError('no idea')\n"
    )
    argv = ["--problem", "reward", "--policy", f"drf,{file}:Broken", "--sizes", "2x10x3"]
    assert main([*argv, "--seeds", "1", "--format", "csv", "--out", str(tmp_path / "out")]) == 1
    told = capsys.readouterr()
    rows = pd.read_csv(io.StringIO(told.out)).set_index("policy")
    assert rows.index.tolist() == ["drf", "broken", "numpy-ogasched"]
    assert "RuntimeError: no idea" in rows.loc["broken", "error"]
    assert rows["run_s"].notna().tolist() == [True, False, True]
    (line,) = told.err.splitlines()
    assert line.startswith("failed: broken on reward 2x10x3 seed 0: ")
    assert main([*argv, "--seeds", "1:2", "--columns", "seed,policy,commits"]) == 1
    table = [line.split() for line in capsys.readouterr().out.splitlines()[-3:]]
    assert table == [["1", "drf", "10"], ["1", "broken", "-"], ["1", "numpy-ogasched", "10"]]


def test_times_are_not_looked_up_and_nothing_runs_beside() -> None:
    scheme = Scheme("drf", "drf")
    source = drawn("reward", jobs=2, slots=10, servers=3, seed=0)
    trial = Trial("reward", {}, 0, (Entry(scheme, "", source),))
    (cell,) = Speed({}).cells(trial)
    assert (cell.kept, cell.needs.alone) == (False, True)


def test_costs_draw_medians_and_a_limit() -> None:
    frame = pd.DataFrame(
        {
            "size": ["a", "a", "a", "b"],
            "seed": [0, 1, 2, 0],
            "s": [1.0, 2.0, 9.0, 4.0],
            "mb": [10.0, np.nan, 30.0, 40.0],
            "who": "x",
        }
    )
    picture = plot_costs(frame, seconds="s", memory="mb", series="who", note="n", level=5.0)
    left, right = picture.axes
    assert left.lines[1].get_ydata() == pytest.approx([2.0, 4.0])
    assert right.lines[1].get_ydata() == pytest.approx([20.0, 40.0])
    assert list(left.lines[2].get_ydata()) == [5.0, 5.0]
    assert len(right.lines) == 2
    (alone,) = plot_costs(frame, seconds="s", series="who", note="n").axes
    assert alone.lines[1].get_ydata() == pytest.approx([2.0, 4.0])
