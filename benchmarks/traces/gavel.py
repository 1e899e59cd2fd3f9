"""Gavel: how fast models train on three types of GPUs, as measured.

Narayanan et al.: "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads",
OSDI 2020; the file is ``scheduler/simulation_throughputs.json`` of its repository.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from benchmarks.traces.table import NEGATIVE, Table
from models.errors import InputError
from models.files import read_bytes

__all__ = ["GPUS", "read_gavel"]

GPUS = ("k80", "p100", "v100")
"""Types of GPUs, which are columns of the table."""

_ALONE = "null"  # the key of a job's speed when it shares its GPUs with no other
_JOB = re.compile(r"\('(.+)', (\d{1,9})\)")

_File = dict[str, dict[str, dict[str, float | list[float]]]]


def read_gavel(path: Path) -> Table:
    """Columns ``job`` (model and batch size), ``gpus``, and iterations per second by GPU type.

    A row is a model on so many GPUs of one server, alone on them; speeds of GPUs on several
    servers, and of two jobs that share a GPU, are left out.

    Raises
    ------
    InputError
        If the file cannot be read, or has no speeds of a GPU type.
    """
    import pandas as pd

    try:
        file = msgspec.json.decode(read_bytes(path), type=_File)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}") from None
    for gpu in GPUS:
        if gpu not in file:
            raise InputError(f"{path}: no speeds on '{gpu}'")
    rows = [(*_split(path, name), *_speeds(file, name)) for name in file[GPUS[0]]]
    frame = pd.DataFrame(rows, columns=["job", "gpus", *GPUS])
    facts = {f"jobs on {gpu}": len(speeds) for gpu, speeds in file.items()}
    table = Table([path], frame, "job", demands=GPUS, groups=("gpus",), facts=facts)
    table.drop("not measured on every type of GPU", frame[[*GPUS]].isna().any(axis=1))
    table.drop(NEGATIVE, (frame[[*GPUS]] < 0).any(axis=1))
    table.drop("does not run on every type of GPU", (frame[[*GPUS]] == 0).any(axis=1))
    table.frame = table.frame.reset_index(drop=True)
    return table


def _split(path: Path, name: str) -> tuple[str, int]:
    found = _JOB.fullmatch(name)
    if found is None:
        raise InputError(f"{path}: job \"{name[:40]}\" is not of the form ('MODEL', GPUS)")
    return found[1], int(found[2])


def _speeds(file: _File, name: str) -> list[float | None]:
    """Iterations per second of a job alone on each type of GPU; None where there are none."""
    speeds = [file[gpu].get(name, {}).get(_ALONE) for gpu in GPUS]
    return [speed if isinstance(speed, float) else None for speed in speeds]
