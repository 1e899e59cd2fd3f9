"""FIFO: jobs run in the order of their arrival, with fixed numbers of workers."""

from __future__ import annotations

import numpy as np

from models.completion.cluster import Cluster, Job
from models.completion.rates import least_duration
from online.completion.plan import Run
from online.completion.room import Room, ideal_request
from online.head_of_line import HeadOfLine

__all__ = ["FIFO"]

_LARGEST_REQUEST = 30  # upper end of the paper's range [1, 30]


class FIFO(HeadOfLine):
    """Run jobs in the order of arrival with the number of workers that their owner fixed.

    The default scheduler of Hadoop and Spark as the paper takes it (Sec. 7): "jobs run by order
    of arrival, with fixed numbers and resource configuration of workers (and PSs)". The types are
    the ideal ones (:func:`~online.completion.room.ideal_request`); the number is
    ``requested_workers``, or 30 where the instance says nothing, as far as D and the empty cluster
    allow. Ours: no backfilling, and the placement (:class:`~online.completion.room.Room`).
    """

    name = "fifo"

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with an empty cluster and an empty queue."""
        super().reset(public, rng)
        self._cluster, self._room = public, Room(public)

    def workers_of(self, job: Job) -> int:
        """What the owner fixed, or as many as fit."""
        most = job.requested_workers or _LARGEST_REQUEST
        return ideal_request(job, self._cluster, most).workers

    def begin(self, job: Job, workers: int, slot: int) -> Run | None:
        """Place a job, if it fits."""
        share = self._room.place(ideal_request(job, self._cluster, workers))
        if share is None:
            return None
        self._room.take(share)
        types = share.worker_type, share.ps_type
        duration = least_duration(job, *types, workers, share.internal)
        return Run(*types, share.servers, share.workers, share.ps, slot, duration)

    def end(self, job: Job, plan: Run) -> None:
        """Free what a job had."""
        self._room.take(plan, copies=-1)
