"""What a generator did: where the parts are from, and how they are distributed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from models.jct import JctInstance

__all__ = ["WorkloadReport"]

_QUANTILES = (0.0, 0.1, 0.5, 0.9, 1.0)


@dataclass(frozen=True)
class WorkloadReport:
    """Notes and distributions.

    Parameters
    ----------
    workers, ps : int
        Workers and parameter servers of the edge.
    load : float
        Worker-slots of all jobs over those that the edge has while jobs arrive: above 1 it
        cannot keep up with them.
    distribution : dict of str to dict
        Field -> minimum, 10, 50, 90 % quantile and maximum, over servers or jobs.
    notes : tuple of str
        Where the parts are from.
    """

    workers: int
    ps: int
    load: float
    distribution: dict[str, dict[str, float]]
    notes: tuple[str, ...] = ()

    @classmethod
    def build(cls, instance: JctInstance, arriving: int, notes: tuple[str, ...]) -> WorkloadReport:
        """Describe an instance whose jobs arrive in ``arriving`` slots."""
        cluster, jobs = instance.cluster, instance.jobs
        workers, ps = len(cluster.worker_server), len(cluster.ps_server)
        work = sum(job.chunks * job.chunk_slots for job in jobs)
        fields: dict[str, Any] = {
            "workers of a server": np.diff(cluster.first_worker),
            "parameter servers of a server": np.diff(cluster.first_ps),
            "workers of a type": np.bincount(
                cluster.worker_type, minlength=max(1, len(cluster.worker_types))
            ),
            "arrival": [job.arrival for job in jobs],
            "chunks": [job.chunks for job in jobs],
            "slots of a chunk": [job.chunk_slots for job in jobs],
            "the same all in the cloud": [job.cloud_chunk_slots for job in jobs],
            "requested workers": [job.requested_workers for job in jobs],
            "worker-slots of a job": [job.chunks * job.chunk_slots for job in jobs],
        }
        distribution = {
            name: {
                f"q{100 * q:.0f}": float(value)
                for q, value in zip(_QUANTILES, np.quantile(values, _QUANTILES), strict=True)
            }
            for name, values in fields.items()
        }
        load = work / (workers * arriving) if workers else float("inf")
        return cls(workers, ps, load, distribution, notes)

    def __str__(self) -> str:
        lines = [*self.notes]
        lines.append(
            f"{self.workers} workers and {self.ps} parameter servers at the edge, load "
            f"{self.load:.3g}"
        )
        lines.append(f"{'':32}" + "".join(f"{f'{100 * q:.0f} %':>10}" for q in _QUANTILES))
        for name, found in self.distribution.items():
            lines.append(f"{name:32}" + "".join(f"{value:10.5g}" for value in found.values()))
        return "\n".join(lines)
