"""The two queues of Tiresias-L."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

__all__ = ["TwoQueues"]


@dataclass(frozen=True)
class TwoQueues:
    """Two-dimensional least attained service, in two queues.

    Gu, Chowdhury, Shin et al.: "Tiresias: A GPU Cluster Manager for Distributed Deep Learning",
    NSDI 2019. A job's attained service is workers x time. Jobs below the threshold come before
    the others, and in each queue those that arrived first.

    Parameters
    ----------
    threshold : float
        Worker-slots.
    """

    threshold: float

    @classmethod
    def at_median(cls, services: Iterable[float]) -> TwoQueues:
        """With the median of what jobs are served in total, which operators know from the past."""
        known = list(services)
        return cls(float(np.median(known)) if known else 0.0)

    def queue(self, attained: float) -> int:
        """0 for a job below the threshold, else 1."""
        return int(attained >= self.threshold)

    def slots_left(self, attained: float, workers: int) -> int | None:
        """Slots until a job with so many workers leaves the first queue; None if it has left."""
        lacking = self.threshold - attained
        return max(1, math.ceil(lacking / workers)) if lacking > 0 else None
