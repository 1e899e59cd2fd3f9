"""Solves in a child process: the limit is kept, findings survive, nothing is left running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solvers.highs import HighsOptions, LinearProgram, child, solve

ROOT = Path(__file__).resolve().parents[3]


def market_split(seed: int, rows: int = 5, columns: int = 40) -> LinearProgram:
    """Cornuejols and Dawande's market split: its bound stays at the offset for ages.

    min the sum of deviations |a_i x - d_i| with d_i half the sum of row i, x binary.
    """
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 100, (rows, columns)).astype(float)
    target = np.floor(weights.sum(axis=1) / 2)
    return LinearProgram(
        sense="min",
        cost=np.r_[np.zeros(columns), np.ones(2 * rows)],
        matrix=np.hstack([weights, np.eye(rows), -np.eye(rows)]),
        row_lower=target,
        row_upper=target,
        upper=np.r_[np.ones(columns), np.full(2 * rows, np.inf)],
        integer=np.r_[np.ones(columns), np.zeros(2 * rows)],
        offset=5.0,
    )


def worth_of_pairs(sense: str = "max") -> LinearProgram:
    """max a + 2b (or min its negative), a + b <= 3, a, b <= 2 integer: 5 at (1, 2)."""
    turn = 1.0 if sense == "max" else -1.0
    return LinearProgram(
        sense=sense, cost=[turn, 2 * turn], matrix=[[1, 1]], row_upper=3, upper=2, integer=True
    )  # fmt: skip


def worker(monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Put a worker with a mind of its own in the place of the real one."""
    script = """
        import os, signal, sys, time
        from dataclasses import replace
        import numpy as np
        from solvers.highs.engine import run
        from solvers.highs.outcome import Outcome
        from solvers.highs.worker import open_pipes
        request, progress = open_pipes()
        progress.send("running", None)
    """
    code = textwrap.dedent(script) + textwrap.dedent(body)
    monkeypatch.setattr(child, "COMMAND", (sys.executable, "-c", code))


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """When each child said that it has loaded: its time limit runs from then."""
    moments: list[float] = []
    take = child._Listener._take

    def noted(self: Any, kind: str, value: object) -> None:
        if kind == "running":
            moments.append(time.monotonic())
        take(self, kind, value)

    monkeypatch.setattr(child._Listener, "_take", noted)
    return moments


def assert_honest(lp: LinearProgram, result: Any) -> None:
    """The incumbent is feasible and worth what is said, and on its side of the bound."""
    x = result.x
    assert x is not None and result.bound is not None
    assert (x >= lp.lower).all() and (x <= lp.upper).all()
    assert (x[lp.integer] == np.round(x[lp.integer])).all()
    activity = lp.matrix @ x
    assert (activity >= lp.row_lower - 1e-5).all() and (activity <= lp.row_upper + 1e-5).all()
    assert result.objective == pytest.approx(lp.offset + lp.cost @ x)
    turn = 1.0 if lp.sense == "max" else -1.0
    assert turn * (result.bound - result.objective) >= 0 and result.gap >= 0


def test_time_limit_is_kept_on_a_hard_program(loaded: list[float]) -> None:
    lp = market_split(1)
    result = solve(lp, HighsOptions(time_limit=1.0))
    assert time.monotonic() - loaded[0] <= 2.5
    assert (result.status, result.message) == ("feasible", "time limit")
    assert result.bound == 5.0  # the relaxation meets all targets
    assert_honest(lp, result)


def test_a_child_that_overruns_is_killed_and_what_it_found_is_kept(
    monkeypatch: pytest.MonkeyPatch, loaded: list[float]
) -> None:
    worker(
        monkeypatch,
        """
        print("noise on standard output", flush=True)
        run(request.program, replace(request.options, time_limit=1e6), None, progress,
            want_log=False)
        """,
    )
    monkeypatch.setattr(child, "GRACE", 0.3)
    lp = market_split(2)
    result = solve(lp, HighsOptions(time_limit=0.7))
    assert time.monotonic() - loaded[0] <= 2.5
    assert result.status == "feasible" and "killed" in result.message
    assert result.bound == 5.0
    assert_honest(lp, result)


def test_an_overrun_with_nothing_found_is_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    worker(monkeypatch, "time.sleep(60)")
    monkeypatch.setattr(child, "GRACE", 0.1)
    result = solve(worth_of_pairs(), HighsOptions(time_limit=0.1))
    assert (result.status, result.x, result.bound) == ("interrupted", None, None)


def test_a_bound_alone_is_reported_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    worker(monkeypatch, "progress.bound(float('inf')); progress.bound(6.0); time.sleep(60)")
    monkeypatch.setattr(child, "GRACE", 0.1)
    result = solve(worth_of_pairs(), HighsOptions(time_limit=0.1))
    assert (result.status, result.objective, result.bound) == ("bounded", None, 6.0)


@pytest.mark.parametrize("sense", ["max", "min"])
def test_what_a_dying_child_claims_is_checked(monkeypatch: pytest.MonkeyPatch, sense: str) -> None:
    # (2, 2) breaks the row, (0.5, 2) is fractional, (2, 1) is worth 4 and (2, 0) less.
    worker(
        monkeypatch,
        """
        for point in ((2, 0), (2, 1), (2, 0), (2, 2), (0.5, 2), (np.nan, 0)):
            progress.incumbent(np.array(point, dtype=float))
        sign = 1 if request.program.sense == "max" else -1
        for bound in (7, 6, 6.5):
            progress.bound(sign * bound)
        os.kill(os.getpid(), signal.SIGKILL)
        """,
    )
    lp = worth_of_pairs(sense)
    result = solve(lp, in_child=True)
    turn = 1.0 if sense == "max" else -1.0
    assert (result.status, result.objective, result.bound) == ("feasible", turn * 4, turn * 6)
    assert "code -9" in result.message and result.gap == pytest.approx(2 / 6)
    assert_honest(lp, result)


