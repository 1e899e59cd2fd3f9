"""The ``utility`` problem as it unfolds: arrivals, running plans, completions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from models.utility.instance import Job, UtilityInstance
from models.utility.schedule import UtilitySchedule
from online.segment_world import SegmentWorld
from online.server_usage import ServerUsage
from online.utility.sealing import seal_cluster, seal_job

__all__ = ["UtilityWorld"]

_CONSTRAINT_6 = 1e-6


class UtilityWorld(SegmentWorld):
    """Workers and parameter servers run on separate servers, and work is counted in worker-slots.

    Plans are held to (3)-(7), (9), (10), (12), (13).
    """

    schedule_type = UtilitySchedule

    def __init__(self, instance: UtilityInstance) -> None:
        cluster = self.public = seal_cluster(instance.cluster)
        slots, names = cluster.slots, cluster.resources
        super().__init__(
            instance,
            seal_job,
            ServerUsage(cluster.worker_servers, slots, names, "worker server", "(4)"),
            ServerUsage(cluster.ps_servers, slots, names, "parameter server", "(5)"),
        )

    def rate(self, job: Job, workers: np.ndarray, ps: np.ndarray) -> int:
        """Number of workers."""
        return int(workers[:, 1].sum())

    def slots_needed(self, work: int, rate: int) -> int:
        """Slots, rounded up."""
        return -(-work // rate)

    def faults(self, job: Job, workers: int, ps: int) -> Iterator[str]:
        """Of (3), (6), (7)."""
        if workers > job.chunks:
            yield f"(3) {workers} workers, more than N = {job.chunks}"
        have = ps * job.ps_gbps
        if workers * job.worker_gbps > have + _CONSTRAINT_6 * max(1.0, have):
            yield (
                f"(6) {workers * job.worker_gbps:.9g} Gbps of workers, {have:.9g} Gbps of "
                "parameter servers"
            )
        if ps > workers:
            yield f"(7) {ps} parameter servers, {workers} workers"
