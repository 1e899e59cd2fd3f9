"""Zero-price greedy: OASiS's oracle without prices."""

from __future__ import annotations

import numpy as np

from models.utility.instance import Cluster
from online.policy import Arrival, Decision, JobEvent, Policy
from online.segments import plan_from_column
from online.utility.prices import ZeroPrices
from solvers.utility.oracle import best_schedule

__all__ = ["ZeroPriceGreedy"]


class ZeroPriceGreedy(Policy):
    """Run every job by its best schedule at price 0, that is as early as it fits.

    What OASiS would be without admission control: it separates the worth of the prices from
    that of the oracle. Not in the paper.
    """

    name = "zero-price"

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with an empty cluster."""
        self._book = ZeroPrices(public)

    def step(self, event: JobEvent) -> Decision:
        """Admit an arriving job if any schedule fits."""
        if not isinstance(event, Arrival):
            return Decision()
        column = best_schedule(event.job, self._book.prices, self._book.free)
        if column is None:
            return Decision(info={"admitted": False})
        self._book.take(event.job, column)
        return Decision({event.job.index: plan_from_column(column)}, info={"admitted": True})
