"""Google cluster data 2011 (clusterdata-2011-2): jobs, tasks and machines of one cell.

Reiss, Wilkes, Hellerstein: "Google cluster-usage traces: format + schema". Files have no
header row. Times are microseconds; the trace starts at 600 s, time 0 stands for "before
it" and 2^63 - 1 for "after it". Tables are told apart by their number of columns.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.traces.table import NEGATIVE, Loaders, Table, first_line, read_rows
from models.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

_START_US = 600_000_000
_AFTER_US = 2**63 - 1
_SUBMIT, _SCHEDULE, _FINISH, _ADD = 0, 1, 4, 0
_AFTER = "after the trace ends"
_MISSING = "missing info: the record was reconstructed by the publisher"

# All columns of each table; those of kind "" are not read.
_JOBS = {
    "time": "int", "missing_info": "float?", "job_id": "int", "event": "int", "user": "",
    "scheduling_class": "float?", "job_name": "", "logical_job_name": "",
}  # fmt: skip
_TASKS = {
    "time": "int", "missing_info": "float?", "job_id": "int", "task_index": "int",
    "machine_id": "", "event": "int", "user": "", "scheduling_class": "", "priority": "int",
    "cpu": "float?", "memory": "float?", "disk": "float?", "different_machines": "",
}  # fmt: skip
_MACHINES = {
    "time": "int", "machine_id": "int", "event": "int", "platform": "text", "cpu": "float?",
    "memory": "float?",
}  # fmt: skip
_TABLES = {"job_events": _JOBS, "task_events": _TASKS, "machine_events": _MACHINES}


def read_google(path: Path) -> Loaders:
    """Open one file, the parts of one table, or a folder with several tables.

    The latter may hold ``job_submit_events*.csv.gz`` (SUBMIT rows only), ``job_events/``,
    ``task_events/`` and ``machine_events/``. InputError if nothing of the trace is there.
    """
    parts = sorted(path.glob("part-*.csv*")) if path.is_dir() else [path]
    if parts:
        files = {_table_of(parts[0]): parts}
    else:
        files = {"job_submit_events": sorted(path.glob("job_submit_events*.csv*"))}
        files |= {name: sorted((path / name).glob("part-*.csv*")) for name in _TABLES}
    readers = {"task_events": _read_tasks, "machine_events": _read_machines}
    found = {name: readers.get(name, _read_jobs) for name in files if files[name]}
    if not found:
        raise InputError(f"{path}: no file of the Google 2011 trace there")
    return {name: partial(read, files[name]) for name, read in found.items()}


def _table_of(path: Path) -> str:
    if path.name.startswith("job_submit_events"):
        return "job_submit_events"
    width = len(first_line(path))
    names = {len(columns): name for name, columns in _TABLES.items()}
    if width not in names:
        known = ", ".join(f"{name} {count}" for count, name in names.items())
        raise InputError(f"{path}: line 1: {width} fields; the tables have: {known}")
    return names[width]


def _read(files: list[Path], columns: dict[str, str]) -> pd.DataFrame:
    import pandas as pd

    kinds = {name: kind for name, kind in columns.items() if kind}
    frames = [read_rows(file, kinds, names=list(columns)) for file in files]
    return pd.concat(frames, ignore_index=True)


def _read_jobs(files: list[Path]) -> Table:
    """One row per job: ``job_id``, ``scheduling_class``, ``submit_s``, ``duration_s`` or NaN."""
    events = _read(files, _JOBS)
    submits = events["event"] == _SUBMIT
    facts = {
        "SUBMIT events": int(submits.sum()),
        "jobs submitted": int(events.loc[submits, "job_id"].nunique()),
        "FINISH events": int((events["event"] == _FINISH).sum()),
    }
    table = Table(files, events, id="job_id", groups=("scheduling_class",), facts=facts)
    table.drop("not a SUBMIT event (used for durations only)", ~submits)
    table.drop(_MISSING, events["missing_info"].notna())
    table.drop("before the trace starts: arrival unknown", events["time"] < _START_US)
    table.drop(_AFTER, events["time"] == _AFTER_US)
    table.drop("job submitted again", table.frame["job_id"].duplicated())
    kept = table.frame
    duration = kept["job_id"].map(_durations(events)).astype("float64")
    if duration.notna().any():
        table.demands = ("duration_s",)
    frame = kept[["job_id", "scheduling_class"]].assign(
        submit_s=(kept["time"] - _START_US) / 1e6, duration_s=duration
    )
    table.frame = frame.sort_values("submit_s", kind="stable", ignore_index=True)
    return table


def _durations(events: pd.DataFrame) -> pd.Series:
    """Seconds from the last SCHEDULE to FINISH, by job; only jobs that did both in the trace."""
    known = events["time"].between(_START_US, _AFTER_US - 1) & events["missing_info"].isna()
    start, stop = (
        events[known & (events["event"] == event)].groupby("job_id")["time"].max()
        for event in (_SCHEDULE, _FINISH)
    )
    spans = (stop - start) / 1e6
    return spans[spans > 0]


def _read_tasks(files: list[Path]) -> Table:
    """One row per SUBMIT: ``cpu``, ``memory``, ``disk`` as shares of the largest machine."""
    events = _read(files, _TASKS)
    submits = events["event"] == _SUBMIT
    demands = ["cpu", "memory", "disk"]
    facts = {
        "SUBMIT events": int(submits.sum()),
        "SUBMIT events at time 0, arrival unknown": int((submits & (events["time"] == 0)).sum()),
        "jobs": int(events["job_id"].nunique()),
    }
    table = Table(files, events, "job_id", tuple(demands), groups=("priority",), facts=facts)
    table.drop("not a SUBMIT event", ~submits)
    table.drop(_MISSING, events["missing_info"].notna())
    table.drop(_AFTER, events["time"] == _AFTER_US)
    table.drop("no CPU or memory request", events[["cpu", "memory"]].isna().any(axis=1))
    table.drop(NEGATIVE, (events[demands] < 0).any(axis=1))
    kept = table.frame.reset_index(drop=True)
    # The state at time 0 says what tasks ask for, though not when they arrived.
    arrival = (kept["time"] - _START_US) / 1e6
    columns = ["job_id", "task_index", "priority", *demands]
    table.frame = kept[columns].assign(submit_s=arrival.where(arrival >= 0))
    return table


def _read_machines(files: list[Path]) -> Table:
    """One row per machine of the cell at time 0."""
    events = _read(files, _MACHINES)
    capacities = ["cpu", "memory"]  # shares of the largest machine's
    at_start = (events["time"] == 0) & (events["event"] == _ADD)
    unknown = events[capacities].isna().any(axis=1)
    facts = {
        "machines": int(events["machine_id"].nunique()),
        "machines at time 0": int(at_start.sum()),
        "rows without capacities": int(unknown.sum()),
    }
    shown = tuple(capacities)
    table = Table(files, events, "machine_id", demands=shown, groups=shown, facts=facts)
    table.drop("added, removed or changed after time 0", ~at_start)
    table.drop("no capacities", unknown)
    table.drop(NEGATIVE, (events[capacities] < 0).any(axis=1))
    columns = ["machine_id", "platform", *capacities]
    table.frame = table.frame[columns].reset_index(drop=True)
    return table
