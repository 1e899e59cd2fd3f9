"""A table of one's own, ``csv:PATH``: when jobs were submitted, how long they ran, on how much.

docs/instances.md says which columns there are, and what each problem takes from them.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.traces.table import NO_GPU, ZERO_DURATION, Table, first_line, read_rows
from models.errors import InputError

__all__ = ["read_own"]

_REQUIRED = {"submit_s": "float", "duration_s": "float"}
_SIZES = ("gpus", "workers")
_OPTIONAL = {"job": "text", "work_s": "float", "weight": "float"}
_HOUR_S = 3600.0


def read_own(path: Path) -> Table:
    """Read the jobs of a file whose first line names its columns; others than these are ignored.

    ``submit_s``: seconds, from any time on; ``duration_s``: seconds; ``gpus`` or ``workers``: how
    many, whole; if they are there, ``job``: its name, ``work_s``: seconds of work over all workers
    (else workers times duration), ``weight``: how much it counts.

    The table has ``job``, ``submit_s`` (from the full hour before the first submission),
    ``duration_s``, ``gpus``, ``gpu_seconds``, ``core_seconds`` (the work, both), and ``weight`` if
    the file has it.

    Raises
    ------
    InputError
        If a column is missing, the file says both how many GPUs and how many workers, or a line
        cannot be read.
    """
    header = first_line(path)
    sizes = [name for name in _SIZES if name in header]
    if len(sizes) != 1:
        found = "both" if sizes else "neither"
        raise InputError(f"{path}: line 1: want a column gpus or workers, there are {found}")
    more = {name: kind for name, kind in _OPTIONAL.items() if name in header}
    frame = read_rows(path, {**_REQUIRED, sizes[0]: "int", **more})
    frame = frame.rename(columns={sizes[0]: "gpus"})
    if "job" not in frame:
        frame["job"] = [f"row-{line}" for line in range(2, len(frame) + 2)]
    work = frame.pop("work_s") if "work_s" in frame else frame["duration_s"] * frame["gpus"]
    frame = frame.assign(gpu_seconds=work, core_seconds=work)
    shown = ("duration_s", "gpus", "gpu_seconds", *(["weight"] if "weight" in frame else []))
    table = Table([path], frame, "job", demands=shown, groups=("gpus",))
    table.drop(ZERO_DURATION, frame["duration_s"] <= 0)
    table.drop(NO_GPU, frame["gpus"] < 1)
    table.drop("zero or negative work", work <= 0)
    if "weight" in frame:
        table.drop("zero or negative weight", frame["weight"] <= 0)
    kept = table.frame.sort_values("submit_s", kind="stable", ignore_index=True)
    first_hour = kept["submit_s"].min() // _HOUR_S
    table.frame = kept.assign(submit_s=kept["submit_s"] - first_hour * _HOUR_S)
    return table
