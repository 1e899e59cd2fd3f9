"""Edge servers: those of the simulator, by a list of nodes or drawn, and those of the testbed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.jct.settings import Settings
from benchmarks.traces import Trace
from benchmarks.workload.lists import some_of
from models.jct.files import ServerRecord

__all__ = ["Edge", "draw_edge"]

# Nodes of the Alibaba openb list (GPU trace of 2023), kind by kind: how many, GPUs, vCPUs.
_NODES = np.array([162, 34, 90, 24, 22, 2, 2, 107, 22, 387, 28, 9, 17, 7, 1, 570, 39])
_NODE_GPUS = np.array([0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 4, 4, 4, 8, 8, 8, 8])
_NODE_CPUS = np.array([32, 64, 96, 104, 8, 128, 8, 16, 64, 104, 32, 48, 96, 64, 82, 96, 128])
# A machine of the testbed has 1 GPU, 12 cores and 16 GB; a worker takes the GPU and 3 GB, or 3
# cores and 2 GB, a parameter server 2 cores and 3 GB. The paper does not say how many of each:
# 1 + 2 + 3 take the machine up to the last core (2 x 3 + 3 x 2) and GB (3 + 2 x 2 + 3 x 3).
_TESTBED = (["gpu", "cpu", "cpu"], ["ps", "ps", "ps"])


class Edge(NamedTuple):
    """The edge servers of an instance, and where they are from.

    The types are those that a job may ask for: those there are at the edge, or if it has none, all.
    """

    servers: list[ServerRecord]
    worker_types: tuple[str, ...]
    ps_types: tuple[str, ...]
    note: str


def draw_edge(
    settings: Settings, streams: list[np.random.Generator], trace: Trace | None = None
) -> Edge:
    """Servers of the scale, with storage if there is a range for it.

    Those of the testbed are all alike: one GPU and two CPU workers, three parameter servers. A
    node of the simulator has a worker for each GPU and a parameter server for each CPU. The
    numbers of types are drawn from their ranges, then a type for each worker and each parameter
    server, uniformly. Without a list, nodes are drawn by the published counts of the openb list,
    with replacement; fewer servers with the same seed are the first of more.

    Parameters
    ----------
    settings : Settings
    streams : list of Generator
        Four: for nodes, for types of workers and of parameter servers, for storage.
    trace : Trace, optional
        Its ``nodes``, if it has them, are the list; each is taken at most once, at random.

    Raises
    ------
    InputError
        If the list is too short.
    """
    count = settings.servers
    if settings.scale == "testbed":
        workers, ps = ([names] * count for names in _TESTBED)
        worker_types, ps_types = (tuple(sorted(set(names))) for names in _TESTBED)
        note = f"{count} machines of the testbed"
    else:
        gpus, cpus, note = _nodes(count, streams[0], trace)
        workers, worker_types = _types("w", gpus, settings.range_of("worker_types"), streams[1])
        ps, ps_types = _types("p", cpus, settings.range_of("ps_types"), streams[2])
    storage: list[float | None] = [None] * count
    if settings.storage_gb is not None:
        storage = np.round(streams[3].uniform(*settings.storage_gb, size=count), 3).tolist()
    servers = [ServerRecord(*parts) for parts in zip(workers, ps, storage, strict=True)]
    return Edge(servers, worker_types, ps_types, note)


def _nodes(
    count: int, rng: np.random.Generator, trace: Trace | None
) -> tuple[np.ndarray, np.ndarray, str]:
    """GPUs and CPUs of each node, and where the nodes are from."""
    if trace is None or "nodes" not in trace.names:
        kinds = rng.choice(len(_NODES), size=count, p=_NODES / _NODES.sum())
        note = "nodes by the published counts of the openb list"
        return _NODE_GPUS[kinds], _NODE_CPUS[kinds], note
    frame = trace.table("nodes").frame
    chosen = some_of(frame, count, "nodes", rng, trace.path)
    gpus, cpus = (np.floor(chosen[name].to_numpy()).astype(np.int64) for name in ("gpus", "cpu"))
    return gpus, cpus, f"servers: {count} of {len(frame)} nodes of the list"


def _types(
    letter: str, counts: np.ndarray, span: tuple[int, int], rng: np.random.Generator
) -> tuple[list[list[str]], tuple[str, ...]]:
    """Types of what each server has, and the types that occur."""
    number = int(rng.integers(*span, endpoint=True))
    width = len(str(number - 1))
    names = [f"{letter}{kind:0{width}}" for kind in range(number)]
    drawn = rng.integers(number, size=int(counts.sum()))
    parts = np.split(drawn, np.cumsum(counts)[:-1])
    present = tuple(names[kind] for kind in np.unique(drawn))
    return [[names[kind] for kind in part] for part in parts], present or tuple(names)
