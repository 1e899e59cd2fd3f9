"""Alibaba's clusters: openb nodes and pods (2023), PAI machines (2020), batch jobs (2018).

Weng et al.: "Beware of Fragmentation" (USENIX ATC 2023) and "MLaaS in the Wild" (NSDI 2022).
Tian et al.: "Characterizing and Synthesizing Task Dependencies of Data-Parallel Jobs in Alibaba
Cloud" (SoCC 2019), of which there is one hour, as the package ``spar`` has it.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.traces.delimited import Column, columns, first_line, read_rows
from benchmarks.traces.table import NEGATIVE, Sieve, Table, Trace
from models.errors import InputError

__all__ = ["read_alibaba_2018", "read_openb_nodes", "read_openb_pods", "read_pai_machines"]

_MIB_PER_GIB = 1024.0
_DEMANDS = columns(
    name="text", cpu_milli="float", memory_mib="float", num_gpu="int", gpu_milli="float"
)
_TIMES = columns(creation_time="float", deletion_time="float?", scheduled_time="float?")
_JOBS_2018 = columns(
    submit_s="float", job="text", task="text", duration_s="float", plan_cpu="float",
    plan_mem="float", instances="int",
)  # fmt: skip


def _file(path: str, default: str) -> Path:
    """The file itself, or the usual one of a folder."""
    return Path(path) / default if Path(path).is_dir() else Path(path)


def read_openb_nodes(path: str) -> Trace:
    """Open an openb node list: a file, or a folder with ``openb_node_list_all_node.csv``.

    Returns
    -------
    Trace
        One table ``nodes``: ``node``, ``cpu`` (vCPU), ``memory_gib``, ``gpus``,
        ``gpu_model`` (empty: no GPU).
    """
    file = _file(path, "openb_node_list_all_node.csv")
    return Trace("openb-nodes", path, {"nodes": partial(_read_nodes, file)})


def _read_nodes(path: Path) -> Table:
    rows = read_rows(path, _machine_columns("sn", "cpu_milli", "memory_mib", "gpu", "model"))
    rows.columns = pd.Index(["node", *_MACHINE])
    rows["cpu"] /= 1000
    rows["memory_gib"] /= _MIB_PER_GIB
    return _machines("nodes", path, rows, "node")


def read_pai_machines(path: str) -> Trace:
    """Open the PAI machine list: a file, or a folder with ``pai_machine_spec.csv``.

    The csv has no header row; its columns are named by the ``.header`` file beside it.

    Returns
    -------
    Trace
        One table ``machines``: ``machine``, ``cpu`` (vCPU), ``memory_gib``, ``gpus``,
        ``gpu_model`` (``CPU``: no GPU).
    """
    file = _file(path, "pai_machine_spec.csv")
    return Trace("pai-machines", path, {"machines": partial(_read_pai, file)})


def _read_pai(path: Path) -> Table:
    columns = _machine_columns("machine", "cap_cpu", "cap_mem", "cap_gpu", "gpu_type")
    header = path.with_name(path.name.removesuffix(".gz")).with_suffix(".header")
    names = first_line(header)
    if missing := [column.name for column in columns if column.name not in names]:
        raise InputError(f"{header}: line 1: no column {', '.join(missing)}")
    rows = read_rows(path, columns, names=names)
    rows.columns = pd.Index(["machine", *_MACHINE])
    return _machines("machines", path, rows, "machine")


_MACHINE = ("cpu", "memory_gib", "gpus", "gpu_model")


def _machine_columns(key: str, cpu: str, memory: str, gpus: str, model: str) -> tuple[Column, ...]:
    """The columns of a list of machines as its file names them: the key, then _MACHINE's."""
    return columns(**{key: "text", cpu: "float", memory: "float", gpus: "int", model: "text"})


def _machines(name: str, path: Path, frame: pd.DataFrame, key: str) -> Table:
    sieve = Sieve(frame)
    sieve.drop(frame[key].duplicated(), f"{key} listed again")
    sieve.drop((sieve.frame[["cpu", "memory_gib"]] <= 0).any(axis=1), "no CPU or no memory")
    sieve.drop(sieve.frame["gpus"] < 0, NEGATIVE)
    return sieve.table(
        name,
        [path],
        sieve.frame.reset_index(drop=True),
        id=key,
        demands=("cpu", "memory_gib", "gpus"),
        groups=("gpu_model", "gpus"),
        facts={"GPUs": int(frame["gpus"].sum())},
    )


