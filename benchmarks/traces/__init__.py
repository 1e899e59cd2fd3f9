"""Readers of public cluster traces: ``read_trace("KIND:PATH")``.

| kind | what | PATH |
|---|---|---|
| ``google`` | Google 2011: jobs, tasks, machines | folder or file |
| ``philly`` | Microsoft Philly jobs | csv or the original JSON, or its folder |
| ``csv`` | jobs of one's own (``benchmarks.traces.own``) | csv |
| ``openb-nodes``, ``openb-pods`` | Alibaba openb (GPU trace 2023) | csv, or its folder |
| ``pai-machines`` | Alibaba PAI machine list (GPU trace 2020) | csv, or its folder |
| ``alibaba-2018`` | an hour of Alibaba's batch jobs (2018) | csv, or its folder |
| ``alibaba`` | machines, pods and jobs of the three Alibaba traces | the folder of their folders |
| ``edge-cloud`` | Philly, Alibaba 2018 and openb nodes at once | the folder of their folders |
| ``gavel`` | speeds of models per GPU type | json, or its folder |
| ``gpu-cluster`` | Philly, openb nodes and Gavel at once | the folder of their folders |
| ``google-philly`` | Google 2011, Philly, openb nodes at once | the folder of their folders |

A row that cannot be read is an error; a row that can but is of no use is dropped and
counted by reason. A new kind is one module and one line in ``KINDS``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.traces import alibaba
from benchmarks.traces.gavel import read_gavel
from benchmarks.traces.google import read_google
from benchmarks.traces.own import read_own
from benchmarks.traces.philly import read_philly
from benchmarks.traces.table import Loaders, Table, Trace
from models.errors import InputError

__all__ = ["KINDS", "Table", "Trace", "read_trace"]


def _one(name: str, read: Callable[[Path], Table], *usual: str) -> Callable[[Path], Loaders]:
    """A trace of one table: the file itself, or of a folder the first of the usual ones there."""

    def find(path: Path) -> Loaders:
        files = [path / file for file in usual] if path.is_dir() else []
        there = (file for file in files if file.exists())
        return {name: partial(read, next(there, files[0] if files else path))}

    return find


def _parts(path: Path, *names: str, what: str = "") -> list[Path]:
    for name in names:
        if not (path / name).exists():
            raise InputError(f"{path}: no {what}'{name}' in it")
    return [path / name for name in names]


def _alibaba(path: Path) -> Loaders:
    """Tables ``machines``, ``pods`` and ``jobs`` of 2020, 2023 and 2018: OGASched mixes them."""
    names = ("alibaba-gpu-v2020", "alibaba-gpu-v2023", "alibaba-v2018")
    machines, pods, hour = _parts(path, *names, what="folder ")
    jobs = KINDS["alibaba-2018"](hour)
    return {**KINDS["pai-machines"](machines), **KINDS["openb-pods"](pods), **jobs}


def _edge_cloud(path: Path) -> Loaders:
    """Tables ``jobs`` of Philly, ``arrivals`` (jobs of Alibaba 2018) and ``nodes`` of openb."""
    names = ("philly/philly.csv.gz", "alibaba-v2018", "alibaba-gpu-v2023")
    jobs, hour, nodes = _parts(path, *names)
    arrivals = {"arrivals": KINDS["alibaba-2018"](hour)["jobs"]}
    return {**KINDS["philly"](jobs), **arrivals, **KINDS["openb-nodes"](nodes)}


def _gpu_cluster(path: Path) -> Loaders:
    """Tables ``jobs`` of Philly, ``nodes`` of openb and ``speeds`` of Gavel."""
    jobs, nodes, speeds = _parts(path, "philly/philly.csv.gz", "alibaba-gpu-v2023", "gavel")
    return {**KINDS["philly"](jobs), **KINDS["openb-nodes"](nodes), **KINDS["gavel"](speeds)}


def _google_philly(path: Path) -> Loaders:
    """Tables of Google 2011, ``jobs`` of Philly and ``nodes`` of openb."""
    names = ("google-2011", "philly/philly.csv.gz", "alibaba-gpu-v2023")
    arrivals, jobs, nodes = _parts(path, *names)
    return {**read_google(arrivals), **KINDS["philly"](jobs), **KINDS["openb-nodes"](nodes)}


_PHILLY = ("philly.csv.gz", "philly.csv", "cluster_job_log", "cluster_job_log.gz")

KINDS: dict[str, Callable[[Path], Loaders]] = {
    "google": read_google,
    "philly": _one("jobs", read_philly, *_PHILLY),
    "csv": _one("jobs", read_own),
    "openb-nodes": _one("nodes", alibaba.read_openb_nodes, "openb_node_list_all_node.csv"),
    "openb-pods": _one("pods", alibaba.read_openb_pods, "openb_pod_list_default.csv"),
    "pai-machines": _one("machines", alibaba.read_pai_machines, "pai_machine_spec.csv"),
    "alibaba-2018": _one("jobs", alibaba.read_alibaba_2018, "spar_sample_tasks.csv.gz"),
    "alibaba": _alibaba,
    "edge-cloud": _edge_cloud,
    "gavel": _one("speeds", read_gavel, "simulation_throughputs.json.gz"),
    "gpu-cluster": _gpu_cluster,
    "google-philly": _google_philly,
}


def read_trace(spec: str) -> Trace:
    """Open a trace named ``KIND:PATH``; its tables are read when they are first asked for.

    InputError if the kind is unknown or nothing of it is at the path.
    """
    kind, colon, path = spec.partition(":")
    if not colon or kind not in KINDS:
        raise InputError(f"trace '{spec}': want KIND:PATH, with KIND one of {', '.join(KINDS)}")
    if not Path(path).exists():
        raise InputError(f"trace '{spec}': no file or folder '{path}'")
    return Trace(kind, path, KINDS[kind](Path(path)))
