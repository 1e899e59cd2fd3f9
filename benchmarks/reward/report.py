"""What a generator of ``reward`` did: density, rate of arrivals, and distributions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.workload.report import WorkloadReport, distribution_of
from models.reward import RewardInstance
from models.reward.load import load

__all__ = ["RewardReport"]


@dataclass(frozen=True, kw_only=True)
class RewardReport(WorkloadReport):
    """Density and rate, and distributions over servers, ports or slots.

    Parameters
    ----------
    density : float
        ``sum_r |L_r| / |R|`` as drawn.
    rate : float
        Mean number of jobs of a port in a slot.
    """

    density: float
    rate: float

    @property
    def counts(self) -> tuple[str, ...]:
        """Density and rate."""
        return (f"density {self.density:.4g}, {self.rate:.4g} jobs per port and slot",)

    @classmethod
    def build(cls, instance: RewardInstance, notes: tuple[str, ...]) -> RewardReport:
        """Describe an instance."""
        cluster, arrivals = instance.cluster, instance.arrivals
        servers, ports = len(cluster.capacities), len(cluster.requests)
        fields = {
            "ports of a server": np.bincount(cluster.port_edges[:, 1], minlength=servers),
            "servers of a port": np.bincount(cluster.port_edges[:, 0], minlength=ports),
            "jobs in a slot": arrivals.sum(axis=1),
            "jobs of a port": arrivals.sum(axis=0),
        }
        for k, device in enumerate(cluster.devices):
            fields[f"capacity {device}"] = cluster.capacities[:, k]
            fields[f"request {device}"] = cluster.requests[:, k]
        return cls(
            load=load(instance),
            distribution=distribution_of(fields),
            notes=notes,
            density=len(cluster.port_edges) / servers,
            rate=float(arrivals.mean()),
        )
