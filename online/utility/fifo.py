"""FIFO: jobs run in the order of their arrival, with fixed numbers of workers."""

from __future__ import annotations

from collections import deque

import numpy as np

from models.utility.instance import Cluster, Job
from online.policy import Arrival, Decision, JobEvent, Policy
from online.utility.placement import Free, Placement, RoundRobin, changed_plans
from online.utility.requests import fixed_workers

__all__ = ["FIFO"]


class FIFO(Policy):
    """Run jobs in the order of arrival with the number of workers that their owner fixed.

    The rule of Hadoop's and Spark's default scheduler as the OASiS paper takes it (Sec. V-A).
    Job i runs with ``n_i`` workers (:func:`~online.utility.requests.fixed_workers`) and
    ``ceil(n_i b_i / B_i)`` parameter servers, from its start to its completion. Jobs start
    in the order of arrival; the first one that does not fit makes all later ones wait (no
    backfilling). Placement is round-robin.

    Nobody is rejected, save a job of which no worker fits anywhere: it would block the queue
    for ever. FIFO looks neither at utilities nor at the horizon, so it also starts jobs that
    cannot end in time.
    """

    name = "fifo"

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with an empty cluster and an empty queue."""
        self._cluster = public
        self._free = Free(public)
        self._robin = RoundRobin()
        self._queue: deque[tuple[Job, int]] = deque()
        self._running: dict[int, tuple[Job, Placement]] = {}

    def step(self, event: JobEvent) -> Decision:
        """Queue an arriving job; at the start of a slot run what fits, in order."""
        if isinstance(event, Arrival):
            workers = fixed_workers(event.job, self._cluster)
            if workers > 0:
                self._queue.append((event.job, workers))
            return Decision(info={"workers": workers})
        for index in event.completed:
            self._free.give(*self._running.pop(index))
        started: dict[int, Placement] = {}
        while self._queue:
            job, workers = self._queue[0]
            placement = self._robin.place(job, workers, self._free)
            if placement is None:
                break
            self._queue.popleft()
            self._free.take(job, placement)
            self._running[job.index] = (job, placement)
            started[job.index] = placement
        return Decision(
            changed_plans(event.slot, {}, started),
            info={"running": len(self._running), "waiting": len(self._queue)},
        )