def test_a_child_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    worker(monkeypatch, "raise RuntimeError('out of cheese')")
    result = solve(worth_of_pairs(), in_child=True)
    assert (result.status, result.x) == ("failed", None)
    assert "out of cheese" in result.message


def test_a_child_that_is_killed_has_no_last_words_of_its_own() -> None:
    # Without a request it ends at once; what it says last must not be about how it was started.
    done = subprocess.run(child.COMMAND, input=b"", capture_output=True, env=child.environment())
    assert done.stderr.decode().splitlines()[0].startswith("Traceback")
    assert done.stderr.decode().splitlines()[-1].startswith("EOFError")


def test_a_child_that_never_gets_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "COMMAND", (sys.executable, "-c", "import time; time.sleep(60)"))
    monkeypatch.setattr(child, "STARTUP", 0.2)
    result = solve(worth_of_pairs(), HighsOptions(time_limit=5))
    assert (result.status, result.x) == ("failed", None) and "not ready" in result.message
    assert result.died


def wide() -> LinearProgram:
    """More than a pipe holds."""
    return LinearProgram(
        sense="max", cost=np.ones(500), matrix=np.ones((200, 500)), row_upper=50, upper=1,
        integer=True,
    )  # fmt: skip


def test_a_child_that_does_not_read_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "COMMAND", (sys.executable, "-c", "import time; time.sleep(60)"))
    stop = threading.Event()
    timer = threading.Timer(0.3, stop.set)
    timer.start()
    result = solve(wide(), HighsOptions(time_limit=5), stop=stop)
    assert result.status == "interrupted" and "stopped" in result.message and not result.died
    monkeypatch.setattr(child, "STARTUP", 0.2)
    result = solve(wide(), HighsOptions(time_limit=5))
    assert result.status == "failed" and "not ready" in result.message and result.died


class FullDisk:
    def write(self, text: str) -> int:
        raise OSError("no space left")


@pytest.mark.parametrize("in_child", [False, True])
def test_a_log_that_cannot_be_written_is_an_error(in_child: bool) -> None:
    with pytest.raises(OSError, match="no space"):
        solve(worth_of_pairs(), log=FullDisk(), in_child=in_child)  # type: ignore[arg-type]


def test_several_threads_are_used_in_a_child_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # where the child would not find the package by itself
    (tmp_path / "numpy.py").write_text("raise ImportError('not this one')")
    lp, calls = worth_of_pairs(), []
    real = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: calls.append(a) or real(*a, **k))
    assert solve(lp).objective == solve(lp, HighsOptions(threads=2)).objective == 5.0
    assert len(calls) == 1


@pytest.mark.usefixtures("ctrl_c")
def test_a_keyboard_interrupt_leaves_no_child(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen] = []
    real = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda *a, **k: started.append(real(*a, **k)) or started[-1]
    )
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        solve(market_split(3), HighsOptions(time_limit=30))
    assert len(started) == 1 and started[0].returncode is not None  # waited for: no zombie


@pytest.mark.parametrize("threads", [0, 1])
def test_without_a_thread_to_talk_to_it_no_child_is_left(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen] = []
    real, start, left = subprocess.Popen, threading.Thread.start, [threads]
    monkeypatch.setattr(
        subprocess, "Popen", lambda *a, **k: started.append(real(*a, **k)) or started[-1]
    )

    def refused(thread: threading.Thread) -> None:
        if not left[0]:
            raise RuntimeError("can't start new thread")
        left[0] -= 1
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refused)
    result = solve(worth_of_pairs(), in_child=True)
    assert result.died and result.status == "failed"
    assert result.message == "child killed: can't start new thread"
    assert len(started) == 1 and started[0].returncode is not None


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_the_child_of_a_killed_script_ends(tmp_path: Path) -> None:
    """A script without a main guard solves; killed outright, it leaves nothing behind.

    The child has nothing to write, so that no broken pipe ends it.
    """
    note = tmp_path / "pid of the child"
    quiet = f"""
        import os, pathlib, time
        from solvers.highs.worker import open_pipes
        request, progress = open_pipes()
        pathlib.Path({str(tmp_path / "draft")!r}).write_text(str(os.getpid()))
        os.rename({str(tmp_path / "draft")!r}, {str(note)!r})
        time.sleep(60)
    """
    script = f"""
        import sys
        from solvers.highs import child, solve
        from tests.solvers.highs.test_child import worth_of_pairs
        child.COMMAND = (sys.executable, "-c", {textwrap.dedent(quiet)!r})
        solve(worth_of_pairs(), in_child=True)
    """
    parent = subprocess.Popen((sys.executable, "-c", textwrap.dedent(script)), cwd=ROOT)
    deadline = time.monotonic() + 20
    while not note.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    pid = note.read_text()
    assert running(pid)
    parent.kill()
    parent.wait()
    while running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not running(pid)


def running(pid: str) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
