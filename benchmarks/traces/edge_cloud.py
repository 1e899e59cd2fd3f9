"""Jobs, arrivals and nodes of three traces at once: what the edge-cloud experiments mix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks.traces.alibaba import read_openb_nodes
from benchmarks.traces.alibaba_jobs import read_alibaba_2018
from benchmarks.traces.philly import read_philly
from benchmarks.traces.table import Table, Trace
from models.errors import InputError

__all__ = ["read_edge_cloud"]


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
    for part in _PARTS:
        if not (Path(path) / part).exists():
            raise InputError(f"{path}: no '{part}' in it")
    philly, hour, nodes = (str(Path(path) / part) for part in _PARTS)
    return Trace(
        "edge-cloud",
        path,
        {
            "jobs": read_philly(philly).loaders["jobs"],
            "arrivals": _renamed(read_alibaba_2018(hour).loaders["jobs"], "arrivals"),
            "nodes": read_openb_nodes(nodes).loaders["nodes"],
        },
    )


def _renamed(load: Callable[[], Table], name: str) -> Callable[[], Table]:
    return lambda: replace(load(), name=name)


_PARTS = ("philly/philly.csv.gz", "alibaba-v2018", "alibaba-gpu-v2023")
