"""The queues of Tiresias-L."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from models.errors import InputError

__all__ = ["ServiceQueues"]


@dataclass(frozen=True)
class ServiceQueues:
    """Two-dimensional least attained service, in a few queues.

    Gu, Chowdhury, Shin et al.: "Tiresias: A GPU Cluster Manager for Distributed Deep Learning",
    NSDI 2019. A job's attained service are workers x time. Jobs below the first threshold come
    first, then those below the second, and so on; in each queue those that arrived first.

    Parameters
    ----------
    thresholds : tuple of float
        Worker-slots, not falling: one less than there are queues.

    Raises
    ------
    InputError
        If thresholds fall, or are not numbers.
    """

    thresholds: tuple[float, ...]

    def __post_init__(self) -> None:
        if not all(a <= b for a, b in pairwise((-math.inf, *self.thresholds))):
            raise InputError(f"thresholds {self.thresholds} of queues: want rising numbers")

    @classmethod
    def at_quantiles(cls, services: Iterable[float], queues: int = 2) -> ServiceQueues:
        """With as many jobs for each queue to finish, by what jobs are served in total.

        Two queues have the median as threshold. With no services known all thresholds are 0.
        """
        known, shares = list(services), np.arange(1, queues) / queues
        return cls(tuple(np.quantile(known, shares).tolist()) if known else (0.0,) * (queues - 1))

    def queue(self, attained: float) -> int:
        """0 for a job below the first threshold, and so on."""
        return bisect_right(self.thresholds, attained)

    def slots_left(self, attained: float, workers: int) -> int | None:
        """Slots until a job with so many workers leaves its queue; None if it is in the last."""
        queue = self.queue(attained)
        if queue == len(self.thresholds):
            return None
        return max(1, math.ceil((self.thresholds[queue] - attained) / workers))
