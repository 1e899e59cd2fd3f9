"""A call in a child process: its result, its errors, and that nothing is left behind."""

from __future__ import annotations

import math
import os
import threading
import time

import pytest

from solvers.background_call import BackgroundCall, ChildDied


def test_results_and_errors_come_back() -> None:
    with BackgroundCall(math.factorial, 20) as call, BackgroundCall(int, "none") as wrong:
        assert call.future.result(60) == math.factorial(20)
        with pytest.raises(ValueError, match="invalid literal"):
            wrong.future.result(60)


def test_a_child_that_dies_says_how() -> None:
    calls = BackgroundCall(os._exit, 3), BackgroundCall(threading.Lock)
    for call, words in zip(calls, ("code 3", "cannot pickle '_thread.lock'"), strict=True):
        with call, pytest.raises(ChildDied, match=words):
            call.future.result(60)


def test_what_is_printed_does_not_spoil_the_reply() -> None:
    with BackgroundCall(print, "in the way") as call:
        assert call.future.result(60) is None


def test_a_call_is_stopped() -> None:
    began = time.monotonic()
    with BackgroundCall(time.sleep, 600) as call:
        assert not call.future.done()
    with pytest.raises(ChildDied):
        call.future.result(0)
    assert time.monotonic() - began < 60


def test_a_large_request_that_is_refused() -> None:
    with BackgroundCall(os._exit, b"more than a pipe holds" * 100_000) as call:
        with pytest.raises(TypeError):
            call.future.result(60)
