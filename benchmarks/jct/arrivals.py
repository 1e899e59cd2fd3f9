"""When jobs of the synthetic workload arrive: how likely each slot is to receive one."""

from __future__ import annotations

import numpy as np

from benchmarks.workload.arrivals import PATTERNS as GENERAL

__all__ = ["PATTERNS"]

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
