"""Servers: device types and capacities, drawn from published counts or taken from a list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.traces import Table
from models.errors import InputError

__all__ = ["MEMORY_GIB", "VCPUS", "Machines", "draw_machines", "take_machines"]

# Rewards add up devices of all types, so their units are weights, which the paper does not give.
# With these the reward of a slot is about as large as in its Table 2, and steps of 25 are of use.
VCPUS = 1.0
MEMORY_GIB = 8.0
"""vCPUs that make one device ``cpu``, and GiB one ``memory``: a module."""

_ACCELERATORS = ("gpu", "npu", "tpu", "fpga")
# Machines of the Alibaba PAI cluster (GPU trace of 2020): how many, vCPUs, GB, GPUs.
_FAMILIES = np.array(
    [
        (798, 64, 512, 2),
        (497, 96, 512, 2),
        (280, 96, 512, 8),
        (180, 96, 384, 8),
        (59, 96, 512, 8),
        (83, 96, 512, 0),
    ],
    dtype=float,
)
_MOST_OTHERS = (8, 8, 4)  # NPUs, TPUs, FPGAs of one machine
_GPU_KINDS = {"P100": "p100", "T4": "t4", "V100": "v100", "V100M32": "v100", "MISC": "misc-gpu"}


@dataclass(frozen=True, eq=False)
class Machines:
    """The servers of an instance.

    Parameters
    ----------
    devices : tuple of str
        Device types.
    capacities : ndarray, shape (R, K)
        ``c_r^k``.
    gpus : tuple of int
        Positions of the device types that are GPUs.
    note : str
        Where they are from.
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
    family = rng.choice(len(_FAMILIES), size=count, p=_FAMILIES[:, 0] / _FAMILIES[:, 0].sum())
    others = [rng.integers(0, most, size=count, endpoint=True) for most in _MOST_OTHERS]
    cpu, memory, gpus = _FAMILIES[family, 1:].T
    columns = (cpu / VCPUS, memory / MEMORY_GIB, gpus, *others)
    return Machines(
        devices=("cpu", "memory", *_ACCELERATORS),
        capacities=np.column_stack(columns).astype(float),
        gpus=(2,),
        note="machines by the published counts of the PAI list, other accelerators uniform",
    )


def take_machines(table: Table, count: int, rng: np.random.Generator, path: str) -> Machines:
    """Take servers from the PAI machine list, each at most once, at random.

    Its GPU models are the accelerators: P100, T4, V100 (16 and 32 GB) and the old ones that the
    list calls MISC. With CPUs and memory these are six device types, as many as in the paper; a
    machine has GPUs of one model, so most of its capacities are 0.

    Raises
    ------
    InputError
        If the list is too short, or has a GPU model that is not known.
    """
    frame = table.frame
    if len(frame) < count:
        raise InputError(f"{path}: {len(frame)} machines, fewer than the {count} asked for")
    chosen = frame.iloc[np.sort(rng.choice(len(frame), size=count, replace=False))]
    models = _models(chosen, path)
    kinds = tuple(dict.fromkeys(_GPU_KINDS.values()))
    owned = [np.where(models == kind, chosen["gpus"], 0) for kind in kinds]
    columns = (chosen["cpu"] / VCPUS, chosen["memory_gib"] / MEMORY_GIB, *owned)
    return Machines(
        devices=("cpu", "memory", *kinds),
        capacities=np.column_stack(columns).astype(float),
        gpus=tuple(range(2, 2 + len(kinds))),
        note=f"machines: {count} of {len(frame)} of the list",
    )


def _models(frame: pd.DataFrame, path: str) -> np.ndarray:
    with_gpus = frame["gpus"] > 0
    unknown = sorted(set(frame.loc[with_gpus, "gpu_model"]) - set(_GPU_KINDS))
    if unknown:
        raise InputError(f"{path}: GPU model '{unknown[0]}' is not one of {', '.join(_GPU_KINDS)}")
    return frame["gpu_model"].map(_GPU_KINDS).fillna("").to_numpy()
