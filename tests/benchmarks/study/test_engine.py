"""Guard and engines: dead, hanging and greedy cells are lost alone, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.study.cell import Cell, Effort, Needs, Outcome
from benchmarks.study.compute import Progress, compute
from benchmarks.study.engine import InProcess, Processes, Task, default_workers, limited
from benchmarks.study.guard import Guard
from benchmarks.study.store import Store
from tests.benchmarks.study.cells import cell
from tests.test_layers import ROOT


@pytest.fixture(scope="module")
def guard() -> Iterator[Guard]:
    """A guard whose child has loaded what it needs."""
    with Guard() as one:
        assert one.run(cell("double", x=1)).status == "done"
        yield one


def gone(pid: int) -> bool:
    """Whether a process has ended; somebody may still have to wait for it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_until(pids: list[int]) -> None:
    deadline = time.monotonic() + 10.0
    while not all(map(gone, pids)):
        assert time.monotonic() < deadline, "a process is left behind"
        time.sleep(0.02)


def test_a_child_is_kept_for_the_next_cell(guard: Guard) -> None:
    pids = [guard.run(cell("process")).result for _ in range(2)]
    assert pids[0] is not None and pids[1] is not None
    assert pids[0].value == pids[1].value != os.getpid()
    fresh = guard.run(cell("process", Needs(fresh=True))).result
    assert fresh is not None and fresh.value != pids[0].value
    wait_until([pids[0].value, fresh.value])


def test_an_outcome_says_what_was_found_and_what_it_took(guard: Guard) -> None:
    outcome = guard.run(cell("double", x=21))
    assert outcome.result is not None
    assert (outcome.status, outcome.result.value, outcome.result.files) == (
        "done",
        42,
        {"x.txt": b"21"},
    )
    assert 0.0 <= outcome.seconds < 5.0
    assert outcome.memory_mb is None or outcome.memory_mb > 10.0


def test_a_time_limit_starts_when_the_cell_is_prepared(guard: Guard) -> None:
    # Compiling is preparation: it may take longer than the limit.
    needs = Needs(limit=0.5)
    assert guard.run(cell("slowly", needs, prepare=1.0, measure=0.0)).status == "done"
    late = guard.run(cell("slowly", needs, prepare=0.0, measure=30.0))
    assert (late.status, late.message) == ("out of time", "still running after 0.5 s")
    assert late.result is None


def test_errors_are_one_line(guard: Guard) -> None:
    assert guard.run(cell("fail", words="no\nway")).message == "ValueError: no way"
    assert guard.run(cell("leave")).message == "SystemExit: 3"
    assert guard.run(cell("nonesuch")).message.startswith("reference 'tests.benchmarks.study.cells")
    died = guard.run(cell("die"))
    assert died.status == "killed"
    assert died.message == "its process was killed by SIGKILL: farewell"
    assert guard.run(cell("double", x=1)).status == "done"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads /proc")
