"""First come, first served without backfilling: what FIFO is in every problem."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from typing import Any

import numpy as np

from online.policy import Arrival, Decision, JobEvent, Policy

__all__ = ["HeadOfLine"]


class HeadOfLine(Policy):
    """Starts jobs in the order of arrival; the first that does not fit makes all later ones wait.

    A job runs with a number of workers that is fixed at its arrival, from its start to its
    completion. One of which no worker fits anywhere (0 workers) is left out: it would block the
    queue for ever. Rows record ``workers``, then the numbers ``running`` and ``waiting``.
    """

    def reset(self, public: Any, rng: np.random.Generator) -> None:
        """Start with an empty queue; a subclass adds its cluster."""
        self._queue: deque[tuple[Any, int]] = deque()
        self._running: dict[int, tuple[Any, Any]] = {}

    @abstractmethod
    def workers_of(self, job: Any) -> int:
        """Workers that an arriving job is to run with."""

    @abstractmethod
    def begin(self, job: Any, workers: int, slot: int) -> Any | None:
        """Take what the job needs and return its plan from this slot on; None: it does not fit."""

    @abstractmethod
    def end(self, job: Any, plan: Any) -> None:
        """Give back what a job took, which has completed."""

    def step(self, event: JobEvent) -> Decision:
        """Queue an arriving job; at the start of a slot run what fits, in order."""
        if isinstance(event, Arrival):
            workers = self.workers_of(event.job)
            if workers > 0:
                self._queue.append((event.job, workers))
            return Decision(info={"workers": workers})
        for rank in event.completed:
            self.end(*self._running.pop(rank))
        plans = {}
        while self._queue:
            job, workers = self._queue[0]
            plan = self.begin(job, workers, event.slot)
            if plan is None:
                break
            self._queue.popleft()
            self._running[job.index] = (job, plan)
            plans[job.index] = plan
        return Decision(plans, info={"running": len(self._running), "waiting": len(self._queue)})
