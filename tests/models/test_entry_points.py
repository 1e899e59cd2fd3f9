"""A problem of another package is found by its entry point, and a bad one spoils nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks.evaluate import evaluate
from benchmarks.instances import Workload
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
from online.run import run
from solvers.contract import OfflineSolver, offline_solver
from tests.models.toy import announce, install

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
    install(site)
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


def test_it_is_drawn_solved_run_and_scored(site: Path, tmp_path: Path) -> None:
    install(site)
    draw = sub_package("benchmarks", "toy").WORKLOAD.draw
    instance, _ = draw(jobs=5, slots=5, servers="2", seed=3)
    instance.write(tmp_path / "toy.json")
    instance = read_instance(tmp_path / "toy.json")
    worth = instance.file.worth
    trace = run(instance, find_policy("toy", "first")(), np.random.default_rng(0))
    assert trace.schedule.kept == (0, 1)
    cell = evaluate(instance, [find_policy("toy", "first")], time_limit=None)
    best = sum(sorted(worth)[-2:])
    assert cell.rows[0].ratio_upper == pytest.approx(best / (worth[0] + worth[1]))
    assert cell.certificate is None


def test_a_command_runs_it_as_one_of_its_own(site: Path) -> None:
    install(site)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.ratio", "--problem", "toy", "--out", "out"],
        capture_output=True,
        text=True,
        cwd=site,
        check=False,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{site}"},
    )
    assert done.returncode == 0, done.stderr
    assert "Optimum proven (gap <= 0.0001) on 2 of 2 instances." in done.stdout


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
    install(site)
    announce(site, "bad", *entries)
    with pytest.raises(InputError) as caught:
        problem(name)
    assert str(caught.value) == fault
    for other in {*own_problem_names(), "toy"} - {name}:
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
    install(site)
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
        ("benchmarks", "WORKLOAD", Workload),
    ):
        assert set(own_problem_names()) <= set(all_offered(layer, attribute, kind))


def test_metadata_that_cannot_be_read_are_passed_over(site: Path) -> None:
    install(site)
    announce(site, "bad", "this is no entry point")
    assert problem("toy").name == "toy"


def test_the_metadata_are_read_once(site: Path) -> None:
    assert "toy" not in problem_names()
    install(site)
    assert "toy" not in problem_names()
