"""A call in a child process: its result, its errors, and that nothing is left behind."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from solvers.background_call import BackgroundCall, ChildDied, Stopped
from tests.test_layers import ROOT


def test_results_and_errors_come_back() -> None:
    with (
        BackgroundCall(partial(math.factorial, 20)) as call,
        BackgroundCall(partial(int, "none")) as wrong,
    ):
        assert call.future.result(60) == math.factorial(20)
        with pytest.raises(ValueError, match="invalid literal"):
            wrong.future.result(60)


def test_a_child_that_dies_says_how() -> None:
    with BackgroundCall(partial(os._exit, 3)) as call:
        with pytest.raises(ChildDied, match="code 3"):
            call.future.result(60)


def test_without_a_thread_to_talk_to_it_no_child_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refused)
        call = BackgroundCall(partial(math.factorial, 20))
    with call, pytest.raises(ChildDied, match="no thread: can't start new thread"):
        call.future.result(60)
    assert call._child.returncode is not None


def test_what_cannot_be_pickled_is_an_error() -> None:
    with BackgroundCall(threading.Lock) as call:
        with pytest.raises(TypeError, match=r"cannot pickle '_thread.lock'"):
            call.future.result(60)


def test_what_is_printed_does_not_spoil_the_reply() -> None:
    with BackgroundCall(partial(print, "in the way")) as call:
        assert call.future.result(60) is None


def sleep_and_tell(note: Path) -> None:
    """Say who one is, and go to sleep."""
    draft = note.with_suffix(".draft")
    draft.write_text(str(os.getpid()))
    draft.rename(note)
    time.sleep(600)


def pid_in(note: Path) -> int:
    end = time.monotonic() + 60
    while not note.exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    return int(note.read_text())


def has_ended(pid: int) -> bool:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_a_call_that_is_stopped_leaves_no_process(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    with BackgroundCall(partial(sleep_and_tell, note)) as call:
        pid = pid_in(note)
        assert not call.future.done()
    with pytest.raises(Stopped):
        call.future.result(0)
    assert has_ended(pid)


@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
def test_the_child_of_a_killed_script_ends(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    script = f"""
        import pathlib, time
        from functools import partial
        from solvers.background_call import BackgroundCall
        from tests.solvers.test_background_call import sleep_and_tell
        with BackgroundCall(partial(sleep_and_tell, pathlib.Path({str(note)!r}))):
            time.sleep(600)
    """
    parent = subprocess.Popen((sys.executable, "-c", textwrap.dedent(script)), cwd=ROOT)
    pid = pid_in(note)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert has_ended(pid)


def test_a_request_larger_than_a_pipe_holds() -> None:
    with BackgroundCall(partial(os._exit, b"more than a pipe holds" * 100_000)) as call:
        with pytest.raises(TypeError):
            call.future.result(60)
