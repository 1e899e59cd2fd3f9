"""Where drawn jobs come from: slots of arrival, and of a list GPUs and run times, as many as asked.

Used where jobs are drawn again until they can complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

import numpy as np

from benchmarks.traces import Trace
from benchmarks.workload.arrivals import ARRIVALS, PATTERNS
from models.errors import InputError

__all__ = ["Submissions", "Submit", "no_pattern", "origin_of", "source_of", "submissions"]

_SUBMITS = ("job_submit_events", "job_events")  # tables of Google 2011, which say when alone


class Submissions(NamedTuple):
    """What a trace, or a pattern, says of jobs: slots of arrival, GPUs, hours, weights; shape (n,).

    All but the arrivals may be None: then they are drawn.
    """

    arrival: np.ndarray
    gpus: np.ndarray | None = None
    hours: np.ndarray | None = None
    weights: np.ndarray | None = None


Submit = Callable[[int], Submissions]
"""Gives as many submissions as asked for, others each time."""


class _Settings(Protocol):
    """Those that matter here; ``arrivals`` is a pattern or None."""

    @property
    def jobs(self) -> int: ...
    @property
    def slots(self) -> int: ...
    @property
    def slot_seconds(self) -> float: ...
    @property
    def arrivals(self) -> str | None: ...


def submissions(
    settings: _Settings, rng: np.random.Generator, trace: Trace | None
) -> tuple[Submit, str]:
    """Where jobs come from, and a note on it.

    Arrivals are those of Google's list if the trace has it, else of Philly's, else of a pattern;
    GPUs and hours are Philly's, of the same jobs where the arrivals are. Lists are gone through in
    random order, arrivals those of a window of T whole slots that holds as many as there are jobs.

    Raises
    ------
    InputError
        If arrivals are asked for that the trace has, too, or no window holds enough.
    """
    names = () if trace is None else trace.names
    listed = next((name for name in (*_SUBMITS, "jobs") if name in names), None)
    if trace is None or listed is None:
        name = settings.arrivals or ARRIVALS
        weights = PATTERNS[name](settings.slots, settings.slot_seconds, rng)
        return lambda count: Submissions(rng.choice(settings.slots, size=count, p=weights)), (
            f"arrivals {name}"
        )
    no_pattern(settings, trace)
    windows = trace.windows(listed, settings.slots, settings.slot_seconds, settings.jobs, rng)
    start, rows, slot = next(windows)
    note = f"{listed}: from {len(rows)} in slots {start}.. of the list"
    in_window = _in_turn(rng, len(rows))
    if "jobs" not in names:
        return lambda count: Submissions(slot[in_window(count)]), note
    frame, alone = trace.table("jobs").frame, listed == "jobs"
    gpus = frame["gpus"].to_numpy(dtype=np.int64)
    hours = frame["duration_s"].to_numpy(dtype=float) / 3600.0
    worth = frame["weight"].to_numpy(dtype=float) if "weight" in frame else None
    anywhere = None if alone else _in_turn(rng, len(frame))

    def draw(count: int) -> Submissions:
        at = in_window(count)
        job = rows[at] if anywhere is None else anywhere(count)
        return Submissions(slot[at], gpus[job], hours[job], None if worth is None else worth[job])

    return draw, note if alone else f"{note}; jobs: from {len(frame)}"


def no_pattern(settings: _Settings, trace: Trace) -> None:
    """Refuse a pattern of arrivals where a trace gives them."""
    if settings.arrivals is not None:
        raise InputError(
            f"{trace.spec}: gives arrivals, but arrivals={settings.arrivals} takes their place"
        )


def source_of(settings: _Settings, trace: Trace | None) -> str:
    """Where jobs come from, as a part of an instance's name."""
    kind = "" if trace is None else trace.kind
    return "-".join(filter(None, [kind, settings.arrivals])) or ARRIVALS


def origin_of(trace: Trace | None, notes: Iterable[str], paper: str, about: str) -> str:
    """Where an instance comes from: its parts, by notes; the place in the paper; and settings."""
    kind = "synthetic" if trace is None else f"trace {trace.kind}"
    return f"{kind}: {'; '.join(notes)}; {paper}, {about}"


def _in_turn(rng: np.random.Generator, count: int) -> Callable[[int], np.ndarray]:
    """Gives rows in a random order, each again once all have been given."""
    order, used = rng.permutation(count), 0

    def more(asked: int) -> np.ndarray:
        nonlocal used
        at: np.ndarray = order[np.arange(used, used + asked) % count]
        used += asked
        return at

    return more
