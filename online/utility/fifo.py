"""FIFO: jobs run in the order of their arrival, with fixed numbers of workers."""

from __future__ import annotations

import numpy as np

from models.utility.instance import Cluster, Job
from online.head_of_line import HeadOfLine
from online.placements import Free, Placement
from online.segments import Plan, Segment
from online.utility.pools import pools_of
from online.utility.requests import fixed_workers
from online.utility.round_robin import RoundRobin

__all__ = ["FIFO"]


class FIFO(HeadOfLine):
    """Run jobs in the order of arrival with the number of workers that their owner fixed.

    The rule of Hadoop's and Spark's default scheduler as the OASiS paper takes it (Sec. V-A).
    Job i runs with ``n_i`` workers (:func:`~online.utility.requests.fixed_workers`) and
    ``ceil(n_i b_i / B_i)`` parameter servers. Placement is round-robin. The queue:
    :class:`~online.head_of_line.HeadOfLine`.

    Nobody else is rejected. FIFO looks neither at utilities nor at the horizon, so it also
    starts jobs that cannot end in time.
    """

    name = "fifo"

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with an empty cluster and an empty queue."""
        super().reset(public, rng)
        self._cluster = public
        self._free = Free(pools_of(public))
        self._robin = RoundRobin()

    def workers_of(self, job: Job) -> int:
        """What the owner fixed, or as many as fit."""
        return fixed_workers(job, self._cluster)

    def begin(self, job: Job, workers: int, slot: int) -> Plan | None:
        """Place a job, if it fits."""
        placement = self._robin.place(job, workers, self._free)
        if placement is None:
            return None
        self._free.take(job, placement)
        return (Segment(slot, None, placement.workers, placement.ps),)

    def end(self, job: Job, plan: Plan) -> None:
        """Free what a job had."""
        self._free.give(job, Placement(plan[0].workers, plan[0].ps))
