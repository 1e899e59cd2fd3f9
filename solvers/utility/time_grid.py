"""Slots taken together: intervals of time in which a program only counts how much is done."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

__all__ = ["TimeGrid"]


class TimeGrid:
    """The horizon as intervals of slots, one after the other.

    Parameters
    ----------
    slots : int
        T.
    starts : iterable of int, optional
        First slots of the intervals, in any order; slot 0 always is one. Every slot by default.

    Attributes
    ----------
    starts : ndarray of int64, shape (B,)
    length : ndarray of int64, shape (B,)
        Slots of each interval.
    interval : ndarray of int64, shape (T,)
        Interval of each slot.
    """

    def __init__(self, slots: int, starts: Iterable[int] | None = None) -> None:
        chosen = np.arange(slots) if starts is None else np.unique([0, *starts])
        self.starts = chosen[chosen < slots].astype(np.int64)
        self.length = np.diff(np.append(self.starts, slots))
        self.interval = np.repeat(np.arange(len(self.starts)), self.length)

    @property
    def slots(self) -> int:
        """T."""
        return len(self.interval)

    def any(self, mask: np.ndarray) -> np.ndarray:
        """Intervals with a slot of a mask (shape (T,)), shape (B,)."""
        return np.asarray(np.logical_or.reduceat(mask, self.starts))

    def spread(self, amount: np.ndarray) -> np.ndarray:
        """Amounts per slot, shape (T, ...), where an interval's (shape (B, ...)) are even."""
        average = amount / self.length.reshape(-1, *[1] * (amount.ndim - 1))
        return np.asarray(average[self.interval])

    def split_after(self, slots: Iterable[int]) -> TimeGrid:
        """A finer grid, in which intervals end with these slots, too."""
        return TimeGrid(self.slots, [*self.starts.tolist(), *(slot + 1 for slot in slots)])
