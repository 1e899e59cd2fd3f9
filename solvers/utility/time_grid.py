"""Intervals of slots, within which a program only counts how much is done in total."""

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
        First slots of the intervals, in any order; slot 0 is always one. By default, every slot.

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
        """Mask of the intervals, shape (B,), that contain a slot of a mask of slots, shape (T,)."""
        return np.asarray(np.logical_or.reduceat(mask, self.starts))

    def spread(self, amount: np.ndarray) -> np.ndarray:
        """Amounts of intervals, shape (B, ...), spread evenly over their slots, shape (T, ...)."""
        average = amount / self.length.reshape(-1, *[1] * (amount.ndim - 1))
        return np.asarray(average[self.interval])

    def split_after(self, slots: Iterable[int]) -> TimeGrid:
        """A finer grid, in which intervals also end with these slots."""
        return TimeGrid(self.slots, [*self.starts.tolist(), *(slot + 1 for slot in slots)])