def read_openb_pods(path: str) -> Trace:
    """Open an openb pod list: a file, or a folder with ``openb_pod_list_default.csv``.

    Returns
    -------
    Trace
        One table ``pods``: ``pod``, ``cpu`` (vCPU), ``memory_gib``, ``gpus`` (number of
        GPUs x share of each) and, where the list has times, ``submit_s`` (creation, seconds
        since the trace's start) and ``duration_s`` (deletion - scheduling).
    """
    file = _file(path, "openb_pod_list_default.csv")
    return Trace("openb-pods", path, {"pods": partial(_read_pods, file)})


def _read_pods(path: Path) -> Table:
    has_times = "creation_time" in first_line(path)
    rows = read_rows(path, _DEMANDS + _TIMES if has_times else _DEMANDS)
    frame = pd.DataFrame(
        {
            "pod": rows["name"],
            "cpu": rows["cpu_milli"] / 1000,
            "memory_gib": rows["memory_mib"] / _MIB_PER_GIB,
            "gpus": rows["num_gpu"] * rows["gpu_milli"] / 1000,
        }
    )
    shared = (rows["num_gpu"] == 1) & (rows["gpu_milli"] < 1000)
    facts = {"pods that share a GPU": int(shared.sum())}
    if has_times:
        frame["submit_s"] = rows["creation_time"]
        frame["duration_s"] = rows["deletion_time"] - rows["scheduled_time"]
    sieve = Sieve(frame)
    sieve.drop(frame["pod"].duplicated(), "pod listed again")
    sieve.drop((sieve.frame[["cpu", "memory_gib", "gpus"]] < 0).any(axis=1), NEGATIVE)
    if has_times:
        never = rows["scheduled_time"].isna()
        sieve.drop(never[sieve.frame.index], "never scheduled")
        sieve.drop(sieve.frame["duration_s"].isna(), "never deleted")
        sieve.drop(sieve.frame["duration_s"] <= 0, "zero or negative duration")
    kept = sieve.frame
    if has_times:
        kept = kept.sort_values("submit_s", kind="stable")
    return sieve.table(
        "pods",
        [path],
        kept.reset_index(drop=True),
        id="pod",
        arrival="submit_s" if has_times else None,
        demands=("cpu", "memory_gib", "gpus", *(("duration_s",) if has_times else ())),
        groups=("gpus",) if np.unique(kept["gpus"]).size < 20 else (),
        facts=facts,
    )


def read_alibaba_2018(path: str) -> Trace:
    """Open an hour of batch jobs: a file, or a folder with ``spar_sample_tasks.csv.gz``.

    The csv has no header row and one row per task.

    Returns
    -------
    Trace
        One table ``jobs``: ``job``, ``submit_s`` (seconds since the hour began), ``tasks``,
        ``instances`` (of all tasks), ``core_seconds`` (cores x instances x duration, over all
        tasks).
    """
    file = _file(path, "spar_sample_tasks.csv.gz")
    return Trace("alibaba-2018", path, {"jobs": partial(_read_jobs, file)})


def _read_jobs(path: Path) -> Table:
    tasks = read_rows(path, _JOBS_2018, names=[column.name for column in _JOBS_2018])
    sieve = Sieve(tasks)
    amounts = ["submit_s", "duration_s", "plan_cpu", "plan_mem", "instances"]
    sieve.drop((tasks[amounts] < 0).any(axis=1), NEGATIVE)
    kept = sieve.frame
    kept = kept.assign(core_seconds=kept["plan_cpu"] / 100 * kept["instances"] * kept["duration_s"])
    jobs = kept.groupby("job", sort=False).agg(
        submit_s=("submit_s", "min"),
        tasks=("task", "size"),
        instances=("instances", "sum"),
        core_seconds=("core_seconds", "sum"),
    )
    frame = jobs.reset_index().sort_values(["submit_s", "job"], ignore_index=True)
    # A task that is not the first of its job is neither a row of its own nor lost.
    sieve.dropped["a further task of a job"] = len(kept) - len(frame)
    return sieve.table(
        "jobs",
        [path],
        frame,
        id="job",
        arrival="submit_s",
        demands=("tasks", "instances", "core_seconds"),
    )
