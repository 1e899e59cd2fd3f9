"""Servers of the default workload: EC2 sizes of the families that the paper names."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from models.utility import Cluster

__all__ = ["BANDWIDTH", "C4", "P2_G3", "RESOURCES", "cluster_of", "draw_servers"]

RESOURCES = ("gpu", "cpu", "memory_gb", "storage_gb", "bandwidth_gbps")
BANDWIDTH = RESOURCES.index("bandwidth_gbps")

# Storage is attached (EBS) and no part of an EC2 size. One volume of 1,000 GB is more than
# the 64 workers of 10 GB that the vCPUs of the largest size could hold: it never binds.
_STORAGE_GB = 1000.0
_GBPS = (20.0, 50.0)  # Sec. V-A; the sizes' own network figures, mostly below it, are not used

# GPUs, vCPUs and memory in GiB. Source: github.com/aws/karpenter-provider-aws,
# website/content/en/v1.0/reference/instance-types.md, commit
# 1d927085dd81a9df9301e613f371dac5b4d16bfe (Apache-2.0). A K80 board holds two chips, counted as
# two GPUs, as EC2 does.
P2_G3 = {
    "p2.xlarge": (1, 4, 61.0),
    "p2.8xlarge": (8, 32, 488.0),
    "p2.16xlarge": (16, 64, 732.0),
    "g3.4xlarge": (1, 16, 122.0),
    "g3.8xlarge": (2, 32, 244.0),
    "g3.16xlarge": (4, 64, 488.0),
}
C4 = {
    "c4.large": (0, 2, 3.75),
    "c4.xlarge": (0, 4, 7.5),
    "c4.2xlarge": (0, 8, 15.0),
    "c4.4xlarge": (0, 16, 30.0),
    "c4.8xlarge": (0, 36, 60.0),
}


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
