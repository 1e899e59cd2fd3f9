"""Servers of the default workload: EC2 sizes of the families that the paper names."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["C4", "P2_G3", "RESOURCES", "STORAGE_GB", "Size", "draw_servers"]

RESOURCES = ("gpu", "cpu", "memory_gb", "storage_gb", "bandwidth_gbps")

# Storage is attached (EBS) and no part of an EC2 size. One volume of 1,000 GB is more than
# the 64 workers of 10 GB that the vCPUs of the largest size could hold: it never binds.
STORAGE_GB = 1000.0


class Size(NamedTuple):
    """An EC2 size: GPUs, vCPUs and memory in GiB."""

    name: str
    gpu: int
    vcpu: int
    memory_gib: float


# Source: github.com/aws/karpenter-provider-aws, website/content/en/v1.0/reference/
# instance-types.md, commit 1d927085dd81a9df9301e613f371dac5b4d16bfe (Apache-2.0). A K80 board
# holds two chips, counted as two GPUs, as EC2 does.
P2_G3 = (
    Size("p2.xlarge", 1, 4, 61.0),
    Size("p2.8xlarge", 8, 32, 488.0),
    Size("p2.16xlarge", 16, 64, 732.0),
    Size("g3.4xlarge", 1, 16, 122.0),
    Size("g3.8xlarge", 2, 32, 244.0),
    Size("g3.16xlarge", 4, 64, 488.0),
)
C4 = (
    Size("c4.large", 0, 2, 3.75),
    Size("c4.xlarge", 0, 4, 7.5),
    Size("c4.2xlarge", 0, 8, 15.0),
    Size("c4.4xlarge", 0, 16, 30.0),
    Size("c4.8xlarge", 0, 36, 60.0),
)


def draw_servers(
    rng: np.random.Generator,
    count: int,
    sizes: tuple[Size, ...],
    gbps: tuple[float, float] = (20.0, 50.0),
) -> np.ndarray:
    """Servers of random sizes, each size equally likely.

    Parameters
    ----------
    rng : Generator
    count : int
        How many.
    sizes : tuple of Size
        To choose from.
    gbps : tuple of float
        Range of the server's bandwidth, uniform (paper, Sec. V-A); the sizes' own network
        figures, mostly below it, are not used.

    Returns
    -------
    ndarray, shape (count, R)
        Capacities in the order of ``RESOURCES``.
    """
    chosen = [sizes[i] for i in rng.integers(len(sizes), size=count)]
    bandwidth = np.round(rng.uniform(*gbps, size=count), 3)
    return np.array(
        [
            (size.gpu, size.vcpu, size.memory_gib, STORAGE_GB, b)
            for size, b in zip(chosen, bandwidth, strict=True)
        ]
    )
