"""Google cluster data 2011 (clusterdata-2011-2): jobs, tasks and machines of one cell.

Reiss, Wilkes, Hellerstein: "Google cluster-usage traces: format + schema". Files have no
header row. Times are microseconds; the trace starts at 600 s, time 0 stands for "before
it" and 2^63 - 1 for "after it". Tables are told apart by their number of columns.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.traces.delimited import Column, columns, first_line, read_rows
from benchmarks.traces.table import NEGATIVE, Sieve, Table, Trace
from models.errors import InputError

__all__ = ["read_google"]

_START_US = 600_000_000
_AFTER_US = 2**63 - 1
_SUBMIT, _SCHEDULE, _FINISH, _ADD = 0, 1, 4, 0
_BEFORE = "before the trace starts: arrival unknown"
_AFTER = "after the trace ends"
_MISSING = "missing info: the record was reconstructed by the publisher"

_JOB = (
    "time", "missing_info", "job_id", "event", "user", "scheduling_class", "job_name",
    "logical_job_name",
)  # fmt: skip
_TASK = (
    "time", "missing_info", "job_id", "task_index", "machine_id", "event", "user",
    "scheduling_class", "priority", "cpu", "memory", "disk", "different_machines",
)  # fmt: skip
_MACHINE = ("time", "machine_id", "event", "platform", "cpu", "memory")
_OF_JOBS = columns(
    time="int", missing_info="float?", job_id="int", event="int", scheduling_class="float?"
)
_OF_TASKS = columns(
    time="int", missing_info="float?", job_id="int", task_index="int", event="int",
    priority="int", cpu="float?", memory="float?", disk="float?",
)  # fmt: skip
_OF_MACHINES = columns(
    time="int", machine_id="int", event="int", platform="text", cpu="float?", memory="float?"
)
_TABLE_OF_WIDTH = {len(_JOB): "job_events", len(_TASK): "task_events", 6: "machine_events"}


def read_google(path: str) -> Trace:
    """Open the trace.

    Parameters
    ----------
    path : str
        A folder with any of ``job_submit_events*.csv.gz`` (SUBMIT rows only),
        ``job_events/``, ``task_events/`` and ``machine_events/``; one of those folders; or
        one file of them.

    Returns
    -------
    Trace
        Tables ``job_submit_events``, ``job_events`` (one row per job: ``job_id``,
        ``scheduling_class``, ``submit_s`` since the start, ``duration_s`` from the last
        SCHEDULE to FINISH), ``task_events`` (one row per SUBMIT: ``cpu``, ``memory``,
        ``disk`` as shares of the largest machine) and ``machine_events`` (one row per
        machine of the cell at time 0).

    Raises
    ------
    InputError
        If nothing of the trace is there.
    """
    found = _find(Path(path))
    if not found:
        raise InputError(f"{path}: no file of the Google 2011 trace there")
    readers = {"task_events": _read_tasks, "machine_events": _read_machines}
    loaders = {name: partial(readers.get(name, _read_jobs), name, f) for name, f in found.items()}
    return Trace("google", path, loaders)


def _find(path: Path) -> dict[str, list[Path]]:
    """Files by table."""
    if not path.is_dir():
        return {_table_of(path): [path]}
    if parts := sorted(path.glob("part-*.csv*")):
        return {_table_of(parts[0]): parts}
    found = {"job_submit_events": sorted(path.glob("job_submit_events*.csv*"))}
    for name in _TABLE_OF_WIDTH.values():
        found[name] = sorted((path / name).glob("part-*.csv*"))
    return {name: files for name, files in found.items() if files}


def _table_of(path: Path) -> str:
    if path.name.startswith("job_submit_events"):
        return "job_submit_events"
    width = len(first_line(path))
    if width not in _TABLE_OF_WIDTH:
        known = ", ".join(f"{name} {count}" for count, name in _TABLE_OF_WIDTH.items())
        raise InputError(f"{path}: line 1: {width} fields; the tables have: {known}")
    return _TABLE_OF_WIDTH[width]


def _read(files: list[Path], names: tuple[str, ...], columns: tuple[Column, ...]) -> pd.DataFrame:
    return pd.concat([read_rows(file, columns, names=names) for file in files], ignore_index=True)


def _seconds(time_us: pd.Series) -> np.ndarray:
    """Seconds since the trace's start."""
    return (time_us.to_numpy() - _START_US) / 1e6


