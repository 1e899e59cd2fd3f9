"""Cells through store and engine: order, copies, what is run again, progress, failures."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest

from benchmarks.study import compute as compute_module
from benchmarks.study.cell import Effort, Outcome, Result
from benchmarks.study.compute import Progress, compute
from benchmarks.study.engine import InProcess
from benchmarks.study.store import Store
from tests.benchmarks.study.cells import cell


def test_outcomes_in_the_order_of_the_cells_and_each_run_once(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    cells = [cell("double", x=x, log=log) for x in (3, 1, 3, 2)]
    outcomes = compute(cells)
    assert [o.result.value for o in outcomes if o.result] == [6, 2, 6, 4]
    assert [o.ran for o in outcomes] == [True, True, False, True]
    assert Path(log).read_text().split() == ["3", "1", "2"]


def test_a_store_spares_what_it_holds_and_times_are_not_looked_up(tmp_path: Path) -> None:
    log, store = str(tmp_path / "log"), Store(tmp_path / "cells")
    one, two = (cell("double", x=x, log=log) for x in (1, 2))
    (first,) = compute([one], store=store)
    again, other = compute([one, two], store=store)
    assert Path(log).read_text().split() == ["1", "2"]
    assert first.result and again.result and other.result
    assert first.result.value == again.result.value == 2
    assert (first.result.times, again.result.times) == ({"work": 0.25}, {})
    assert (first.ran, again.ran, other.ran) == (True, False, True)
    assert again.result.files["x.txt"] == b"1"


def test_a_failure_leaves_the_others(tmp_path: Path) -> None:
    cells = [cell("double", x=1), cell("fail"), cell("leave"), cell("strange"), cell("double", x=2)]
    engine = InProcess()
    outcomes = compute(cells, store=Store(tmp_path), engine=engine)
    assert [o.status for o in outcomes] == ["done", *["failed"] * 3, "done"]
    assert outcomes[1].message == "ValueError: no"
    assert outcomes[2].message == "SystemExit: 3"
    assert outcomes[3].message == "TypeError: Object of type set is not JSON serializable"
    assert [o.error for o in outcomes][:2] == ["", "failed: ValueError: no"]
    assert engine.failed[0] == "failed: fail {}: ValueError: no"
    assert len(engine.failed) == 3


def test_a_limited_solve_goes_on_and_never_gets_worse(tmp_path: Path) -> None:
    store = Store(tmp_path)

    def climb(seconds: float) -> tuple[dict[str, int], bool, bool]:
        (outcome,) = compute([cell("climb", effort=Effort(seconds), top=9)], store=store)
        assert outcome.result is not None
        return outcome.result.value, outcome.result.proven, outcome.ran

    assert climb(3.0) == ({"reached": 3, "from": 0}, False, True)
    assert climb(3.0) == ({"reached": 3, "from": 0}, False, False)  # as much as is asked for
    assert climb(2.0) == ({"reached": 3, "from": 0}, False, False)  # more than is asked for
    assert climb(4.0) == ({"reached": 7, "from": 3}, False, True)
    assert climb(5.0) == ({"reached": 9, "from": 7}, True, True)
    assert climb(1e6) == ({"reached": 9, "from": 7}, True, False)  # proven: no effort adds to it


def test_an_interrupt_leaves_what_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, cells = Store(tmp_path), [cell("double", x=x) for x in (1, 2, 3)]
    before = compute_module.Progress.ended

    def interrupt(self: Progress, one: object, outcome: Outcome) -> None:
        before(self, one, outcome)  # type: ignore[arg-type]
        if outcome.result and outcome.result.value == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "ended", interrupt)
    with pytest.raises(KeyboardInterrupt):
        compute(cells, store=store)
    assert [store.find(one)[1] for one in cells] == [True, True, False]


def test_an_interrupt_within_a_kernel_is_no_failed_cell() -> None:
    with pytest.raises(KeyboardInterrupt):
        compute([cell("interrupted_in_a_kernel"), cell("double", x=1)])


def test_progress_is_a_line_now_and_then_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [0.0]
    monkeypatch.setattr(compute_module.time, "monotonic", lambda: clock[0])
    stream = io.StringIO()
    cells = [cell("double", x=x) for x in range(4)]
    with Progress("study", 4, stream) as meter:
        meter.found()
        for one, seconds in zip(cells[1:], (10.0, 30.0, 5.0), strict=True):
            meter.began(one)
            clock[0] += seconds
            status = "failed" if seconds == 30.0 else "done"
            meter.ended(one, Outcome(status, Result(None)))  # type: ignore[arg-type]
    said, kept = stream.getvalue().splitlines()
    # After 40 s: one found, two run, 20 s each; one is left.
    assert said == "study: 3 of 4 cells; 1 failed; about 20 s left"
    assert kept == "study: 1 of 4 cells were finished before"


def test_one_long_cell_is_not_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute_module, "_LINE_EVERY", 0.02)
    stream = io.StringIO()
    with Progress("study", 1, stream) as meter:
        meter.began(cell("double", x=1))
        deadline = time.monotonic() + 10.0
        while "running: " not in stream.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "study: 0 of 1 cells; no time known yet; running: double" in stream.getvalue()


def test_no_progress_unless_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    compute([cell("double", x=1)])
    assert capsys.readouterr().err == ""
