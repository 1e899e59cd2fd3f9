"""Tries cases, in this process or in one that a pool has started.

A module of its own: what such a process is sent is found by name, and there it would not be in
``__main__``.
"""

from __future__ import annotations

import signal
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from tests.fuzz.cases import Falsehood, examine

_SECONDS = 60.0  # of processor time for a case


class Task(NamedTuple):
    """One case."""

    problem: str
    kind: str
    seed: int


class Outcome(NamedTuple):
    """Whether its file was accepted, and what went wrong, if anything."""

    task: Task
    accepted: bool
    what: str = ""
    fault: str = ""


def attempt(tasks: Sequence[Task]) -> list[Outcome]:
    """Try cases one by one; nothing but an interrupt ends it."""
    return [_attempt(task) for task in tasks]


def _attempt(task: Task) -> Outcome:
    try:
        with _at_most(_SECONDS):
            return Outcome(task, examine(*task))
    except Exception as error:
        false = isinstance(error, Falsehood) or type(error).__name__ == "ContradictedBound"
        what = "warning" if isinstance(error, Warning) else "falsehood" if false else "traceback"
        frame = traceback.extract_tb(error.__traceback__)[-1]
        told = " ".join(f"{type(error).__name__}: {error}".split())
        return Outcome(task, False, what, f"{told} ({frame.filename}:{frame.lineno})")


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    def stop(*which: object) -> None:
        raise TimeoutError(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
