"""Utility of a job by its delay, as two papers have it."""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta

__all__ = ["Sigmoid"]

Worth = Annotated[float, Meta(ge=0, le=1e100)]
NonNegative = Annotated[float, Meta(ge=0)]

_EXP_LIMIT = 700.0  # exp overflows a double a little above this


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

    priority: Worth
    decay: NonNegative
    target: float

    def __call__(self, delay: np.ndarray | float) -> np.ndarray:
        """Utility at a delay of so many slots (completion slot minus arrival)."""
        exponent = self.decay * (np.asarray(delay, dtype=float) - self.target)
        return self.priority / (1.0 + np.exp(np.minimum(exponent, _EXP_LIMIT)))
