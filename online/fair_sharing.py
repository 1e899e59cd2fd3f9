"""DRF as the papers on parameter servers apply it: shares anew at every event."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from online.fair_shares import FairShares
from online.placements import Placement
from online.policy import SlotStart
from online.pools import Rules
from online.resharing import Resharing
from online.segments import Plan, Segment

__all__ = ["FairSharing"]


class FairSharing(Resharing):
    """Give every unfinished job the same dominant share, as far as it can use it.

    Ghodsi, Zaharia, Hindman, Konwinski, Shenker, Stoica: "Dominant Resource Fairness: Fair
    Allocation of Multiple Resource Types", NSDI 2011, Algorithm 1, as the OASiS paper applies
    it (Sec. V-A): all jobs are admitted, and the numbers of workers and parameter servers are
    computed anew, from the empty cluster, whenever a job arrives or completes. Between these
    events they stay. See :class:`~online.fair_shares.FairShares` for the filling.
    """

    rules: ClassVar[Rules]

    def reset(self, public: Any, rng: np.random.Generator) -> None:
        """Start with an empty cluster."""
        super().reset(public, rng)
        self._shares = FairShares(self.rules.pools(public))

    def share(self, event: SlotStart) -> dict[int, Placement]:
        """Fill the cluster anew."""
        jobs = list(self.jobs.values())
        limits = [self.rules.most(job, event.remaining[job.index]) for job in jobs]
        return self._shares.fill(jobs, limits, self.running)

    def plan(self, slot: int, placement: Placement | None) -> Plan:
        """From now on, one segment."""
        return (Segment(slot, None, placement.workers, placement.ps),) if placement else ()
