"""FIFO: jobs run in the order of their arrival, with fixed numbers of workers."""

from __future__ import annotations

import numpy as np

from models.colocated.cluster import Cluster, Job
from online.colocated.pools import RULES, first_fit
from online.head_of_line import HeadOfLine
from online.placements import Free, Placement
from online.segments import Plan, Segment

__all__ = ["FIFO"]

_LARGEST_REQUEST = (
    30  # upper end of the range of OASiS's experiments, which the notes do not repeat
)


class FIFO(HeadOfLine):
    """Run jobs in the order of arrival with the number of workers that their owner fixed.

    The notes only say that resources are given out "by time of arrival". Here the number is
    ``requested_workers``, or 30 where the instance says nothing, as far as F and the empty cluster
    allow. A job goes to the first server that holds all of it, else to the first servers with
    room (:func:`~online.colocated.pools.first_fit`), and stays. No backfilling.

    Nobody else is rejected. FIFO looks neither at utilities nor at the horizon, so it also
    starts jobs that cannot end in time.
    """

    name = "fifo"

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with an empty cluster and an empty queue."""
        super().reset(public, rng)
        self._cluster = public
        self._free = Free(RULES.pools(public))

    def workers_of(self, job: Job) -> int:
        """What the owner fixed, or as many as fit."""
        most = min(job.requested_workers or _LARGEST_REQUEST, job.max_workers)
        return first_fit(job, self._cluster.servers, most)[0]

    def begin(self, job: Job, workers: int, slot: int) -> Plan | None:
        """Place a job, if it fits."""
        count, placement = first_fit(job, self._free.workers, workers)
        if placement is None or count < workers:
            return None
        self._free.take(job, placement)
        return (Segment(slot, None, placement.workers, placement.ps),)

    def end(self, job: Job, plan: Plan) -> None:
        """Free what a job had."""
        self._free.give(job, Placement(plan[0].workers, plan[0].ps))
