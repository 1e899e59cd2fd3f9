"""DRF: dominant resource fairness by progressive filling."""

from __future__ import annotations

import numpy as np

from models.utility.instance import Cluster, Job
from online.policy import Arrival, Decision, JobEvent, Policy
from online.utility.filling import FairShares
from online.utility.placement import Placement, changed_plans

__all__ = ["DRF"]


class DRF(Policy):
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
        self._shares = FairShares(public)
        self._jobs: dict[int, Job] = {}
        self._running: dict[int, Placement] = {}

    def step(self, event: JobEvent) -> Decision:
        """Remember an arriving job; at the start of a slot fill the cluster anew."""
        if isinstance(event, Arrival):
            self._jobs[event.job.index] = event.job
            return Decision()
        for index in event.completed:
            del self._jobs[index]
            self._running.pop(index, None)
        jobs = list(self._jobs.values())
        left = [event.remaining[job.index] for job in jobs]
        filled = self._shares.fill(jobs, left, self._running)
        plans = changed_plans(event.slot, self._running, filled)
        self._running = filled
        return Decision(plans, info={"running": len(filled), "waiting": len(jobs) - len(filled)})
