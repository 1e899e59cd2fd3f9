"""Alibaba's clusters: openb nodes and pods (2023), PAI machines (2020), batch jobs (2018).

Weng et al.: "Beware of Fragmentation" (USENIX ATC 2023) and "MLaaS in the Wild" (NSDI 2022).
Tian et al.: "Characterizing and Synthesizing Task Dependencies of Data-Parallel Jobs in Alibaba
Cloud" (SoCC 2019), of which there is one hour, as the package ``spar`` has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.traces.table import NEGATIVE, Table, first_line, read_rows
from models.errors import InputError

_MIB_PER_GIB = 1024.0
_PODS = {
    "name": "text", "cpu_milli": "float", "memory_mib": "float", "num_gpu": "int",
    "gpu_milli": "float",
}  # fmt: skip
_TIMES = {"creation_time": "float", "deletion_time": "float?", "scheduled_time": "float?"}
_JOBS_2018 = {
    "submit_s": "float", "job": "text", "task": "text", "duration_s": "float",
    "plan_cpu": "float", "plan_mem": "float", "instances": "int",
}  # fmt: skip


def read_openb_nodes(path: Path) -> Table:
    """Columns ``node``, ``cpu`` (vCPU), ``memory_gib``, ``gpus``, ``gpu_model`` (empty: no GPU)."""
    columns = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
    return _machines(path, "node", columns, units=(1000.0, _MIB_PER_GIB))


def read_pai_machines(path: Path) -> Table:
    """Columns ``machine``, ``cpu`` (vCPU), ``memory_gib``, ``gpus``, ``gpu_model`` (or ``CPU``).

    The csv has no header row; its columns are named by the ``.header`` file beside it.
    """
    columns = ("machine", "cap_cpu", "cap_mem", "cap_gpu", "gpu_type")
    header = path.with_name(path.name.removesuffix(".gz")).with_suffix(".header")
    names = first_line(header)
    if missing := [column for column in columns if column not in names]:
        raise InputError(f"{header}: line 1: no column {', '.join(missing)}")
    return _machines(path, "machine", columns, names)


def _machines(
    path: Path,
    key: str,
    columns: Sequence[str],
    names: Sequence[str] | None = None,
    units: tuple[float, float] = (1.0, 1.0),
) -> Table:
    """Machines by the file's columns of name, CPU and memory (in those units), GPUs and model."""
    kinds = ("text", "float", "float", "int", "text")
    rows = read_rows(path, dict(zip(columns, kinds, strict=True)), names)
    rows = rows.set_axis([key, "cpu", "memory_gib", "gpus", "gpu_model"], axis=1)
    rows[["cpu", "memory_gib"]] /= list(units)
    demands, facts = ("cpu", "memory_gib", "gpus"), {"GPUs": int(rows["gpus"].sum())}
    table = Table([path], rows, key, demands, groups=("gpu_model", "gpus"), facts=facts)
    table.drop(f"{key} listed again", rows[key].duplicated())
    table.drop("no CPU or no memory", (rows[["cpu", "memory_gib"]] <= 0).any(axis=1))
    table.drop(NEGATIVE, rows["gpus"] < 0)
    table.frame = table.frame.reset_index(drop=True)
    return table


def read_openb_pods(path: Path) -> Table:
    """Columns ``pod``, ``cpu`` (vCPU), ``memory_gib``, ``gpus`` (number x share of each).

    Where the list has times, also ``submit_s`` (creation) and ``duration_s`` (deletion -
    scheduling), both in seconds.
    """
    import pandas as pd

    timed = "creation_time" in first_line(path)
    rows = read_rows(path, _PODS | _TIMES if timed else _PODS)
    frame = pd.DataFrame(
        {
            "pod": rows["name"],
            "cpu": rows["cpu_milli"] / 1000,
            "memory_gib": rows["memory_mib"] / _MIB_PER_GIB,
            "gpus": rows["num_gpu"] * rows["gpu_milli"] / 1000,
        }
    )
    if timed:
        frame["submit_s"] = rows["creation_time"]
        frame["duration_s"] = rows["deletion_time"] - rows["scheduled_time"]
    demands = ["cpu", "memory_gib", "gpus"]
    shared = (rows["num_gpu"] == 1) & (rows["gpu_milli"] < 1000)
    facts = {"pods that share a GPU": int(shared.sum())}
    table = Table([path], frame, "pod", tuple(demands), facts=facts)
    table.drop("pod listed again", frame["pod"].duplicated())
    table.drop(NEGATIVE, (frame[demands] < 0).any(axis=1))
    if timed:
        table.drop("never scheduled", rows["scheduled_time"].isna())
        table.drop("never deleted", frame["duration_s"].isna())
        table.drop("zero or negative duration", frame["duration_s"] <= 0)
        table.frame = table.frame.sort_values("submit_s", kind="stable")
        table.demands = (*demands, "duration_s")
    table.frame = table.frame.reset_index(drop=True)
    if table.frame["gpus"].nunique() < 20:
        table.groups = ("gpus",)
    return table


def read_alibaba_2018(path: Path) -> Table:
    """Columns ``job``, ``submit_s`` (of the hour), ``tasks``, ``instances``, ``core_seconds``.

    The csv has no header row, and a row per task; instances and core-seconds (cores x instances x
    duration) are those of all tasks.
    """
    tasks = read_rows(path, _JOBS_2018, names=list(_JOBS_2018))
    table = Table([path], tasks, "job", demands=("tasks", "instances", "core_seconds"))
    amounts = ["submit_s", "duration_s", "plan_cpu", "plan_mem", "instances"]
    table.drop(NEGATIVE, (tasks[amounts] < 0).any(axis=1))
    kept = table.frame
    kept = kept.assign(core_seconds=kept["plan_cpu"] / 100 * kept["instances"] * kept["duration_s"])
    jobs = kept.groupby("job", sort=False).agg(
        submit_s=("submit_s", "min"),
        tasks=("task", "size"),
        instances=("instances", "sum"),
        core_seconds=("core_seconds", "sum"),
    )
    table.frame = jobs.reset_index().sort_values(["submit_s", "job"], ignore_index=True)
    # A task that is not the first of its job is neither a row of its own nor lost.
    table.dropped["a further task of a job"] = len(kept) - len(jobs)
    return table
