"""Sizes of EC2 instances: GPUs, vCPUs, memory in GiB, network in Gbps.

Source: github.com/aws/karpenter-provider-aws, website/content/en/v1.0/reference/instance-types.md,
commit 1d927085dd81a9df9301e613f371dac5b4d16bfe (Apache-2.0); the network of sizes for which EC2
names no number is the baseline of its API (moto 4.2.0, Apache-2.0). A K80 board holds two chips,
counted as two GPUs, as EC2 does.
"""

from __future__ import annotations

__all__ = ["EC2", "of_families"]

EC2 = {
    "c4.large": (0, 2, 3.75, 0.625),
    "c4.xlarge": (0, 4, 7.5, 1.25),
    "c4.2xlarge": (0, 8, 15.0, 2.5),
    "c4.4xlarge": (0, 16, 30.0, 5.0),
    "c4.8xlarge": (0, 36, 60.0, 10.0),
    "p2.xlarge": (1, 4, 61.0, 1.25),
    "p2.8xlarge": (8, 32, 488.0, 10.0),
    "p2.16xlarge": (16, 64, 732.0, 25.0),
    "g3.4xlarge": (1, 16, 122.0, 5.0),
    "g3.8xlarge": (2, 32, 244.0, 10.0),
    "g3.16xlarge": (4, 64, 488.0, 25.0),
    "p3.2xlarge": (1, 8, 61.0, 2.5),
    "p3.8xlarge": (4, 32, 244.0, 10.0),
    "p3.16xlarge": (8, 64, 488.0, 25.0),
}


def of_families(*families: str) -> dict[str, tuple[int, int, float, float]]:
    """The sizes of some families, e.g. ``p2``, in the order of ``EC2``."""
    return {name: size for name, size in EC2.items() if name.partition(".")[0] in families}
