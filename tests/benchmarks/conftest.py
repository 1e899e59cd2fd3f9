"""What tests of commands share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

import benchmarks.utility
from benchmarks.study.cell import Cell, Outcome, Result
from benchmarks.study.guard import Guard, outcome_of
from benchmarks.utility import EXPERIMENTS
from tests.benchmarks import toy

PARTS = ("studies", "pictures", "claims", "readings")


@pytest.fixture(autouse=True)
def tiny_programs_are_solved_in_no_time(highs_here: None, short_local_search: None) -> None:
    """No child process for HiGHS, and little local search: what is tested here are no solvers."""


@pytest.fixture
def rendered() -> None:
    """Pictures are rendered, which may take longer than all else that a command does."""


@pytest.fixture(autouse=True)
def pictures_are_noted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures that are not ``rendered`` are drawn, and their words and lines are what is saved."""

    def note(picture: Figure, file: BytesIO, **how: Any) -> None:
        words = [text.get_text() for text in picture.findobj(Text)]
        lines = [line.get_xydata().tolist() for line in picture.findobj(Line2D)]
        file.write(repr((words, lines)).encode())

    if "rendered" not in request.fixturenames:
        monkeypatch.setattr(Figure, "savefig", note)


@pytest.fixture
def guarded_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells that a child process would run are run in this process: nothing of them hangs."""

    def run(guard: Guard, cell: Cell, known: Result | None = None, code: str = "") -> Outcome:
        return outcome_of(cell, known, code)

    monkeypatch.setattr(Guard, "run", run)


@pytest.fixture
def toy_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current folder, where the experiments of ``utility`` are those of a toy."""
    names = {name: f"{toy.__name__}:{name.upper()}" for name in PARTS}
    monkeypatch.setattr(benchmarks.utility, "EXPERIMENTS", replace(EXPERIMENTS, **names))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
