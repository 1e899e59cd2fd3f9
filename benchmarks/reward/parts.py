"""Parts of an instance, drawn or taken from a trace: servers, requests and arrivals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.reward.settings import Settings
from benchmarks.traces import Table
from benchmarks.workload.arrivals import pattern_of
from benchmarks.workload.lists import some_of
from benchmarks.workload.ports import PATTERNS
from models.errors import InputError

__all__ = ["Machines", "draw_arrivals", "draw_machines", "draw_requests"]
__all__ += ["take_arrivals", "take_machines", "take_requests"]

# Rewards add up devices of all types, so their units are weights, which the paper does not give.
# With these the reward of a slot is about as large as in its Table 2, and steps of 25 are of use.
_CPU, _MODULE = 1.0, 8.0  # vCPUs that make one device ``cpu``, and GiB one ``memory``

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
    columns = (_VCPUS[family] / _CPU, _MEMORY_GB[family] / _MODULE, _GPUS[family], *others)
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
    columns = (chosen["cpu"] / _CPU, chosen["memory_gib"] / _MODULE, *owned)
    gpus = tuple(range(2, 2 + len(kinds)))
    note = f"machines: {count} of {len(table.frame)} of the list"
    return Machines(("cpu", "memory", *kinds), np.column_stack(columns), gpus, note)


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
    requests[:, :2] = demand[:, :2] / (_CPU, _MODULE)
    requests[:, machines.gpus] = demand[:, 2:]
    note = f"requests: {ports} of {len(types)} distinct demands of {len(useful)} pods"
    return np.round(requests, 6), note


def draw_arrivals(settings: Settings, rng: np.random.Generator) -> tuple[np.ndarray, str]:
    """Arrivals ``x_l(t)`` by the pattern of the settings, int64, shape (T, L), and a note.

    Raises InputError if there is no such pattern.
    """
    name = settings.arrivals or "bernoulli"
    shape = (settings.slots, settings.ports, settings.most_arrivals)
    arrivals = pattern_of(name, PATTERNS)(shape, settings.probability, rng)
    return arrivals.astype(np.int64), f"arrivals {name}"


def take_arrivals(
    table: Table, settings: Settings, rng: np.random.Generator, path: str
) -> tuple[np.ndarray, str]:
    """Arrivals from the jobs of a trace, thinned by rho (Sec. 4: Bernoulli draws on top).

    Jobs sorted by size (core-seconds) are cut into ``|L|`` ports of equal numbers of jobs, so
    that a port is a class of alike jobs with its own rhythm; the more ports, the fewer jobs each
    has. The slots are ``trace_slot_seconds`` long; the first one is chosen by the seed, and a
    horizon that is longer than the trace goes on at its start. At most ``most_arrivals`` jobs of
    a port and slot are taken, each with probability rho.

    Returns what :func:`draw_arrivals` does. Raises InputError if there are fewer jobs than ports,
    or the trace is shorter than a slot.
    """
    frame = table.frame
    jobs, ports = len(frame), settings.ports
    if jobs < ports:
        raise InputError(f"{path}: {jobs} jobs, fewer than the {ports} ports asked for")
    seconds = frame["submit_s"].to_numpy()
    length = settings.trace_slot_seconds
    whole = int((np.floor(seconds.max()) + 1.0) / length)
    if whole < 1:
        raise InputError(f"{path}: spans less than one slot of {length:g} s")
    order = np.argsort(frame["core_seconds"].to_numpy(), kind="stable")
    slot = np.floor(seconds[order] / length).astype(np.int64)
    port = np.arange(jobs) * ports // jobs
    counts = np.zeros((whole, ports), dtype=np.int64)
    np.add.at(counts, (slot[slot < whole], port[slot < whole]), 1)
    start = int(rng.integers(whole))
    rows = (start + np.arange(settings.slots)) % whole
    found = np.minimum(counts[rows], settings.most_arrivals)
    note = f"arrivals: {jobs} jobs in {whole} slots of {length:g} s, from slot {start} on"
    return rng.binomial(found, settings.probability).astype(np.int64), note
