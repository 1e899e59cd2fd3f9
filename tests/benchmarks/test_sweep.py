"""A study of one's own: what a file may say, what comes out, and what cannot spoil it."""

from __future__ import annotations

import errno
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pandas as pd
import pytest

from benchmarks import sweep
from models import files
from models.errors import InputError
from tests.conftest import Refuses
from tests.test_layers import ROOT

SMALL = """
seeds = 1
time_limit = 60

[[study]]
problem = "jct"
policies = ["a-online", "srtf"]
base = { jobs = 2, slots = 10, servers = 3 }
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a small study."""
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(SMALL)
    return tmp_path


# ---- what does not go -----------------------------------------------------------------------


def test_options_that_do_not_go_together(here: Path, refuses: Refuses) -> None:
    arguments = ["small.toml", "--workers", "2", "--cluster", "tcp://127.0.0.1:9"]
    refuses("sweep", arguments, "not allowed with argument --workers")
    refuses("sweep", ["none.toml"], "none.toml: cannot be read: No such file")


# ---- what comes out ------------------------------------------------------------------------


@pytest.mark.usefixtures("rendered")
def test_rows_tables_and_pictures(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("study.toml").write_text(
        'seeds = 1\n[[study]]\nproblem = "utility"\npolicies = ["oasis", "fifo"]\n'
        'base = { jobs = 4, slots = 6, servers = "3+3" }\n'
        'vary = { jobs = [4, 5], priority = ["1:100", "10:20"] }\ndesign = "star"\n'
    )
    assert sweep.main(["study.toml", "--workers", "1", "--out", "out"]) == 0
    rows = pd.read_csv("out/rows.csv")
    assert len(rows) == 4 * 2
    assert list(rows["asked_jobs"].unique()) == [4, 5]
    assert list(rows["servers"].unique()) == ["3+3"]
    assert list(rows["priority"].dropna().unique()) == ["1:100", "10:20"]
    packed = pd.read_parquet("out/rows.parquet")
    assert packed.to_csv(index=False) == Path("out/rows.csv").read_text()
    assert {path.name for path in Path("out").glob("*.png")} == {
        "utility-1-asked_jobs.png",
        "utility-1-priority.png",
    }
    printed = capsys.readouterr().out
    # Each axis alone around the base, which has four jobs, and says nothing of the priority.
    assert "utility: mean ratio (upper end) by asked_jobs, 4 runs" in printed
    means = rows[rows["priority"].isna()].groupby(["policy", "asked_jobs"])["ratio_upper"].mean()
    line = next(line for line in printed.splitlines() if line.startswith("oasis"))
    assert line.split() == ["oasis", f"{means['oasis', 4]:.3f}", f"{means['oasis', 5]:.3f}"]


def test_rows_say_of_a_setting_what_the_reading_makes_of_it(here: Path) -> None:
    reading = '[[study.reading]]\nname = "{}"\nsettings = {{ requested = "{}" }}\n'
    base = 'base = { jobs = 2, slots = 10, servers = 3, requested = "uniform" }\n'
    study = SMALL.partition("base")[0] + base + reading.format("c", "chunks")
    Path("read.toml").write_text(study + reading.format("g", "gpus"))
    assert sweep.main(["read.toml", "--workers", "1", "--out", "out"]) == 0
    rows = pd.read_csv("out/rows.csv")
    assert set(zip(rows["reading"], rows["requested"], strict=True)) == {
        ("c", "chunks"),
        ("g", "gpus"),
    }


def test_a_column_of_values_of_several_types_is_one_of_texts_in_parquet() -> None:
    frame = pd.DataFrame({"a": [1, "x", None], "b": [True, 2, "y"], "c": [1, 2.5, None]})
    packed = pd.read_parquet(io.BytesIO(sweep._packed(frame)))
    assert packed["b"].tolist() == ["True", "2", "y"]
    assert packed["c"].tolist()[:2] == [1.0, 2.5]


README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = [
    dedent(str(sweep.__doc__).partition("a study file:\n")[2]),
    *re.findall(r"```toml\n(.*?)```", README, re.DOTALL),
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_study_that_the_help_and_the_readme_show(example: str, here: Path) -> None:
    (policy,) = (
        code for code in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "(Policy)" in code
    )
    Path("my_file.py").write_text(policy)
    large, small = 'jobs = 10, slots = 10, servers = "5+5"', 'jobs = 4, slots = 6, servers = "3+3"'
    assert large in example and "seeds = 3" in example and "[0.5, 1.0, 2.0]" in example
    smaller = example.replace(large, small).replace("seeds = 3", "seeds = 1")
    Path("shown.toml").write_text(smaller.replace("[0.5, 1.0, 2.0]", "[0.5, 1.0]"))
    assert sweep.main(["shown.toml", "--workers", "1"]) == 0
    rows = pd.read_csv("results/sweep-shown/rows.csv")
    assert list(rows["policy"].unique()) == ["oasis", "rrh", "half"]
    assert list(rows["asked_load"].unique()) == [0.5, 1.0]
    assert rows["load"].to_numpy() == pytest.approx(rows["asked_load"].to_numpy(), rel=0.05)


# ---- what cannot spoil it ------------------------------------------------------------------


def run_small(out: str) -> bytes:
    assert sweep.main(["small.toml", "--workers", "1", "--out", out]) == 0
    return Path(out, "rows.csv").read_bytes()


@pytest.fixture(scope="module")
def small_rows(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The rows of the small study where nothing goes wrong."""
    with pytest.MonkeyPatch.context() as moved:
        moved.chdir(tmp_path_factory.mktemp("small"))
        Path("small.toml").write_text(SMALL)
        return run_small("out")


def no_room(after: int, really: Callable[..., Any]) -> Callable[..., Any]:
    """A call that works a few times, and then finds the disk full."""
    left = [after]

    def call(*given: Any, **named: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return really(*given, **named)

    return call


@pytest.mark.parametrize("call", ["replace", "fdopen"])
@pytest.mark.parametrize("after", [0, 8, 9, 13])
def test_a_full_disk_is_one_line_and_loses_nothing(
    call: str, after: int, small_rows: bytes, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        full.setattr(files.os, call, no_room(after, getattr(os, call)))
        with pytest.raises(InputError, match=r"^out.*: cannot be written: No space left on dev"):
            sweep.main(["small.toml", "--workers", "1", "--out", "out"])
    assert not list(Path("out").rglob(".*")), "no half a file is left"
    assert not Path("out/rows.csv").exists()
    cells = {path: path.stat().st_mtime_ns for path in Path("out/cells").glob("*.json")}
    assert bool(cells) == bool(after)
    assert run_small("out") == small_rows
    assert cells.items() <= {p: p.stat().st_mtime_ns for p in Path("out/cells").iterdir()}.items()


def test_a_folder_that_cannot_be_written(here: Path, refuses: Refuses) -> None:
    Path("file").write_text("")
    for out in ("file", "file/sub"):
        arguments = ["small.toml", "--workers", "1", "--out", out]
        refuses("sweep", arguments, f"{out}/cells: cannot be made: ")


@pytest.mark.usefixtures("rendered")
def test_a_table_shows_every_point_and_no_mean_of_survivors(
    here: Path, capsys: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder
) -> None:
    Path("moody.py").write_text(
        "from online.utility.fifo import FIFO\n"
        "class Moody(FIFO):\n"
        "    name = 'moody'\n"
        "    def step(self, event):\n"
        "        raise ValueError('not my day')\n"
    )
    Path("moody.toml").write_text("""
seeds = 1
[[study]]
problem = "utility"
policies = ["fifo", "moody.py:Moody"]
base = { jobs = 5, slots = 6, servers = "3+3" }
vary = { load = [1.0, "none"] }
[[study.reading]]
name = "a reading whose name says at some length what it is"
[[study.reading]]
name = "another one, which says the contrary, at the same length"
settings = { priority = [1, 50] }
""")
    assert sweep.main(["moody.toml", "--workers", "1", "--out", "out"]) == 1
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "moody" in line]
    assert rows and all(row[-4:] == ["failed", "1/1", "failed", "1/1"] for row in rows)
    assert not [str(w.message) for w in recwarn if "constrained_layout" in str(w.message)]


def test_a_guarantee_that_fails_is_named(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("vain.py").write_text(
        "from online.utility.fifo import FIFO\n"
        "class Vain(FIFO):\n"
        "    name = 'vain'\n"
        "    def evidence(self, instance, trace):\n"
        "        return {}\n"
        "    @classmethod\n"
        "    def applies(cls, evidence, best_known):\n"
        "        raise LookupError('no proof')\n"
    )
    Path("vain.toml").write_text(
        'seeds = 1\n[[study]]\nproblem = "utility"\npolicies = ["fifo", "vain.py:Vain"]\n'
        'base = { jobs = 4, slots = 6, servers = "3+3" }\n'
    )
    assert sweep.main(["vain.toml", "--workers", "1", "--out", "out"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert re.fullmatch(
        "failed: problem utility, instance .*, seed 0, policy vain: "
        "guarantee: failed: LookupError: no proof.*",
        line,
    )
    assert list(pd.read_csv("out/rows.csv")["error"].notna()) == [False, True]


@pytest.mark.slow
def test_two_sweeps_in_one_folder_at_once(here: Path) -> None:
    Path("two.toml").write_text(SMALL.replace("seeds = 1", "seeds = 4"))
    command = [sys.executable, "-m", "benchmarks.sweep", "--workers", "1", "--out", "both"]
    both = [
        subprocess.Popen([*command, study], env={**os.environ, "PYTHONPATH": str(ROOT)})
        for study in ("two.toml", "two.toml")
    ]
    assert [one.wait() for one in both] == [0, 0]
    assert sweep.main(["two.toml", "--workers", "1", "--out", "fresh"]) == 0
    assert Path("both/rows.csv").read_bytes() == Path("fresh/rows.csv").read_bytes()
    packed = [pd.read_parquet(Path(out, "rows.parquet")) for out in ("both", "fresh")]
    pd.testing.assert_frame_equal(*packed)
    names = [{path.name for path in Path(out, "cells").iterdir()} for out in ("both", "fresh")]
    assert names[0] == names[1]
