"""Groups of a job's deadlines that are worth the same, or nearly the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["DeadlineGroups", "deadline_groups"]


@dataclass(frozen=True, eq=False)
class DeadlineGroups:
    """The groups of a job's deadlines, in order of time.

    Parameters
    ----------
    ends : ndarray of int64
        Last slot of each group.
    values : ndarray
        What each group counts for: the worth of its first slot.
    left_out : float
        The most that a deadline after the last group is worth.
    """

    ends: np.ndarray
    values: np.ndarray
    left_out: float

    def first(self, slot: ArrayLike) -> np.ndarray:
        """First group whose deadline a completion in a slot meets; also for an array of slots."""
        return np.asarray(np.searchsorted(self.ends, slot))


def deadline_groups(value: Sequence[float], earliest: int, coarse: float) -> DeadlineGroups:
    """Group the deadlines of a job.

    Parameters
    ----------
    value : sequence of float, length T
        Worth of a completion in each slot, non-increasing from ``earliest`` on.
    earliest : int
        First deadline that can be met.
    coarse : float
        Deadlines that differ by at most this are one group; those worth at most this are left out.
    """
    ends: list[int] = []
    values: list[float] = []
    left_out = 0.0
    for t in range(earliest, len(value)):
        if value[t] <= coarse:
            left_out = value[t]
            break
        if values and values[-1] - value[t] <= coarse:
            ends[-1] = t
        else:
            ends.append(t)
            values.append(value[t])
    return DeadlineGroups(np.array(ends, dtype=np.int64), np.array(values), left_out)
