"""Utility of a job by its delay, as two papers have it."""

from __future__ import annotations

import sys

import msgspec
import numpy as np

from models.wire import Amount, Real

__all__ = ["Sigmoid"]

_EXP_LIMIT = 700.0  # exp overflows a double a little above this
_LEAST = sys.float_info.min  # below it doubles lose their digits, and quotients are infinite


class Sigmoid(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="sigmoid"
):
    """Sigmoid utility ``priority / (1 + exp(decay (delay - target)))`` (paper, Sec. V-A).

    Parameters
    ----------
    priority : float
        ``gamma_1 >= 0``, the largest utility the job can approach.
    decay : float
        ``gamma_2 >= 0`` per slot; 0 = time-insensitive. Non-negative, so the utility never
        increases with the delay: the exactness of the compact formulation rests on it.
    target : float
        ``gamma_3``, target delay in slots.
    """

    priority: Amount
    decay: Amount
    target: Real

    def __call__(self, delay: np.ndarray | float) -> np.ndarray:
        """Utility at a delay of so many slots (completion slot minus arrival).

        0 where it is less than the least normal double, 2.2e-308.
        """
        exponent = self.decay * (np.asarray(delay, dtype=float) - self.target)
        worth = self.priority / (1.0 + np.exp(np.minimum(exponent, _EXP_LIMIT)))
        return np.where(worth < _LEAST, 0.0, worth)
