"""When jobs of the synthetic workload arrive: how likely each slot is to receive one."""

from __future__ import annotations

import numpy as np

from benchmarks.workload.arrivals import PATTERNS as GENERAL
from models.errors import InputError

__all__ = ["PATTERNS", "draw_arrivals"]

_PEAKS = (0.25, 0.7)  # of the slots in which jobs arrive,
_PEAK_WIDTH = 0.05  # standard deviation, of the same,
_PEAK_SHARE = 0.7  # and share of the jobs that arrive in peaks


def peaks(slots: int, slot_seconds: float, rng: np.random.Generator) -> np.ndarray:
    """Two peaks of submissions, as Figure 11 has them, on top of an even rate.

    Where they lie and how high they are is not said in words: here at a quarter and at 70 % of
    the slots, with 70 % of the jobs.
    """
    place = (np.arange(slots) + 0.5) / slots
    bells = sum(np.exp(-0.5 * ((place - peak) / _PEAK_WIDTH) ** 2) for peak in _PEAKS)
    return _PEAK_SHARE * bells / np.sum(bells) + (1.0 - _PEAK_SHARE) / slots


PATTERNS = {**GENERAL, "peaks": peaks}


def draw_arrivals(
    name: str, count: int, slots: int, slot_seconds: float, rng: np.random.Generator
) -> np.ndarray:
    """Arrival slots, sorted, shape (count,).

    Raises
    ------
    InputError
        If there is no such pattern.
    """
    if name not in PATTERNS:
        raise InputError(f"unknown arrivals '{name}': choose from {', '.join(PATTERNS)}")
    weights = PATTERNS[name](slots, slot_seconds, rng)
    return np.sort(rng.choice(slots, size=count, p=weights))
