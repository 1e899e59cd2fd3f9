"""What a generator did: where the parts are from, and how they are distributed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.reward import RewardInstance

__all__ = ["WorkloadReport"]

_QUANTILES = (0.0, 0.1, 0.5, 0.9, 1.0)


@dataclass(frozen=True)
class WorkloadReport:
    """Notes and distributions.

    Parameters
    ----------
    density : float
        ``sum_r |L_r| / |R|`` as drawn.
    rate : float
        Mean number of jobs of a port in a slot.
    distribution : dict of str to dict
        Field -> minimum, 10, 50, 90 % quantile and maximum, over servers, ports or slots.
    notes : tuple of str
        Where the parts are from.
    """

    density: float
    rate: float
    distribution: dict[str, dict[str, float]]
    notes: tuple[str, ...] = ()

    @classmethod
    def build(cls, instance: RewardInstance, notes: tuple[str, ...]) -> WorkloadReport:
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
        distribution = {
            name: {
                f"q{100 * q:.0f}": float(value)
                for q, value in zip(_QUANTILES, np.quantile(values, _QUANTILES), strict=True)
            }
            for name, values in fields.items()
        }
        return cls(len(cluster.port_edges) / servers, float(arrivals.mean()), distribution, notes)

    def __str__(self) -> str:
        lines = [*self.notes]
        lines.append(f"density {self.density:.4g}, {self.rate:.4g} jobs per port and slot")
        lines.append(f"{'':32}" + "".join(f"{f'{100 * q:.0f} %':>10}" for q in _QUANTILES))
        for name, found in self.distribution.items():
            lines.append(f"{name:32}" + "".join(f"{value:10.5g}" for value in found.values()))
        return "\n".join(lines)