def test_a_hanging_cell_ends_with_all_it_has_started(guard: Guard, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    outcome = guard.run(cell("hang", Needs(limit=1.0), marks=str(marks)))
    assert outcome.status == "out of time"
    wait_until(list(map(int, marks.read_text().split())))


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads /proc")
def test_a_dead_child_is_noticed_though_its_own_child_lives(guard: Guard) -> None:
    began = time.monotonic()
    assert guard.run(cell("die_with_heir")).status == "killed"
    assert time.monotonic() - began < 15.0


def test_a_cell_that_holds_too_much_is_stopped(guard: Guard) -> None:
    outcome = guard.run(cell("hold", Needs(memory_mb=600.0), megabytes=800))
    assert (outcome.status, outcome.message) == ("out of memory", "holds more than 600 MB")
    assert outcome.memory_mb is not None and outcome.memory_mb > 600.0
    assert guard.run(cell("double", x=1)).status == "done"


def test_what_a_child_prints_does_not_fill_the_disk(guard: Guard) -> None:
    outcome = guard.run(cell("chatter", megabytes=8))
    assert outcome.result is not None and outcome.result.value < 5e6
    assert guard.run(cell("die")).message == "its process was killed by SIGKILL: farewell"


def test_a_child_has_the_threads_that_its_cell_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    cells = [cell("library_threads", Needs(threads=t), number=n) for n, t in enumerate((1, 2, 1))]
    outcomes = compute(cells, engine=Processes(1))
    threads, processes = zip(*(o.result.value for o in outcomes if o.result), strict=True)
    assert threads == ("1", "2", "1")
    assert processes[0] == processes[2], "cells with as many threads come one after the other"


@pytest.mark.parametrize("engine", [InProcess(), Processes(1)])
def test_a_policy_that_is_edited_while_a_run_goes_on_is_refused(
    engine: InProcess | Processes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What the new file finds must not be kept under the key of the old one.
    file = tmp_path / "mine.py"
    file.write_text("x = 1\n")
    cells = [replace(cell("double", x=x), roots=(str(file),)) for x in range(2)]
    store = Store(tmp_path / "cells")
    before = Progress.ended

    def edit(self: Progress, one: Cell, outcome: Outcome) -> None:
        before(self, one, outcome)
        file.write_text("x = 23\n")

    store.code(cells[0].all_roots)
    monkeypatch.setattr(Progress, "ended", edit)
    first, second = compute(cells[:1], store=store, engine=engine) + compute(
        cells[1:], store=store, engine=engine
    )
    assert first.status == "done"
    assert (second.status, second.message) == (
        "failed",
        "its code here is not what it was when the run began",
    )
    assert [store.find(one)[1] for one in cells] == [True, False]
    (again,) = compute(cells[1:], store=Store(tmp_path / "cells"), engine=engine)
    assert again.status == "done"


def test_limits_of_an_engine_are_for_cells_that_have_none() -> None:
    limits = Needs(limit=5.0, memory_mb=100.0)
    assert limited(cell("double", x=1), limits).needs == limits
    own = Needs(limit=1.0, memory_mb=2.0)
    assert limited(cell("double", own, x=1), limits).needs == own
    solve = cell("climb", effort=Effort(3.0), top=1)
    assert limited(solve, limits).needs == Needs(memory_mb=100.0)


def run(engine: InProcess | Processes, cells: list[Cell]) -> dict[int, Outcome]:
    tasks = [Task(index, one) for index, one in enumerate(cells)]
    return {task.index: outcome for task, outcome in engine.map(tasks)}


def test_processes_run_all_and_lose_one(tmp_path: Path) -> None:
    cells = [
        cell("double", x=1),
        cell("die"),
        cell("process", Needs(alone=True)),
        cell("double", x=2),
        cell("fail"),
    ]
    before = InProcess(), Processes(2, Needs(limit=30.0))
    assert [engine.workers for engine in before] == [1, 2]
    outcomes = run(before[1], cells)
    assert [outcomes[i].status for i in range(5)] == ["done", "killed", "done", "done", "failed"]


def test_nothing_else_runs_while_a_cell_is_alone() -> None:
    slow = cell("slowly", prepare=0.0, measure=0.5)
    cells = [slow, cell("double", Needs(alone=True), x=1), slow, cell("double", x=2)]
    assert list(run(Processes(2), cells))[:2] == [0, 1]


def test_in_process_but_for_cells_that_need_a_fresh_one() -> None:
    outcomes = run(InProcess(), [cell("process"), cell("process", Needs(fresh=True))])
    own, fresh = (outcomes[index].result for index in range(2))
    assert own is not None and fresh is not None
    assert own.value == os.getpid() != fresh.value


@pytest.mark.parametrize("engine", [InProcess(), Processes(1)])
def test_what_a_cell_prints_is_no_part_of_the_output(
    engine: InProcess | Processes, capfd: pytest.CaptureFixture[str]
) -> None:
    (outcome,) = compute([cell("speak")], engine=engine)
    assert outcome.status == "done"
    assert capfd.readouterr().out == ""


def test_only_as_many_cells_are_taken_as_there_is_room_for() -> None:
    taken: list[int] = []

    def tasks() -> Iterator[Task]:
        for index in range(6):
            taken.append(index)
            yield Task(index, cell("double", x=index))

    running = Processes(2).map(tasks())
    next(running)
    assert len(taken) <= 4
    running.close()


def test_workers_by_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(6)), raising=False)
    assert [default_workers(threads) for threads in (1, 2, 4, 8)] == [6, 3, 1, 1]


def test_ctrl_c_leaves_finished_cells_and_no_process(tmp_path: Path, ctrl_c: None) -> None:
    store = Store(tmp_path / "cells")
    marks = [tmp_path / "first", tmp_path / "second"]
    cells = [cell("double", x=1), *(cell("hang", marks=str(mark)) for mark in marks)]

    def marked(mark: Path) -> bool:
        return mark.exists() and len(mark.read_text().split()) == 2

    def interrupt() -> None:
        # The first cell may take longer than the second to start: wait until it is kept.
        while not (all(map(marked, marks)) and store.find(cells[0])[1]):
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=interrupt, daemon=True)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        compute(cells, store=store, engine=Processes(2))
    sender.join()
    assert store.find(cells[0])[1]
    wait_until([int(pid) for mark in marks for pid in mark.read_text().split()])
    assert [t for t in threading.enumerate() if t.name.startswith("guard")] == []


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads /proc")
def test_a_parent_that_is_killed_leaves_no_process(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    script = (
        "from benchmarks.study.engine import *\n"
        "from tests.benchmarks.study.cells import cell\n"
        f"tasks = [Task(0, cell('hang', marks={str(marks)!r}))]\n"
        "list(Processes(1).map(tasks))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    deadline = time.monotonic() + 60.0
    while not (marks.exists() and len(marks.read_text().split()) == 2):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    parent.kill()
    parent.wait()
    wait_until(list(map(int, marks.read_text().split())))
