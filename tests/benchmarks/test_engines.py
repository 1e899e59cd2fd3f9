"""The engine of a command: closed at its end, whatever that is."""

from __future__ import annotations

from collections.abc import Generator, Iterable

import pytest

from benchmarks.engines import NotingEngine
from benchmarks.study.cell import Cell, Outcome
from benchmarks.study.engine import Task, Watch


class Failing:
    """Every cell fails."""

    workers = 3

    def map(
        self, tasks: Iterable[Task], began: Watch
    ) -> Generator[tuple[Task, Outcome], None, None]:
        for task in tasks:
            yield task, Outcome("failed", message="no")


def test_a_command_that_raises_closes_its_engine(capsys: pytest.CaptureFixture[str]) -> None:
    closed = []
    cell = Cell("m:f", {}, label="a cell")
    with (
        pytest.raises(ValueError, match="in the table"),
        NotingEngine(Failing(), lambda: closed.append(1)) as engine,
    ):
        assert engine.workers == 3 and engine.code == 0
        list(engine.map([Task(0, cell)], lambda _: None))
        raise ValueError("in the table")
    assert (closed, engine.code) == ([1], 1)
    assert capsys.readouterr().err == "failed: a cell: no\n"
