"""Edge servers: those of the simulator, by a list of nodes or drawn, and those of the testbed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.jct.settings import Settings
from benchmarks.traces import Table
from models.errors import InputError
from models.jct.files import ServerRecord

__all__ = ["Edge", "draw_edge", "testbed_edge"]

# Nodes of the Alibaba openb list (GPU trace of 2023): how many, GPUs, vCPUs.
_NODES = np.array(
    [
        (162, 0, 32),
        (34, 0, 64),
        (90, 0, 96),
        (24, 0, 104),
        (22, 1, 8),
        (2, 1, 128),
        (2, 2, 8),
        (107, 2, 16),
        (22, 2, 64),
        (387, 2, 104),
        (28, 4, 32),
        (9, 4, 48),
        (17, 4, 96),
        (7, 8, 64),
        (1, 8, 82),
        (570, 8, 96),
        (39, 8, 128),
    ],
    dtype=np.int64,
)
# A machine of the testbed has 1 GPU, 12 cores and 16 GB; a worker takes the GPU and 3 GB, or 3
# cores and 2 GB, a parameter server 2 cores and 3 GB. The paper does not say how many of each:
# 1 + 2 + 3 take the machine up to the last core (2 x 3 + 3 x 2) and GB (3 + 2 x 2 + 3 x 3).
_TESTBED = (["gpu", "cpu", "cpu"], ["ps", "ps", "ps"])


@dataclass(frozen=True)
class Edge:
    """The edge servers of an instance.

    Parameters
    ----------
    servers : list of list of str, for workers and parameter servers
        Types of each server's workers, and of its parameter servers.
    worker_types, ps_types : tuple of str
        Types that a job may ask for: those there are at the edge, or if it has none, all.
    note : str
        Where the servers are from.
    """

    servers: list[tuple[list[str], list[str]]]
    worker_types: tuple[str, ...]
    ps_types: tuple[str, ...]
    note: str

    @property
    def workers(self) -> int:
        """Number of workers."""
        return sum(len(workers) for workers, _ in self.servers)

    def records(self, settings: Settings, rng: np.random.Generator) -> list[ServerRecord]:
        """The servers as a file has them, with storage if there is a range for it."""
        storage: list[float | None] = [None] * len(self.servers)
        if settings.storage_gb is not None:
            drawn = rng.uniform(*settings.storage_gb, size=len(self.servers))
            storage = [float(gb) for gb in np.round(drawn, 3)]
        return [
            ServerRecord(workers=workers, ps=ps, storage_gb=gb)
            for (workers, ps), gb in zip(self.servers, storage, strict=True)
        ]


def testbed_edge(settings: Settings) -> Edge:
    """Machines of the testbed, all alike: one GPU and two CPU workers, three parameter servers."""
    servers = [(list(_TESTBED[0]), list(_TESTBED[1])) for _ in range(settings.servers)]
    note = f"{settings.servers} machines of the testbed"
    return Edge(servers, ("cpu", "gpu"), ("ps",), note)


def draw_edge(
    settings: Settings,
    streams: list[np.random.Generator],
    nodes: Table | None = None,
    path: str = "",
) -> Edge:
    """Servers of the simulator: a worker for each GPU, a parameter server for each CPU of a node.

    The numbers of types are drawn from their ranges, then a type for each worker and each
    parameter server, uniformly. Without a list, nodes are drawn by the published counts of the
    openb list, with replacement; fewer servers with the same seed are the first of more.

    Parameters
    ----------
    settings : Settings
    streams : list of Generator
        Three: for nodes, for types of workers, for types of parameter servers.
    nodes : Table, optional
        With columns ``gpus`` and ``cpu``; each node is taken at most once, at random.
    path : str
        Of the list, for errors.

    Raises
    ------
    InputError
        If the list is too short.
    """
    count = settings.servers
    if nodes is None:
        share = _NODES[:, 0] / _NODES[:, 0].sum()
        gpus, cpus = _NODES[streams[0].choice(len(_NODES), size=count, p=share), 1:].T
        note = "nodes by the published counts of the openb list"
    else:
        frame = nodes.frame
        if len(frame) < count:
            raise InputError(f"{path}: {len(frame)} nodes, fewer than the {count} asked for")
        chosen = np.sort(streams[0].choice(len(frame), size=count, replace=False))
        gpus = frame["gpus"].to_numpy(dtype=np.int64)[chosen]
        cpus = np.floor(frame["cpu"].to_numpy()[chosen]).astype(np.int64)
        note = f"servers: {count} of {len(frame)} nodes of the list"
    workers, worker_types = _types("w", gpus, settings.types[0], streams[1])
    ps, ps_types = _types("p", cpus, settings.types[1], streams[2])
    return Edge(list(zip(workers, ps, strict=True)), worker_types, ps_types, note)


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
