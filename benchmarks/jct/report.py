"""What a generator of ``jct`` did: the edge that it drew, and how servers and jobs are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.workload.report import WorkloadReport, distribution_of
from models.jct import JctInstance
from models.jct.load import load

__all__ = ["JctReport"]


@dataclass(frozen=True, kw_only=True)
class JctReport(WorkloadReport):
    """Numbers of workers and parameter servers of the edge, and distributions."""

    workers: int
    ps: int

    @property
    def counts(self) -> tuple[str, ...]:
        """Workers and parameter servers."""
        return (f"{self.workers} workers and {self.ps} parameter servers at the edge",)

    @classmethod
    def build(cls, instance: JctInstance, notes: tuple[str, ...]) -> JctReport:
        """Describe an instance."""
        cluster, jobs = instance.cluster, instance.jobs
        types = max(1, len(cluster.worker_types))
        fields: dict[str, Any] = {
            "workers of a server": np.diff(cluster.first_worker),
            "parameter servers of a server": np.diff(cluster.first_ps),
            "workers of a type": np.bincount(cluster.worker_type, minlength=types),
            "arrival": [job.arrival for job in jobs],
            "chunks": [job.chunks for job in jobs],
            "slots of a chunk": [job.chunk_slots for job in jobs],
            "the same all in the cloud": [job.cloud_chunk_slots for job in jobs],
            "requested workers": [job.requested_workers for job in jobs],
            "worker-slots of a job": [job.chunks * job.chunk_slots for job in jobs],
        }
        return cls(
            load=load(instance),
            distribution=distribution_of(fields),
            notes=notes,
            workers=len(cluster.worker_server),
            ps=len(cluster.ps_server),
        )
