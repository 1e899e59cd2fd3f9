"""Alibaba's batch jobs of 2018 (one hour, as the package ``spar`` has it), and all lists at once.

Tian et al.: "Characterizing and Synthesizing Task Dependencies of Data-Parallel Jobs in Alibaba
Cloud" (SoCC 2019).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from benchmarks.traces.alibaba import read_openb_pods, read_pai_machines
from benchmarks.traces.delimited import Column, read_rows
from benchmarks.traces.table import NEGATIVE, Sieve, Table, Trace
from models.errors import InputError

__all__ = ["read_alibaba", "read_alibaba_2018"]

_COLUMNS = (
    Column("submit_s", "float"),
    Column("job", "text"),
    Column("task", "text"),
    Column("duration_s", "float"),
    Column("plan_cpu", "float"),
    Column("plan_mem", "float"),
    Column("instances", "int"),
)
_HOUR = "spar_sample_tasks.csv.gz"


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
    file = Path(path) / _HOUR if Path(path).is_dir() else Path(path)
    return Trace("alibaba-2018", path, {"jobs": partial(_read_jobs, file)})


def _read_jobs(path: Path) -> Table:
    tasks = read_rows(path, _COLUMNS, names=[column.name for column in _COLUMNS])
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
    loaders = {}
    for table, folder, read in _PARTS:
        part = Path(path) / folder
        if not part.is_dir():
            raise InputError(f"{path}: no folder '{folder}' in it")
        loaders[table] = read(str(part)).loaders[table]
    return Trace("alibaba", path, loaders)


_PARTS = (
    ("machines", "alibaba-gpu-v2020", read_pai_machines),
    ("pods", "alibaba-gpu-v2023", read_openb_pods),
    ("jobs", "alibaba-v2018", read_alibaba_2018),
)
