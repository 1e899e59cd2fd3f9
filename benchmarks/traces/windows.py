"""Windows of a trace: as many whole slots as an instance has, with enough arrivals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.traces.table import Trace
from models.errors import InputError

_MOST_SLOTS = 10**8  # of a trace, whose arrivals are counted slot by slot


def windows(
    trace: Trace,
    name: str,
    slots: int,
    slot_seconds: float,
    jobs: int,
    rng: np.random.Generator,
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Windows of ``slots`` slots with at least ``jobs`` rows of the named table, shuffled.

    Windows begin at whole slots, counted from the trace's start, and end within it. Of each come
    its first slot, the rows in it, and their slots, counted from the first.

    Raises
    ------
    InputError
        If the trace has no arrivals, too few slots or too many, or no window holds enough.
    """
    path, seconds = trace.path, trace.table(name).frame["submit_s"].to_numpy()
    if not len(seconds):
        raise InputError(f"{path}: spans 0 slots, as it has no usable arrival")
    if not seconds.max() < _MOST_SLOTS * slot_seconds:
        raise InputError(
            f"{path}: spans {seconds.max():g} s, more than {_MOST_SLOTS} slots of "
            f"{slot_seconds:g} s"
        )
    slot = np.floor(seconds / slot_seconds).astype(np.int64)
    before = np.append(0, np.cumsum(np.bincount(slot)))
    if len(before) <= slots:
        raise InputError(
            f"{path}: spans {len(before) - 1} slots of {slot_seconds:g} s, fewer than the "
            f"{slots} asked for"
        )
    held = before[slots:] - before[:-slots]
    starts = np.flatnonzero(held >= jobs)
    if not len(starts):
        raise InputError(
            f"{path}: no window of {slots} slots holds {jobs} arrivals; the fullest holds "
            f"{held.max()}"
        )
    for start in rng.permutation(starts).tolist():
        rows = np.flatnonzero((slot >= start) & (slot < start + slots))
        yield start, rows, slot[rows] - start
