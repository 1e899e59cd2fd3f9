"""FIFO where a job keeps its workers and parameter servers on the same servers."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from online.head_of_line import HeadOfLine
from online.placements import Free, Placement
from online.pools import Rules
from online.segments import Plan, Segment

__all__ = ["LARGEST_REQUEST", "FixedWorkers"]

LARGEST_REQUEST = 30
"""Upper end of the range [1, 30] of OASiS (Sec. V-A), for jobs that request no number."""


class FixedWorkers(HeadOfLine):
    """Run jobs in the order of arrival with the number of workers that their owner fixed.

    Nobody is rejected who fits the empty cluster. FIFO looks neither at utilities nor at the
    horizon, so it also starts jobs that cannot end in time. A subclass says what its jobs request
    and how they are placed.
    """

    name = "fifo"
    rules: ClassVar[Rules]

    @abstractmethod
    def place(self, job: Any, workers: int, free: Free) -> Placement | None:
        """Where so many workers of a job go, with what they need; None: they do not fit."""

    def reset(self, public: Any, rng: np.random.Generator) -> None:
        """Start with an empty cluster and an empty queue."""
        super().reset(public, rng)
        self.cluster = public
        self._free = Free(self.rules.pools(public))

    def begin(self, job: Any, workers: int, slot: int) -> Plan | None:
        """Place a job, if it fits."""
        placement = self.place(job, workers, self._free)
        if placement is None:
            return None
        self._free.take(job, placement)
        return (Segment(slot, None, placement.workers, placement.ps),)

    def end(self, job: Any, plan: Plan) -> None:
        """Free what a job had."""
        self._free.give(job, Placement(plan[0].workers, plan[0].ps))
