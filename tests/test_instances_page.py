"""docs/instances.md: every key is there, and its examples and commands work."""

from __future__ import annotations

import importlib
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.door import run, solve
from models.problem import own_problem_names, problem, read_instance
from models.schema import json_schema
from online.contract import online_side
from tests.test_layers import ROOT

pytestmark = pytest.mark.usefixtures("highs_here", "short_local_search")

FOLDER = ROOT / "docs" / "instances"
TEXT = (ROOT / "docs" / "instances.md").read_text(encoding="utf-8")
SECTIONS = {part.split("\n", 1)[0].strip("` "): part for part in TEXT.split("\n## ")}
QUICK = [  # the others compile more than they solve
    name if name in ("jct", "completion") else pytest.param(name, marks=pytest.mark.slow)
    for name in own_problem_names()
]
COMMANDS = re.findall(r"^    python -m (benchmarks\..*)$", TEXT, re.MULTILINE)


def keys_of(section: str) -> set[str]:
    """First column of the tables of a section."""
    return set(re.findall(r"^\| `(\w+)` \|", SECTIONS[section], re.MULTILINE))


@pytest.mark.parametrize("name", own_problem_names())
def test_every_key_of_an_instance_has_a_line(name: str) -> None:
    schema = json_schema(problem(name).instance_file, "")
    wanted = {key for kind in schema["$defs"].values() for key in kind["properties"]}
    assert read_instance(FOLDER / f"{name}.json").problem == name
    common = keys_of("Keys of every problem")
    own = keys_of(name)
    assert wanted <= own | common
    assert own <= wanted
    if name != "reward":  # which has no jobs of their own
        assert common <= wanted


@pytest.mark.parametrize("name", QUICK)
def test_an_example_is_solved_and_its_schedules_are_worth_no_more(name: str) -> None:
    instance = read_instance(FOLDER / f"{name}.json")
    assert instance.problem == name
    kind, found = problem(name), solve(instance, time_limit=None)
    assert found.is_optimal
    assert found.schedule is not None and found.objective is not None
    score = kind.score(instance, found.schedule)
    assert score.feasible
    assert score.objective == pytest.approx(found.objective, rel=1e-9)
    reached = run(instance, next(iter(online_side(name).policies))).score.objective
    better = reached - score.objective if kind.sense == "max" else score.objective - reached
    assert better <= 1e-4 * score.objective


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the examples where the page has them."""
    shutil.copytree(FOLDER, tmp_path / "docs" / "instances")
    monkeypatch.chdir(tmp_path)
    yield tmp_path


@pytest.mark.slow
def test_the_commands_work_as_written(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert {line.split()[0] for line in COMMANDS} == {
        f"benchmarks.{name}" for name in ("ratio", "verify", "trace", "generate")
    }
    for line in COMMANDS:
        module, *words = shlex.split(line)
        arguments = [
            str(path)
            for word in words
            for path in (sorted(copied.glob(word)) if "*" in word else [word])
        ]
        if module == "benchmarks.ratio":
            arguments += ["--workers", "1", "--time-limit", "5"]
            arguments += ["--seeds", "1"] if "--trace" in arguments else []
        assert importlib.import_module(module).main(arguments) == 0
    out = capsys.readouterr().out
    assert "utility: 1 instance, load 0.719: written by hand" in out
    assert "certificate accepted" in out
    assert "completion: 1 instance, load" in out