def _read_jobs(name: str, files: list[Path]) -> Table:
    events = _read(files, _JOB, _OF_JOBS)
    submits = events["event"] == _SUBMIT
    facts = {
        "SUBMIT events": int(submits.sum()),
        "jobs submitted": int(events.loc[submits, "job_id"].nunique()),
        "FINISH events": int((events["event"] == _FINISH).sum()),
    }
    sieve = Sieve(events)
    sieve.drop(events["event"] != _SUBMIT, "not a SUBMIT event (used for durations only)")
    sieve.drop(sieve.frame["missing_info"].notna(), _MISSING)
    sieve.drop(sieve.frame["time"] < _START_US, _BEFORE)
    sieve.drop(sieve.frame["time"] == _AFTER_US, _AFTER)
    sieve.drop(sieve.frame["job_id"].duplicated(), "job submitted again")
    kept = sieve.frame
    frame = pd.DataFrame(
        {
            "job_id": kept["job_id"],
            "scheduling_class": kept["scheduling_class"],
            "submit_s": _seconds(kept["time"]),
            "duration_s": kept["job_id"].map(_durations(events)).astype("float64"),
        }
    ).sort_values("submit_s", kind="stable", ignore_index=True)
    return sieve.table(
        name,
        files,
        frame,
        id="job_id",
        arrival="submit_s",
        demands=("duration_s",) if frame["duration_s"].notna().any() else (),
        groups=("scheduling_class",),
        facts=facts,
    )


def _durations(events: pd.DataFrame) -> pd.Series:
    """Seconds from the last SCHEDULE to FINISH, by job; only jobs that did both in the trace."""
    inside = events[
        (events["time"] >= _START_US) & (events["time"] < _AFTER_US) & events["missing_info"].isna()
    ]
    start = inside[inside["event"] == _SCHEDULE].groupby("job_id")["time"].max()
    stop = inside[inside["event"] == _FINISH].groupby("job_id")["time"].max()
    spans = ((stop - start) / 1e6).dropna()
    return spans[spans > 0]


def _read_tasks(name: str, files: list[Path]) -> Table:
    events = _read(files, _TASK, _OF_TASKS)
    submits = events["event"] == _SUBMIT
    facts = {
        "SUBMIT events": int(submits.sum()),
        "SUBMIT events at time 0, arrival unknown": int((submits & (events["time"] == 0)).sum()),
        "jobs": int(events["job_id"].nunique()),
    }
    sieve = Sieve(events)
    sieve.drop(events["event"] != _SUBMIT, "not a SUBMIT event")
    sieve.drop(sieve.frame["missing_info"].notna(), _MISSING)
    sieve.drop(sieve.frame["time"] == _AFTER_US, _AFTER)
    sieve.drop(sieve.frame[["cpu", "memory"]].isna().any(axis=1), "no CPU or memory request")
    sieve.drop((sieve.frame[["cpu", "memory", "disk"]] < 0).any(axis=1), NEGATIVE)
    frame = sieve.frame.reset_index(drop=True)
    # The state at time 0 says what tasks ask for, though not when they arrived.
    arrival = np.where(frame["time"] < _START_US, np.nan, _seconds(frame["time"]))
    return sieve.table(
        name,
        files,
        frame[["job_id", "task_index", "priority", "cpu", "memory", "disk"]].assign(
            submit_s=arrival
        ),
        id="job_id",
        arrival="submit_s",
        demands=("cpu", "memory", "disk"),
        groups=("priority",),
        facts=facts,
    )


def _read_machines(name: str, files: list[Path]) -> Table:
    events = _read(files, _MACHINE, _OF_MACHINES)
    at_start = (events["time"] == 0) & (events["event"] == _ADD)
    facts = {
        "machines": int(events["machine_id"].nunique()),
        "machines at time 0": int(at_start.sum()),
        "rows without capacities": int(events[["cpu", "memory"]].isna().any(axis=1).sum()),
    }
    sieve = Sieve(events)
    sieve.drop(~at_start, "added, removed or changed after time 0")
    sieve.drop(sieve.frame[["cpu", "memory"]].isna().any(axis=1), "no capacities")
    sieve.drop((sieve.frame[["cpu", "memory"]] < 0).any(axis=1), NEGATIVE)
    frame = sieve.frame[["machine_id", "platform", "cpu", "memory"]].reset_index(drop=True)
    return sieve.table(
        name,
        files,
        frame,
        id="machine_id",
        demands=("cpu", "memory"),
        groups=("cpu", "memory"),
        facts=facts,
    )
