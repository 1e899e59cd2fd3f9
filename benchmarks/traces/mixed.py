"""Several traces at once, as the experiments of two papers mix them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.traces.alibaba import (
    read_alibaba_2018,
    read_openb_nodes,
    read_openb_pods,
    read_pai_machines,
)
from benchmarks.traces.philly import read_philly
from benchmarks.traces.table import Table, Trace
from models.errors import InputError

__all__ = ["read_alibaba", "read_edge_cloud"]


def read_alibaba(path: str) -> Trace:
    """Open Alibaba's lists together: what the OGASched paper mixes.

    Parameters
    ----------
    path : str
        Folder that holds ``alibaba-gpu-v2020`` (machines), ``alibaba-gpu-v2023`` (pods) and
        ``alibaba-v2018`` (an hour of jobs).

    Returns
    -------
    Trace
        Tables ``machines``, ``pods`` and ``jobs``, as the readers of each describe them.

    Raises
    ------
    InputError
        If a folder is missing.
    """
    folders = ("alibaba-gpu-v2020", "alibaba-gpu-v2023", "alibaba-v2018")
    for folder in folders:
        if not (Path(path) / folder).is_dir():
            raise InputError(f"{path}: no folder '{folder}' in it")
    machines, pods, hour = (str(Path(path) / folder) for folder in folders)
    parts = (read_pai_machines(machines), read_openb_pods(pods), read_alibaba_2018(hour))
    return Trace(
        "alibaba", path, {name: part.loaders[name] for part in parts for name in part.names}
    )


def read_edge_cloud(path: str) -> Trace:
    """Open Philly's jobs, an hour of Alibaba's arrivals (2018) and the openb nodes together.

    Parameters
    ----------
    path : str
        Folder that holds ``philly/philly.csv.gz``, ``alibaba-v2018`` and ``alibaba-gpu-v2023``.

    Returns
    -------
    Trace
        Tables ``jobs`` (of Philly), ``arrivals`` (Alibaba's ``jobs``) and ``nodes``, as the
        readers of each describe them.

    Raises
    ------
    InputError
        If one is missing.
    """
    parts = ("philly/philly.csv.gz", "alibaba-v2018", "alibaba-gpu-v2023")
    for part in parts:
        if not (Path(path) / part).exists():
            raise InputError(f"{path}: no '{part}' in it")
    philly, hour, nodes = (str(Path(path) / part) for part in parts)
    loaders: dict[str, Callable[[], Table]] = {
        "jobs": read_philly(philly).loaders["jobs"],
        "arrivals": partial(_arrivals, read_alibaba_2018(hour)),
        "nodes": read_openb_nodes(nodes).loaders["nodes"],
    }
    return Trace("edge-cloud", path, loaders)


def _arrivals(hour: Trace) -> Table:
    return replace(hour.table("jobs"), name="arrivals")
