"""FIFO: jobs run in the order of their arrival, with fixed numbers of workers."""

from __future__ import annotations

import numpy as np

from models.utility.instance import Cluster, Job
from online.fixed_workers import FixedWorkers
from online.placements import Free, Placement
from online.utility.pools import RULES
from online.utility.requests import fixed_workers
from online.utility.round_robin import RoundRobin

__all__ = ["FIFO"]


class FIFO(FixedWorkers):
    """Fixed numbers of workers: :class:`~online.fixed_workers.FixedWorkers`.

    The rule of Hadoop's and Spark's default scheduler as the OASiS paper takes it (Sec. V-A).
    Job i runs with ``n_i`` workers (:func:`~online.utility.requests.fixed_workers`) and
    ``ceil(n_i b_i / B_i)`` parameter servers. Placement is round-robin. The queue:
    :class:`~online.head_of_line.HeadOfLine`.
    """

    rules = RULES

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with an empty cluster and an empty queue."""
        super().reset(public, rng)
        self._robin = RoundRobin()

    def workers_of(self, job: Job) -> int:
        """What the owner fixed, or as many as fit."""
        return fixed_workers(job, self.cluster)

    def place(self, job: Job, workers: int, free: Free) -> Placement | None:
        """Round-robin."""
        return self._robin.place(job, workers, free)
