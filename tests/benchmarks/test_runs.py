"""The folder of measured ratios: runs by name, their rows together, files to verify."""

from __future__ import annotations

import errno
import json
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pytest

from benchmarks import gap, regret, sweep
from benchmarks import runs as runs_module
from benchmarks.ratio import main
from benchmarks.runs import Runs
from benchmarks.study.compute import Progress
from benchmarks.study.rows import Row
from benchmarks.verify import main as verify
from models.errors import InputError
from models.problem import problem, read_instance
from models.utility import UtilityInstance
from solvers.contract import offline_solver
from solvers.result import SolveResult
from tests.models.utility.small import random_instance

TIMINGS = {"timings.jsonl": b""}
OPTIONS = ["--policy", "fifo,zero-price", "--jobs", "3", "--slots", "6", "--servers", "3+3"]

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(file: str) -> list[tuple[Any, ...]]:
    frame = pd.read_csv(file)
    columns = ["run"] if "run" in frame else []
    return list(frame[[*columns, "seed", "policy"]].itertuples(index=False, name=None))


def test_shards_in_one_folder_lose_nothing_and_mix_nothing_up(folder: Path) -> None:
    for name, seeds in (("first", "0:2"), ("second", "2:4")):
        assert main([*OPTIONS, "--seeds", seeds, "--out", "out", "--run", name]) == 0
        mine = [(seed, p) for seed in range(*map(int, seeds.split(":"))) for p in POLICIES]
        assert rows("out/rows.csv") == rows(f"out/runs/{name}/rows.csv") == mine
    assert main([*OPTIONS, "--seeds", "4", "--out", "whole"]) == 0
    together = [row[1:] for row in rows("out/all.csv")]
    assert together == rows("whole/rows.csv")
    assert [row[0] for row in rows("out/all.csv")] == ["first"] * 4 + ["second"] * 4
    joined = pd.read_csv("out/all.csv").drop(columns="run")
    pd.testing.assert_frame_equal(joined, pd.read_csv("whole/rows.csv"))


STUDY = """
seeds = [{}]
[[study]]
problem = "jct"
policies = ["a-online"]
base = {{ jobs = 2, slots = 10, servers = 3 }}
vary = {{ jobs = [2] }}
"""
SHARDS = {
    "sweep": (sweep, "{}.toml --workers 1", "jct-1-asked_jobs.png"),
    "gap": (gap, "--sizes 5x6x3+3 --times 9 --methods toolkit --seeds {}", "gap.png"),
    "regret": (
        regret,
        "--base 2x4 --slots 4 --ports 2 --servers 3 --arrivals coin --policy drf --seeds {} "
        "--workers 1",
        "curves.csv",
    ),
}


@pytest.mark.usefixtures("guarded_here")
@pytest.mark.parametrize("command", SHARDS)
def test_every_command_keeps_the_rows_of_all_shards(command: str, folder: Path) -> None:
    module, words, picture = SHARDS[command]
    for name, seeds in (("first", "0:1"), ("second", "1:2")):
        Path(f"{seeds}.toml").write_text(STUDY.format(seeds[0]))
        argv = [*words.format(seeds).split(), "--out", "out"]
        assert module.main([*argv, "--run", name]) == 0
        assert list(pd.read_csv("out/rows.csv")["seed"]) == [int(seeds[0])]
        mine = Path("out/runs", name, picture).read_bytes()
        assert Path("out", picture).read_bytes() == mine
    together = pd.read_csv("out/all.csv")
    assert list(zip(together["run"], together["seed"], strict=True)) == [
        ("first", 0),
        ("second", 1),
    ]
    settings = json.loads(Path("out/runs/second/settings.json").read_text())
    assert settings["asked"]["seeds"] == [1]
    with pytest.raises(InputError, match="'first' of out asked for other seeds: choose another"):
        module.main([*argv, "--run", "first"])
    assert module.main(argv) == 0  # without a name: a run of its own, with the same cells
    assert len(os.listdir("out/runs")) == 3


POLICIES = ("fifo", "zero-price")


