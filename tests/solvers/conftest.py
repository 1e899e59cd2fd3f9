"""What tests of solvers share: HiGHS without child processes."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from solvers.highs import HighsOptions, LinearProgram
from solvers.highs.engine import run
from solvers.highs.outcome import Outcome, Tally
from solvers.highs.program import FloatArray


@pytest.fixture
def highs_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that a child process would solve are solved in this process.

    A child takes far longer to load than a tiny program to solve. That children keep their limits,
    and what they find, is tested in `tests/solvers/highs`.
    """

    def run_here(
        program: LinearProgram,
        options: HighsOptions,
        start: FloatArray | None,
        tally: Tally,
        *,
        want_log: bool,
        stop: threading.Event | None = None,
    ) -> Outcome:
        assert stop is None, "a solve beside needs a process of its own"
        return run(program, replace(options, threads=1), start, tally, want_log=want_log)

    monkeypatch.setattr("solvers.highs.adapter.run_in_child", run_here)
