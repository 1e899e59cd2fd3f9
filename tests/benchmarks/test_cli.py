"""The engine of a command: closed at its end, whatever that is."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

import pytest

from benchmarks import cli
from benchmarks.study.cell import Cell, Outcome
from benchmarks.study.compute import compute
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


def test_a_command_that_raises_closes_its_engine(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    failing, cell = Failing(), Cell("m:f", {}, label="a cell")
    monkeypatch.setattr(cli, "_engine", lambda args, threads: failing)
    with (
        pytest.raises(ValueError, match="in the table"),
        cli.engine_of(argparse.Namespace()) as engine,
    ):
        assert engine.workers == 3 and not engine.failed
        compute([cell], engine=engine)
        raise ValueError("in the table")
    assert (failing.closed, engine.failed) == (1, ["failed: a cell: no"])
    assert capsys.readouterr().err == "failed: a cell: no\n"


def test_an_interrupt_within_a_kernel_ends_a_command_like_any_other(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def main(_: object) -> int:
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    with pytest.raises(SystemExit) as ended:
        cli.run_command(main)
    assert ended.value.code == 130
    assert capsys.readouterr().err == "interrupted\n"
