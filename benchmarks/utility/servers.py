"""Servers of the default workload: EC2 sizes of the families that the paper names."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.workload.ec2 import of_families
from models.utility import Cluster

__all__ = ["BANDWIDTH", "C4", "P2_G3", "RESOURCES", "cluster_of", "draw_servers"]

RESOURCES = ("gpu", "cpu", "memory_gb", "storage_gb", "bandwidth_gbps")
BANDWIDTH = RESOURCES.index("bandwidth_gbps")

# Storage is attached (EBS) and no part of an EC2 size. One volume of 1,000 GB is more than
# the 64 workers of 10 GB that the vCPUs of the largest size could hold: it never binds.
_STORAGE_GB = 1000.0
_GBPS = (20.0, 50.0)  # Sec. V-A; the sizes' own network figures, mostly below it, are not used

# GPUs, vCPUs and memory in GiB.
P2_G3 = {name: size[:3] for name, size in of_families("p2", "g3").items()}
C4 = {name: size[:3] for name, size in of_families("c4").items()}


def draw_servers(
    rng: np.random.Generator, count: int, sizes: Mapping[str, tuple[int, int, float]]
) -> np.ndarray:
    """Servers of random sizes, each size equally likely; bandwidths are uniform.

    Returns
    -------
    ndarray, shape (count, R)
        Capacities in the order of ``RESOURCES``.
    """
    chosen = np.array(list(sizes.values()))[rng.integers(len(sizes), size=count)]
    bandwidth = np.round(rng.uniform(*_GBPS, size=count), 3)
    return np.column_stack([chosen, np.full(count, _STORAGE_GB), bandwidth])


def cluster_of(slots: int, slot_seconds: float, workers: np.ndarray, ps: np.ndarray) -> Cluster:
    """Cluster of servers with these ``RESOURCES``."""
    return Cluster(slots, slot_seconds, RESOURCES, workers, ps, BANDWIDTH)
