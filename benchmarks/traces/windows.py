"""Windows of a trace: as many whole slots as an instance has, with enough arrivals."""

from __future__ import annotations

import numpy as np

from models.errors import InputError

__all__ = ["windows"]

_MOST_SLOTS = 10**8  # of a trace, whose arrivals are counted slot by slot


def windows(
    seconds: np.ndarray,
    slots: int,
    slot_seconds: float,
    jobs: int,
    rng: np.random.Generator,
    path: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Slots of all arrivals, and first slots of the windows with enough of them, shuffled.

    Windows are ``slots`` whole slots, counted from the trace's start, that end within it.

    Parameters
    ----------
    seconds : ndarray
        Arrivals since the trace's start.
    slots, slot_seconds : int, float
        Length of a window, and of its slots.
    jobs : int
        Least number of arrivals in a window.
    path : str
        Of the trace, for errors.

    Raises
    ------
    InputError
        If the trace has no arrivals, is too short or has too many slots, or no window holds
        enough.
    """
    if not len(seconds):
        raise InputError(f"{path}: spans 0 slots, as it has no usable arrival")
    if not seconds.max() < _MOST_SLOTS * slot_seconds:
        raise InputError(
            f"{path}: spans {seconds.max():g} s, more than {_MOST_SLOTS} slots of "
            f"{slot_seconds:g} s"
        )
    slot = np.floor(seconds / slot_seconds).astype(np.int64)
    total = int(slot.max()) + 1
    if total < slots:
        raise InputError(
            f"{path}: spans {total} slots of {slot_seconds:g} s, fewer than the {slots} asked for"
        )
    before = np.append(0, np.cumsum(np.bincount(slot, minlength=total)))
    held = before[slots:] - before[:-slots]
    starts = np.flatnonzero(held >= jobs)
    if not len(starts):
        raise InputError(
            f"{path}: no window of {slots} slots holds {jobs} arrivals; the fullest holds "
            f"{held.max()}"
        )
    return slot, rng.permutation(starts)
