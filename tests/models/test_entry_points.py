"""A problem of another package is found by its entry point, and a bad one spoils nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from benchmarks import door
from benchmarks.contract import Experiments
from models.entry_points import outside_problems
from models.errors import InputError
from models.problem import (
    Problem,
    all_offered,
    has_sub_package,
    own_problem_names,
    problem,
    problem_names,
    read_instance,
    sub_package,
)
from models.schema import kept_schemas
from online.contract import OnlineSide, online_side
from online.registry import find_policy, policy_names
from solvers.contract import OfflineSolver, offline_solver
from tests.outside import TOY, announce, install_toy

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of packages; what is imported of them is forgotten after the test."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    outside_problems.cache_clear()
    yield tmp_path
    outside_problems.cache_clear()
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "").is_relative_to(tmp_path):
            del sys.modules[name]


def test_every_layer_finds_it(site: Path) -> None:
    install_toy(site)
    assert "toy" in problem_names() and "toy" not in own_problem_names()
    assert problem("toy").title == "things to keep"
    assert offline_solver("toy").starts == ("first",)
    assert policy_names("toy") == ("first",)
    assert find_policy("toy", "first").__module__ == "toyproblem.online.first"
    assert sub_package("benchmarks", "toy").__name__ == "toyproblem.benchmarks"
    assert sub_package("solvers", "toy", "sorting").__name__ == "toyproblem.solvers.sorting"
    assert has_sub_package("solvers", "toy", "sorting")
    assert not has_sub_package("benchmarks", "toy", "figures")
    with pytest.raises(InputError) as caught:
        sub_package("benchmarks", "toy", "figures")
    assert str(caught.value) == (
        "problem 'toy' of distribution 'toy-distribution' has no figures part yet "
        "(toyproblem.benchmarks.figures)"
    )
    assert not [path for path in kept_schemas() if "toy" in path.name]


def test_it_is_small() -> None:
    files = [TOY / "pyproject.toml", *TOY.rglob("*.py")]
    assert sum(len(file.read_text().splitlines()) for file in files) <= 250


def test_it_is_drawn_solved_run_and_scored(site: Path, tmp_path: Path) -> None:
    install_toy(site)
    door.draw("toy", jobs=5, slots=5, servers=2, seed=3).write(tmp_path / "toy.json")
    instance = read_instance(tmp_path / "toy.json")
    worth = instance.file.worth
    best = sum(sorted(worth)[-2:])
    assert door.solve(instance).objective == pytest.approx(best)
    assert door.run(instance, "first").trace.schedule.kept == (0, 1)
    (row,) = door.evaluate(instance).frame.to_dict("records")
    assert row["ratio_upper"] == pytest.approx(best / (worth[0] + worth[1]))
    assert row["load"] == 2.5
    dear = door.draw("toy", jobs=5, slots=5, servers=2, seed=3, dearest=9.0)
    assert max(dear.file.worth) > 2.0


def command(site: Path, name: str, *arguments: str) -> str:
    """What a command prints in a process of its own, where the package is installed."""
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", *arguments],
        capture_output=True,
        text=True,
        cwd=site,
        check=False,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{site}"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_commands_run_it_as_one_of_their_own(site: Path) -> None:
    install_toy(site)
    printed = command(site, "ratio", "--problem", "toy", "--workers", "1", "--out", "ratio")
    assert "Optimum proven (gap <= 0.0001) on 2 of 2 instances." in printed
    for place in (site / "ratio" / "instances").iterdir():
        files = [place / "instance.json.gz", place / "schedules" / "first.json.gz"]
        checked = command(site, "verify", *map(str, files))
        assert "violations 0" in checked


@pytest.mark.slow
def test_worker_processes_find_it(site: Path) -> None:
    install_toy(site)
    (site / "toy.toml").write_text(
        '[[study]]\nproblem = "toy"\npolicies = ["first", "last.py:Last"]\n'
        "vary = { dearest = [2.0, 9.0], servers = [1, 3] }\n"
    )
    (site / "last.py").write_text(
        "from online.policy import Decision\n"
        "from toyproblem.online.first import First\n\n\n"
        "class Last(First):\n"
        '    name = "last"\n\n'
        "    def step(self, event):\n"
        "        return super().step(event) if event.slot >= 3 else Decision()\n"
    )
    command(site, "sweep", "toy.toml", "--workers", "2", "--out", "sweep")
    rows = pd.read_csv(site / "sweep" / "rows.csv")
    assert len(rows) == 2 * 2 * 2 * 3
    assert set(rows["policy"]) == {"first", "last"}
    assert (rows["ratio_lower"] >= 1.0).all()
    assert rows["error"].isna().all()
    assert sorted(rows["load"].unique()) == [2.0, 6.0]


@pytest.mark.parametrize(
    ("entries", "name", "fault"),
    [
        (
            ["utility = toyproblem"],
            "utility",
            "problem 'utility' of distribution 'bad' has the name of one of the toolkit's own: "
            "uninstall it",
        ),
        (
            ["toy = toyproblem"],
            "toy",
            "problem 'toy' of distribution 'bad' and 'toy-distribution' is announced more than "
            "once: uninstall all but one",
        ),
        (
            ["other = no_such_package"],
            "other",
            "problem 'other' of distribution 'bad': there is no package 'no_such_package'",
        ),
        (
            ["other = toyproblem:PROBLEM"],
            "other",
            "problem 'other' of distribution 'bad' has an entry point 'toyproblem:PROBLEM', "
            "which is no package",
        ),
        (
            ["two-words = toyproblem"],
            "two-words",
            "problem 'two-words' of distribution 'bad' needs a name of letters, digits and "
            "underscores",
        ),
        (
            ["other = toyproblem"],
            "other",
            "problem 'other' of distribution 'bad': its `PROBLEM` is named 'toy'",
        ),
    ],
)
def test_a_bad_entry_point_names_its_distribution_and_spoils_nothing(
    site: Path, entries: list[str], name: str, fault: str
) -> None:
    install_toy(site)
    announce(site, "bad", *entries)
    with pytest.raises(InputError) as caught:
        problem(name)
    assert str(caught.value) == fault
    own = {other for other in own_problem_names() if has_sub_package("online", other)}
    for other in {*own, "toy"} - {name}:
        assert problem(other).name == other
        assert offline_solver(other) and online_side(other)


@pytest.mark.parametrize(
    ("module", "text", "fault"),
    [
        (
            "models",
            "1 // 0",
            "toyproblem.models cannot be imported: ZeroDivisionError: integer division or modulo "
            "by zero",
        ),
        ("models", "", "`PROBLEM` of toyproblem.models is missing: want Problem"),
        ("models", "PROBLEM = 1", "`PROBLEM` of toyproblem.models is of type int: want Problem"),
        ("solvers", "", "`OFFLINE` of toyproblem.solvers is missing: want OfflineSolver"),
        ("online", "", "`ONLINE` of toyproblem.online is missing: want OnlineSide"),
    ],
)
def test_a_broken_package_is_one_line_where_it_is_asked_for(
    site: Path, module: str, text: str, fault: str
) -> None:
    install_toy(site)
    (site / "toyproblem" / module / "__init__.py").write_text(text)
    asked = {"models": problem, "solvers": offline_solver, "online": online_side}[module]
    with pytest.raises(InputError) as caught:
        asked("toy")
    assert str(caught.value).endswith(fault)
    assert "'toy-distribution'" in str(caught.value) and "\n" not in str(caught.value)
    for layer, attribute, kind in (
        ("models", "PROBLEM", Problem),
        ("solvers", "OFFLINE", OfflineSolver),
        ("online", "ONLINE", OnlineSide),
        ("benchmarks", "EXPERIMENTS", Experiments),
    ):
        own = {name for name in own_problem_names() if has_sub_package(layer, name)}
        assert own <= set(all_offered(layer, attribute, kind))


def test_metadata_that_cannot_be_read_are_passed_over(site: Path) -> None:
    install_toy(site)
    announce(site, "bad", "this is no entry point")
    assert problem("toy").name == "toy"


def test_the_metadata_are_read_once(site: Path) -> None:
    assert "toy" not in problem_names()
    install_toy(site)
    assert "toy" not in problem_names()
