"""FIFO: jobs run in the order of their arrival, with fixed numbers of workers."""

from __future__ import annotations

from models.colocated.cluster import Job
from online.colocated.pools import RULES, first_fit
from online.fixed_workers import LARGEST_REQUEST, FixedWorkers
from online.placements import Free, Placement

__all__ = ["FIFO"]


class FIFO(FixedWorkers):
    """Fixed numbers of workers: :class:`~online.fixed_workers.FixedWorkers`.

    The notes only say that resources are given out "by time of arrival". Here the number is
    ``requested_workers``, or 30 where the instance says nothing, as far as F and the empty cluster
    allow. A job goes to the first server that holds all of it, else to the first servers with
    room (:func:`~online.colocated.pools.first_fit`), and stays. No backfilling.
    """

    rules = RULES

    def workers_of(self, job: Job) -> int:
        """What the owner fixed, or as many as fit."""
        most = min(job.requested_workers or LARGEST_REQUEST, job.max_workers)
        return first_fit(job, self.cluster.servers, most)[0]

    def place(self, job: Job, workers: int, free: Free) -> Placement | None:
        """The first fit, if it holds all of them."""
        count, placement = first_fit(job, free.workers, workers)
        return placement if count == workers else None