def test_a_finished_folder_that_is_only_read_is_shown(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object, **named: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    argv = [*OPTIONS, "--seeds", "1", "--workers", "1", "--out", "out"]
    assert main(argv) == 0
    before = capsys.readouterr().out
    for call in ("os.unlink", "os.link", "os.replace", "tempfile.mkstemp"):
        monkeypatch.setattr(call, refuse)
    with pytest.raises(InputError, match=r"^the results could not be written: out/.*: Read-only"):
        main(argv)
    shown = capsys.readouterr().out
    assert shown.splitlines()[0] == before.splitlines()[0]
    assert all(f"\n{policy} " in shown for policy in POLICIES)
    assert "rows: " in before and "rows: " not in shown


def test_the_same_question_is_the_same_run(folder: Path) -> None:
    small = [*OPTIONS, "--seeds", "1"]
    for _ in range(2):
        assert main([*small, "--out", "out"]) == 0
    (name,) = os.listdir("out/runs")
    for other in (["--time-limit", "7"], ["--threads", "2"], ["--seeds", "1:2"], ["--jobs", "4"]):
        assert main([*small, *other, "--out", "out"]) == 0
    assert main(["--policy", "fifo", *OPTIONS[2:], "--seeds", "1", "--out", "out"]) == 0
    assert len(os.listdir("out/runs")) == 6
    assert set(pd.read_csv("out/all.csv")["run"]) == set(os.listdir("out/runs"))
    settings = json.loads(Path(f"out/runs/{name}/settings.json").read_text())
    assert settings["run"] == name
    assert settings["asked"]["seeds"] == [0]
    assert settings["asked"]["policies"] == {"fifo": "fifo", "zero-price": "zero-price"}


def test_a_name_is_for_one_question(folder: Path) -> None:
    small = [*OPTIONS, "--out", "out", "--run", "mine"]
    assert main([*small, "--seeds", "1"]) == 0
    before = Path("out/all.csv").read_bytes()
    with pytest.raises(InputError, match=r"^run 'mine' of out asked for other seeds: choose "):
        main([*small, "--seeds", "2"])
    assert Path("out/all.csv").read_bytes() == before


@pytest.mark.parametrize("name", ["../up", "a/b", ".hidden", "a b", "-x"])
def test_names_that_are_no_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="want a name of letters"):
        Runs(tmp_path / "out", {}, name)
    assert list(tmp_path.iterdir()) == []


def row(seed: int) -> Row:
    return Row("utility", f"i{seed}", f"{seed:064}", seed, 1.0, "fifo", objective=2.0)


