"""Help and errors name the problems that a command can do something with, and no others."""

from __future__ import annotations

import re

import pytest

from benchmarks import export, gap, generate, ratio, regret
from benchmarks.catalogue import find_picture
from benchmarks.contract import experiments_of, part_of
from models import problem as problem_module
from models.errors import InputError
from models.problem import problem_names


@pytest.fixture(autouse=True)
def one_without_benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A problem of which only the first three layers are built."""
    there = problem_module._is_there
    monkeypatch.setattr(
        problem_module,
        "_is_there",
        lambda *targets: there(*targets) and "benchmarks.jct" not in targets,
    )


def test_names_by_layer() -> None:
    assert "jct" in problem_names() and "jct" in problem_names("solvers")
    assert {"utility", "reward"} <= set(problem_names("benchmarks"))
    assert "jct" not in problem_names("benchmarks")
    assert "jct" in problem_names("models", "formulations")


@pytest.mark.parametrize("command", [ratio, generate, gap, regret])
def test_help_offers_no_other(command: object, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--help"])  # type: ignore[attr-defined]
    text = " ".join(capsys.readouterr().out.split())
    offered = re.search(r"--problem PROBLEM one of ([a-z, ]*) \(", text)
    assert offered is not None and "jct" not in offered[1].split(", ")
    assert "reward" in offered[1].split(", ") or command is gap
    assert "jct: a-online" not in text


def test_help_of_export_is_of_models(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        export.main(["--help"])
    assert "jct" in capsys.readouterr().out


def test_errors_offer_no_other() -> None:
    asked = [
        lambda: experiments_of("tetris"),
        lambda: part_of("tetris", "claims"),
        lambda: find_picture("tetris-3"),
    ]
    for ask in asked:
        with pytest.raises(InputError, match=r"one of|choose from") as caught:
            ask()
        assert "utility" in str(caught.value) and "jct" not in str(caught.value)
    with pytest.raises(InputError, match=r"unknown problem 'tetris': choose from reward$"):
        part_of("tetris", "regret")
    with pytest.raises(InputError, match="'jct' has no benchmarks part yet"):
        part_of("jct", "claims")
