"""DRF: dominant resource fairness by progressive filling."""

from __future__ import annotations

import numpy as np

from models.utility.instance import Cluster
from online.policy import SlotStart
from online.resharing import Resharing
from online.utility.filling import FairShares
from online.utility.placement import Placement
from online.utility.plan import Plan, Segment

__all__ = ["DRF"]


class DRF(Resharing):
    """Give every unfinished job the same dominant share, as far as it can use it.

    Ghodsi, Zaharia, Hindman, Konwinski, Shenker, Stoica: "Dominant Resource Fairness: Fair
    Allocation of Multiple Resource Types", NSDI 2011, Algorithm 1, as the OASiS paper applies
    it (Sec. V-A): all jobs are admitted, and the numbers of workers and parameter servers are
    computed anew, from the empty cluster, whenever a job arrives or completes. Between these
    events they stay. See :class:`~online.utility.filling.FairShares` for the filling.
    """

    name = "drf"

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with an empty cluster."""
        super().reset(public, rng)
        self._shares = FairShares(public)

    def share(self, event: SlotStart) -> dict[int, Placement]:
        """Fill the cluster anew."""
        jobs = list(self.jobs.values())
        left = [event.remaining[job.index] for job in jobs]
        return self._shares.fill(jobs, left, self.running)

    def plan(self, slot: int, placement: Placement | None) -> Plan:
        """From now on, one segment."""
        return (Segment(slot, None, placement.workers, placement.ps),) if placement else ()
