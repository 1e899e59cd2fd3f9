"""The ``colocated`` problem as it unfolds: arrivals, running plans, completions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from models.colocated.cluster import ROUND_OFF, Job
from models.colocated.instance import ColocatedInstance
from models.colocated.schedule import ColocatedSchedule
from online.segment_world import SegmentWorld
from online.server_usage import ServerUsage

__all__ = ["ColocatedWorld"]

_HAIR = 0.9 * ROUND_OFF  # the oracle uses up 0.8, the scorer forgives 1


class ColocatedWorld(SegmentWorld):
    """Workers and parameter servers share the servers; work is external worker-slots.

    Fact 1 is judged slot by slot: all that a job has in a slot is on one server, whatever its plan
    was meant to be, and it trains at the internal rate; otherwise at the external one. Plans are
    held to (4), (5), (7) and gamma.
    """

    schedule_type = ColocatedSchedule

    def __init__(self, instance: ColocatedInstance) -> None:
        # Shells: the arrays inside are sealed.
        cluster = self.public = replace(instance.cluster)
        usage = ServerUsage(cluster.servers, cluster.slots, cluster.resources, "server", "(5)")
        super().__init__(instance, lambda job, rank: replace(job, index=rank), usage, usage)

    def arrive(self, job: Job) -> float:
        """All of its work is left, but for round-off."""
        return job.work * (1.0 - _HAIR)

    def rate(self, job: Job, workers: np.ndarray, ps: np.ndarray) -> float:
        """External worker-slots in each slot, Fact 1."""
        internal = len(np.union1d(workers[:, 0], ps[:, 0])) == 1
        return int(workers[:, 1].sum()) * (job.speedup if internal else 1.0)

    def slots_needed(self, work: float, rate: float) -> int:
        """Slots, rounded up."""
        return max(1, math.ceil(work / rate))

    def faults(self, job: Job, workers: int, ps: int) -> Iterator[str]:
        """Of (4), and of the number of parameter servers."""
        if workers > job.max_workers:
            yield f"(4) {workers} workers, more than F = {job.max_workers}"
        elif ps < (need := job.ps_needed(workers)):
            yield f"(gamma) {ps} parameter servers, {need} are needed for {workers} workers"
