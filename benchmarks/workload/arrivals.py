"""Arrival patterns of the synthetic workload: how likely each slot is to receive a job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np

from models.errors import InputError

__all__ = ["ARRIVALS", "PATTERNS", "google2011_fit", "pattern_of", "uniform"]

T = TypeVar("T")

ARRIVALS = "google2011-fit"
"""Arrival pattern where nothing else is said."""

# Jobs submitted per hour in the Google 2011 trace: 10, 50 and 90 % quantile over 696 hours.
_Q10, _Q50, _Q90 = 644.0, 883.0, 1316.0
# Least-squares fit of a 24-hour cosine to the logarithm of the same hourly counts, and the
# lag-one correlation of what the cosine leaves.
_DAY_AMPLITUDE, _PEAK_HOUR, _PERSISTENCE = 0.068, 17.5, 0.62
_Z90 = 1.2815515655446004  # standard normal quantile

_HOUR_S = 3600.0


def google2011_fit(slots: int, slot_seconds: float, rng: np.random.Generator) -> np.ndarray:
    """Pattern fitted to published statistics of the Google 2011 trace.

    The logarithm of the hourly rate is a mild cosine over the day (peak at 17:30 local
    time) plus an autoregressive normal variable whose two halves are stretched so that the
    hourly rates have the trace's 10, 50 and 90 % quantiles, 644/883/1,316. Only the shape
    is used, since the number of jobs is given. The trace's rare bursts (up to 3,164 an hour)
    are not reproduced. The hour of the day at which slot 0 begins is random.

    Parameters
    ----------
    slots : int
        T.
    slot_seconds : float
        Length of a slot.
    rng : Generator

    Returns
    -------
    ndarray, shape (T,)
        Probabilities, sum 1.
    """
    hours = int(np.ceil(slots * slot_seconds / _HOUR_S)) + 1
    clock = rng.integers(24) + np.arange(hours)
    noise = rng.standard_normal(hours)
    for hour in range(1, hours):
        noise[hour] = _PERSISTENCE * noise[hour - 1] + np.sqrt(1 - _PERSISTENCE**2) * noise[hour]
    # The cosine takes its part of the spread: its variance is amplitude^2 / 2.
    below, above = (
        np.sqrt((np.log(ratio) / _Z90) ** 2 - _DAY_AMPLITUDE**2 / 2)
        for ratio in (_Q50 / _Q10, _Q90 / _Q50)
    )
    day = _DAY_AMPLITUDE * np.cos(2 * np.pi * (clock - _PEAK_HOUR) / 24)
    rate = np.exp(day + np.where(noise < 0, below, above) * noise)
    edges = np.arange(slots + 1) * slot_seconds / _HOUR_S
    expected = np.diff(np.interp(edges, np.arange(hours + 1), np.append(0.0, np.cumsum(rate))))
    return expected / expected.sum()


def uniform(slots: int, slot_seconds: float, rng: np.random.Generator) -> np.ndarray:
    """Every slot equally likely."""
    return np.full(slots, 1.0 / slots)


PATTERNS: dict[str, Callable[[int, float, np.random.Generator], np.ndarray]] = {
    "google2011-fit": google2011_fit,
    "uniform": uniform,
}


def pattern_of(name: str, patterns: Mapping[str, T]) -> T:
    """The pattern of a name; InputError if there is none."""
    if name not in patterns:
        raise InputError(f"unknown arrivals '{name}': choose from {', '.join(patterns)}")
    return patterns[name]
