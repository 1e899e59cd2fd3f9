"""Types of workers and parameter servers, and servers of EC2's shapes that share a capacity."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.completion.settings import Settings
from benchmarks.traces import Trace
from benchmarks.traces.gavel import GPUS
from benchmarks.workload.ec2 import EC2, of_families
from benchmarks.workload.lists import some_of

__all__ = ["RESOURCES", "SHAPES", "Types", "draw_types", "shares", "split"]

RESOURCES = ("gpu", "cpu", "bandwidth_gbps")

SHAPES = {name: (g, cpu, gbps) for name, (g, cpu, _, gbps) in of_families("p3", "p2", "g3").items()}
"""What servers have: GPUs, vCPUs, Gbps."""

# The four worker types of Figure 9. EC2 has neither a p3.4xlarge nor a p2.2xlarge: here they are
# two of the size below.
_EC2 = (("p3.2xlarge", 2), ("p2.xlarge", 2), ("p3.2xlarge", 1), ("p2.xlarge", 1))
_GPU_OF = {"p3": "v100", "p2": "k80"}


class Types(NamedTuple):
    """Demands of the types, (M, R) and (P, R); of worker types their GPUs, as in ``GPUS``."""

    workers: np.ndarray
    ps: np.ndarray
    gpu: np.ndarray


def draw_types(settings: Settings, rng: np.random.Generator) -> Types:
    """Draw the types: whole GPUs and vCPUs, bandwidths to the Mbit/s.

    The models of GPUs matter only where there are speeds by model.
    """
    count = settings.worker_types
    workers = _demands(rng, count, settings.gpus, settings.vcpus, settings.worker_gbps)
    ps = _demands(rng, settings.ps_types, (0, 0), settings.ps_vcpus, settings.ps_gbps)
    gpu = rng.integers(len(GPUS), size=count)
    if settings.types == "ec2":
        sizes = [(number, EC2[name]) for name, number in _EC2]
        workers = np.array([[n * g, n * cpu, n * gbps] for n, (g, cpu, _, gbps) in sizes])
        gpu = np.array([GPUS.index(_GPU_OF[name[:2]]) for name, _ in _EC2])
    return Types(workers, ps, gpu)


def _demands(
    rng: np.random.Generator,
    count: int,
    gpus: tuple[int, int],
    vcpus: tuple[int, int],
    gbps: tuple[float, float],
) -> np.ndarray:
    whole = [rng.integers(*interval, size=count, endpoint=True) for interval in (gpus, vcpus)]
    bandwidth = np.maximum(np.round(rng.uniform(*gbps, size=count), 3), 0.001)
    return np.column_stack([*whole, bandwidth]).astype(float)


def shares(
    settings: Settings, rng: np.random.Generator, trace: Trace | None
) -> tuple[np.ndarray, str]:
    """What part of each resource a server has, shape (H, R), and where the servers are from.

    The sizes of P3, P2 and G3 are equally likely. Nodes of a list are taken at most once; it says
    nothing of bandwidth, which they share as they share the vCPUs.
    """
    count = settings.servers
    if trace is None or "nodes" not in trace.names:
        sizes = np.array(list(SHAPES.values()))[rng.integers(len(SHAPES), size=count)]
        note = "servers: P3, P2 and G3"
    else:
        frame = trace.table("nodes").frame
        frame = frame[frame["gpus"] > 0]
        chosen = some_of(frame, count, "nodes with GPUs", rng, trace.path)
        sizes = chosen[["gpus", "cpu", "cpu"]].to_numpy(dtype=float)
        note = f"servers: {count} of {len(frame)} nodes of the list"
    return sizes / sizes.sum(axis=0), note


def split(total: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """Servers, shape (H, R), that have so much of each resource together, up to rounding."""
    return np.round(total * parts, 3)
