"""What tests of commands share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import benchmarks.utility
from benchmarks.utility import EXPERIMENTS
from tests.benchmarks import toy


@pytest.fixture(autouse=True)
def tiny_programs_are_solved_in_no_time(highs_here: None, short_local_search: None) -> None:
    """No child process for HiGHS, and little local search: what is tested here are no solvers."""


@pytest.fixture
def toy_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current folder, where the experiments of ``utility`` are those of a toy."""
    names = {name: f"{toy.__name__}:{name.upper()}" for name in ("studies", "pictures", "claims")}
    monkeypatch.setattr(benchmarks.utility, "EXPERIMENTS", replace(EXPERIMENTS, **names))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
