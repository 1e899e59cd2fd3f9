"""What the jobs of each port request, before contention multiplies it."""

from __future__ import annotations

import numpy as np

from benchmarks.reward.machines import MEMORY_GIB, VCPUS, Machines
from benchmarks.traces import Table
from models.errors import InputError

__all__ = ["draw_requests", "take_requests"]


def draw_requests(ports: int, machines: Machines, rng: np.random.Generator) -> np.ndarray:
    """Draw requests, shape (L, K), from the range of the capacities.

    The paper's range is not given. Here ``a_l^k`` is a whole number, uniform from 0 to the
    largest capacity that a server has of the device, and at least 1 for ``cpu`` and ``memory``:
    with contention 1 a job asks, of each instance, for about what one holds.
    """
    least = np.where(np.isin(machines.devices, ("cpu", "memory")), 1, 0)
    most = np.maximum(machines.capacities.max(axis=0).astype(np.int64), least)
    return rng.integers(least, most, size=(ports, len(most)), endpoint=True).astype(float)


def take_requests(
    table: Table, ports: int, machines: Machines, rng: np.random.Generator, path: str
) -> tuple[np.ndarray, str]:
    """Take the demands of pods, one distinct demand for each port, shape (L, K); and a note.

    Ports are job types, so pods with the same demand (vCPUs, memory, GPUs) are one type; types
    are drawn without replacement, with probabilities proportional to their numbers of pods. A
    pod that wants GPUs takes them of any model: on an instance, of the model that it has. Raises
    InputError if there are too few types.
    """
    names = ["cpu", "memory_gib", "gpus"]
    useful = table.frame[(table.frame[names] > 0).any(axis=1)]
    types = useful.groupby(names, sort=True).size()
    if len(types) < ports:
        raise InputError(
            f"{path}: {len(types)} distinct demands, fewer than the {ports} ports asked for"
        )
    chosen = np.sort(rng.choice(len(types), size=ports, replace=False, p=types / types.sum()))
    demand = types.index.to_frame().to_numpy()[chosen]
    requests = np.zeros((ports, len(machines.devices)))
    requests[:, :2] = demand[:, :2] / (VCPUS, MEMORY_GIB)
    requests[:, machines.gpus] = demand[:, 2:]
    note = f"requests: {ports} of {len(types)} distinct demands of {len(useful)} pods"
    return np.round(requests, 6), note