def test_runs_that_end_at_the_same_time_are_all_joined(tmp_path: Path) -> None:
    def end(seed: int) -> None:
        Runs(tmp_path, {"seed": seed}, f"r{seed}").finish([row(seed)], TIMINGS)

    threads = [threading.Thread(target=end, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [seed for _, seed, _ in rows(str(tmp_path / "all.csv"))] == list(range(8))
    # All files beside it are of one run.
    last = json.loads((tmp_path / "settings.json").read_text())["run"]
    for name in ("settings.json", "rows.jsonl", "rows.csv", "timings.jsonl"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "runs" / last / name).read_bytes()


def test_whoever_writes_last_has_seen_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Another run ends after the rows were read, and before they are written.
    write, written = runs_module.write_atomic, []

    def late(path: Path, content: bytes) -> None:
        if path.name == "all.csv" and not written:
            written.append(path)
            Runs(tmp_path, {"seed": 2}, "r2").finish([row(2)], TIMINGS)
        write(path, content)

    monkeypatch.setattr(runs_module, "write_atomic", late)
    Runs(tmp_path, {"seed": 1}, "r1").finish([row(1)], TIMINGS)
    assert [seed for _, seed, _ in rows(str(tmp_path / "all.csv"))] == [1, 2]
    assert [seed for seed, _ in rows(str(tmp_path / "rows.csv"))] == [2]


def test_rows_of_another_version_are_left_out_and_said_to_be(
    tmp_path: Path, capsys: Capture
) -> None:
    old = tmp_path / "runs" / "old"
    old.mkdir(parents=True)
    (old / "rows.jsonl").write_text('{"problem": "utility"}\n')
    Runs(tmp_path, {}, "new").finish([row(1)], TIMINGS)
    assert [name for name, _, _ in rows(str(tmp_path / "all.csv"))] == ["new"]
    assert "old/rows.jsonl: left out of all.csv: line 1: no Row" in capsys.readouterr().err


def test_whole_numbers_stay_so_beside_a_failed_row(tmp_path: Path) -> None:
    failed = Row("utility", "i", "", 3, None, "drf", error="run: killed: gone")
    good = Row("utility", "i", "h", 3, 0.5, "fifo", objective=2.0, completed=4, jobs=5)
    Runs(tmp_path, {}, "r").finish([good, failed], TIMINGS)
    line = (tmp_path / "rows.csv").read_text().splitlines()[1]
    assert line.startswith("utility,i,h,3,0.5,fifo,2.0,4,5,")


# ---- instances to verify -----------------------------------------------------------------------


def one_file(name: str) -> UtilityInstance:
    drawn = random_instance(np.random.default_rng(1), jobs=4, slots=4)
    return UtilityInstance.from_file(msgspec.structs.replace(drawn.file, name=name))


def test_a_policy_named_like_a_file_of_the_folder(folder: Path) -> None:
    Path("outside.py").write_text(
        "from online.policy import Decision, Policy\n\n\n"
        "class Outside(Policy):\n"
        "    name = 'offline'\n\n"
        "    def reset(self, public, rng):\n"
        "        pass\n\n"
        "    def step(self, event):\n"
        "        return Decision()\n"
    )
    one_file("a/b c").write("one.json")
    options = ["--instance", "one.json", "--policy", "fifo,outside.py:Outside", "--out", "out"]
    assert main(options) == 0
    one = read_instance("one.json")
    (place,) = Path("out/instances").iterdir()
    assert place.name == f"a-b-c-{one.hash[:8]}"
    kind = problem("utility")
    values = [
        kind.score(one, kind.read_schedule(place / name, one)).objective
        for name in ("schedules/offline-outside.py-Outside.json.gz", "offline.json.gz")
    ]
    assert values[0] == 0.0 < values[1]
    assert verify([str(place / "instance.json.gz"), str(place / "offline.json.gz")]) == 0


REFUSER = """
from online.policy import Decision, Policy


class Mine(Policy):
    name = "mine"

    def reset(self, public, rng):
        pass

    def step(self, event):
        return Decision()
"""


def test_policies_of_one_name_from_two_files(folder: Path) -> None:
    one_file("one").write("one.json")
    Path("first.py").write_text(
        "from online.utility.fifo import FIFO\n\n\nclass Mine(FIFO):\n    name = 'mine'\n"
    )
    Path("second.py").write_text(REFUSER)
    for file in ("first.py", "second.py"):
        assert main(["--instance", "one.json", "--policy", f"{file}:Mine", "--out", "out"]) == 0
    one, kind = read_instance("one.json"), problem("utility")
    worth = {
        path.name.partition(".json")[0]: kind.score(one, kind.read_schedule(path, one)).objective
        for path in folder.glob("out/instances/*/schedules/*")
    }
    assert worth["mine-first.py-Mine"] > worth["mine-second.py-Mine"] == 0.0
    assert len(worth) == 2


def test_the_best_schedule_known_is_that_of_any_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The offline solver finds nothing, so that the best schedule is a policy's.
    def nothing(*args: Any, **kwargs: Any) -> SolveResult[Any]:
        bound: dict[str, Any] = {"objective": None, "bound": 1e9, "schedule": None, "duals": None}
        return SolveResult(status="bounded", seconds=0.0, solver="none", sense="max", **bound)

    solver = replace(offline_solver("utility"), starts=())
    monkeypatch.setattr("solvers.utility.OFFLINE", solver)
    monkeypatch.setattr("solvers.utility.offline.solve", nothing)
    one_file("one").write("one.json")
    Path("refuser.py").write_text(REFUSER)
    options = ["--instance", "one.json", "--out", "out", "--policy"]
    seen = []
    for policies in ("refuser.py:Mine", "fifo,refuser.py:Mine", "refuser.py:Mine"):
        assert main([*options, policies]) == 0
        (best,) = folder.glob("out/instances/*/offline.json.gz")
        seen.append(best.read_bytes())
    assert seen[0] != seen[1] == seen[2]
    best.write_bytes(b"damaged")
    assert main([*options, "refuser.py:Mine"]) == 0
    assert best.read_bytes() == seen[0]


def test_a_copy_where_there_are_no_hard_links(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_file("one").write("one.json")
    options = ["--instance", "one.json", "--policy", "fifo"]
    assert main([*options, "--out", "linked"]) == 0

    def refused(*args: Any) -> None:
        raise OSError(errno.EPERM, "no")

    monkeypatch.setattr(os, "link", refused)
    assert main([*options, "--out", "copied"]) == 0
    files = {
        out: {p.relative_to(out): p.read_bytes() for p in Path(out, "instances").rglob("*.gz")}
        for out in ("linked", "copied")
    }
    assert len(files["linked"]) == 4
    assert files["linked"] == files["copied"]


# ---- damage and interruption -------------------------------------------------------------------


def contents(path: str) -> dict[str, bytes]:
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted(Path(path).rglob("*"))
        if file.is_file() and file.name != "timings.jsonl"
    }


def interrupt(monkeypatch: pytest.MonkeyPatch, after: int) -> Callable[[], None]:
    """Raise KeyboardInterrupt when so many cells have ended."""
    ended, count = Progress.ended, [0]

    def counted(self: Progress, *args: Any) -> None:
        ended(self, *args)
        count[0] += 1
        if count[0] == after:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "ended", counted)
    return monkeypatch.undo


def test_an_interrupted_run_goes_on_and_gives_the_same_bytes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    options = [*OPTIONS, "--seeds", "2", "--run", "r", "--out"]
    assert main([*options, "whole"]) == 0
    with monkeypatch.context() as patch:
        interrupt(patch, 4)
        with pytest.raises(KeyboardInterrupt):
            main([*options, "parts"])
    assert not Path("parts/rows.jsonl").exists()
    capsys.readouterr()
    assert main([*options, "parts"]) == 0
    assert "4 of 6 cells were finished before" in capsys.readouterr().err
    assert contents("parts") == contents("whole")


def test_an_early_interrupt_leaves_no_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Progress, cell: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "began", interrupted)
    with pytest.raises(KeyboardInterrupt):
        main([*OPTIONS, "--seeds", "1", "--out", "out"])
    assert list(folder.iterdir()) == []
