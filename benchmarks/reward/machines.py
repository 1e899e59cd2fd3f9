"""Servers: device types and capacities, drawn from published counts or taken from a list."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.traces import Table
from benchmarks.workload.lists import some_of
from models.errors import InputError

__all__ = ["MEMORY_GIB", "VCPUS", "Machines", "draw_machines", "take_machines"]

# Rewards add up devices of all types, so their units are weights, which the paper does not give.
# With these the reward of a slot is about as large as in its Table 2, and steps of 25 are of use.
VCPUS = 1.0
MEMORY_GIB = 8.0
"""vCPUs that make one device ``cpu``, and GiB one ``memory``: a module."""

# Machines of the Alibaba PAI cluster (GPU trace of 2020) by family.
_COUNTS = np.array([798, 497, 280, 180, 59, 83])
_VCPUS = np.array([64, 96, 96, 96, 96, 96])
_MEMORY_GB = np.array([512, 512, 512, 384, 512, 512])
_GPUS = np.array([2, 2, 8, 8, 8, 0])
_MOST_OTHERS = {"npu": 8, "tpu": 8, "fpga": 4}  # of one machine
_GPU_KINDS = {"P100": "p100", "T4": "t4", "V100": "v100", "V100M32": "v100", "MISC": "misc-gpu"}


class Machines(NamedTuple):
    """The servers of an instance, and where they are from.

    ``capacities`` are ``c_r^k``, shape (R, K); ``gpus`` are the places of the GPUs in ``devices``,
    the types.
    """

    devices: tuple[str, ...]
    capacities: np.ndarray
    gpus: tuple[int, ...]
    note: str


def draw_machines(count: int, rng: np.random.Generator) -> Machines:
    """Draw servers with the six device types of Sec. 4.

    CPUs, memory and GPUs are those of a machine of the Alibaba PAI cluster (the paper's trace),
    drawn by the published number of machines of each family. NPUs, TPUs and FPGAs are in no
    public trace, and the paper does not say where it has them from: a machine has 0 to 8, 0 to 8
    and 0 to 4, uniformly.
    """
    family = rng.choice(len(_COUNTS), size=count, p=_COUNTS / _COUNTS.sum())
    others = [rng.integers(0, n, size=count, endpoint=True) for n in _MOST_OTHERS.values()]
    columns = (_VCPUS[family] / VCPUS, _MEMORY_GB[family] / MEMORY_GIB, _GPUS[family], *others)
    note = "machines by the published counts of the PAI list, other accelerators uniform"
    return Machines(("cpu", "memory", "gpu", *_MOST_OTHERS), np.column_stack(columns), (2,), note)


def take_machines(table: Table, count: int, rng: np.random.Generator, path: str) -> Machines:
    """Take servers from the PAI machine list, each at most once, at random.

    Its GPU models are the accelerators: P100, T4, V100 (16 and 32 GB) and the old ones that the
    list calls MISC. With CPUs and memory these are six device types, as many as in the paper; a
    machine has GPUs of one model, so most of its capacities are 0. Raises InputError if the list
    is too short, or has a GPU model that is not known.
    """
    chosen = some_of(table.frame, count, "machines", rng, path)
    models = chosen["gpu_model"].where(chosen["gpus"] > 0)
    unknown = sorted(set(models.dropna()) - set(_GPU_KINDS))
    if unknown:
        raise InputError(f"{path}: GPU model '{unknown[0]}' is not one of {', '.join(_GPU_KINDS)}")
    kinds = tuple(dict.fromkeys(_GPU_KINDS.values()))
    owned = [np.where(models.map(_GPU_KINDS) == kind, chosen["gpus"], 0) for kind in kinds]
    columns = (chosen["cpu"] / VCPUS, chosen["memory_gib"] / MEMORY_GIB, *owned)
    gpus = tuple(range(2, 2 + len(kinds)))
    note = f"machines: {count} of {len(table.frame)} of the list"
    return Machines(("cpu", "memory", *kinds), np.column_stack(columns), gpus, note)
