"""Microsoft Philly (2017): jobs of a GPU cluster, as the public JSON or the derived csv.

Jeon et al.: "Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training Workloads",
USENIX ATC 2019. The JSON is the original ``cluster_job_log``; the csv is the table used by
Pollux (OSDI 2021). Both give the same columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from benchmarks.traces.table import MOST_BYTES, NO_GPU, ZERO_DURATION, Table, read_rows
from models.errors import InputError
from models.files import read_bytes

if TYPE_CHECKING:
    import pandas as pd

_CSV = {
    "timestamp": "text", "duration": "float", "num_gpus": "int", "gpu_time": "float",
    "cluster": "text",
}  # fmt: skip
_SHAPE = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
_DEMANDS = ("duration_s", "gpus", "gpu_seconds")


def read_philly(path: Path) -> Table:
    """Read the jobs: a file that starts with ``[`` is the original JSON, else the csv.

    Columns ``job``, ``submit_s`` (since the hour of the first submission began), ``duration_s``,
    ``gpus``, ``gpu_seconds``, ``cluster``; of the JSON also ``status``, ``attempts`` and ``ended``,
    attempts with a start and an end. A job of several attempts has the sum of their durations and
    GPU-seconds, and the most GPUs of one. InputError if the file cannot be read, or a row of it:
    names the line (csv) or the job (JSON).
    """
    data = read_bytes(path, most=MOST_BYTES)
    table = _read_json(path, data) if data.lstrip()[:1] == b"[" else _read_csv(path)
    frame = table.frame.sort_values("time", kind="stable", ignore_index=True)
    time = frame.pop("time")
    # Counting from a full hour makes the audit's hours those of the clock.
    table.frame = frame.assign(submit_s=(time - time.min().floor("h")).dt.total_seconds())
    return table


def _read_csv(path: Path) -> Table:
    import pandas as pd

    frame = read_rows(path, _CSV)
    frame.columns = pd.Index(["time", *_DEMANDS, "cluster"])
    frame["time"] = _times(path, frame["time"], lambda row: f"line {row + 2}: timestamp")
    frame["job"] = [f"row-{line}" for line in range(2, len(frame) + 2)]
    table = Table([path], frame, "job", _DEMANDS, groups=("gpus", "cluster"))
    table.drop(ZERO_DURATION, frame["duration_s"] <= 0)
    table.drop(NO_GPU, frame["gpus"] < 1)
    product = frame["duration_s"] * frame["gpus"]
    unequal = ~np.isclose(frame["gpu_seconds"], product, rtol=1e-9, atol=1e-6)
    table.drop("gpu_time is not duration x num_gpus", pd.Series(unequal))
    return table


class _Server(msgspec.Struct):
    gpus: list[str]


class _Attempt(msgspec.Struct):
    start_time: str | None
    end_time: str | None
    detail: list[_Server]


class _JobLog(msgspec.Struct):
    status: str
    vc: str
    jobid: str
    submitted_time: str
    attempts: list[_Attempt]


def _read_json(path: Path, data: bytes) -> Table:
    import pandas as pd

    try:
        # Not models.files.decode: it looks for numbers that are not finite, and here are none.
        jobs = msgspec.json.decode(data, type=list[_JobLog])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}") from None
    attempts = pd.DataFrame(
        [
            (number, one.start_time, one.end_time, sum(len(server.gpus) for server in one.detail))
            for number, job in enumerate(jobs)
            for one in job.attempts
        ],
        columns=["job", "start_time", "end_time", "gpus"],
    ).astype({"gpus": "int64"})
    named = [f"job {number} ('{job.jobid}')" for number, job in enumerate(jobs, 1)]

    def parse(key: str, values: Iterable[str | None], numbers: Sequence[int]) -> pd.Series:
        texts = pd.Series(list(values), dtype="str")
        known = texts.mask(texts.isin(["", "None"]))
        return _times(path, known, lambda row: f"{named[numbers[row]]}: {key}")

    start, stop = (parse(key, attempts[key], attempts["job"]) for key in ("start_time", "end_time"))
    seconds = (stop - start).dt.total_seconds().clip(lower=0.0)  # NaN: no start or no end
    attempts = attempts.assign(seconds=seconds, gpu_seconds=seconds * attempts["gpus"])
    of_job = attempts.groupby("job").agg(
        duration_s=("seconds", "sum"),
        gpus=("gpus", "max"),
        gpu_seconds=("gpu_seconds", "sum"),
        attempts=("gpus", "size"),
        ended=("seconds", "count"),
    )
    about = [(job.jobid, job.submitted_time, job.vc, job.status) for job in jobs]
    frame = pd.DataFrame(about, columns=["job", "time", "cluster", "status"])
    frame = frame.join(of_job.reindex(frame.index, fill_value=0))
    frame["time"] = parse("submitted_time", frame["time"], frame.index)
    facts = {"attempts": len(attempts)}
    table = Table([path], frame, "job", _DEMANDS, ("gpus", "status", "cluster"), facts)
    table.drop("no submission time", frame["time"].isna())
    table.drop("never started: no attempt", frame["attempts"] == 0)
    table.drop("an attempt has no start or no end", frame["ended"] < frame["attempts"])
    table.drop(ZERO_DURATION, frame["duration_s"] <= 0)
    table.drop(NO_GPU, frame["gpu_seconds"] <= 0)
    return table


def _times(path: Path, texts: pd.Series, where: Callable[[int], str]) -> pd.Series:
    """Parse times, NaT where there is no text; InputError says where one is no time."""
    import pandas as pd

    shaped = texts.where(texts.str.fullmatch(_SHAPE))  # pandas alone would take "now" for a time
    times = pd.to_datetime(shaped, format="%Y-%m-%d %H:%M:%S", errors="coerce")
    wrong = np.flatnonzero(times.isna() & texts.notna())
    if wrong.size:
        row = int(wrong[0])
        raise InputError(
            f"{path}: {where(row)} '{texts.iloc[row][:40]}' is not YYYY-MM-DD HH:MM:SS"
        )
    return times
