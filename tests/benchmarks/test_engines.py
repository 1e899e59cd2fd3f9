"""The engine of a command: closed at its end, whatever that is."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from benchmarks.engines import NotingEngine
from benchmarks.study.cell import Cell, Outcome
from benchmarks.study.engine import Ended, Engine, Task


class Failing(Engine):
    """Every cell fails; it notes that it is closed."""

    workers = 3
    closed = 0

    def map(self, tasks: Iterable[Task]) -> Ended:
        for task in tasks:
            yield task, Outcome("failed", message="no")

    def __exit__(self, *error: object) -> None:
        self.closed += 1


def test_a_command_that_raises_closes_its_engine(capsys: pytest.CaptureFixture[str]) -> None:
    failing, cell = Failing(), Cell("m:f", {}, label="a cell")
    with pytest.raises(ValueError, match="in the table"), NotingEngine(failing) as engine:
        assert engine.workers == 3 and engine.code == 0
        list(engine.map([Task(0, cell)]))
        raise ValueError("in the table")
    assert (failing.closed, engine.code) == (1, 1)
    assert capsys.readouterr().err == "failed: a cell: no\n"
