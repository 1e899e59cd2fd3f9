"""Microsoft Philly (2017): jobs of a GPU cluster, as the public JSON or the derived csv.

Jeon et al.: "Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training Workloads",
USENIX ATC 2019. The JSON is the original ``cluster_job_log``; the csv is the table used by
Pollux (OSDI 2021). Both give the same columns.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import pandas as pd

from benchmarks.traces.delimited import columns, read_rows
from benchmarks.traces.table import Sieve, Table, Trace
from models.errors import InputError
from models.files import read_bytes

__all__ = ["read_philly"]

_TIME = "%Y-%m-%d %H:%M:%S"
_SHAPE = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
_CSV = columns(timestamp="text", duration="float", num_gpus="int", gpu_time="float", cluster="text")
_NO_TIME = (None, "", "None")
_ZERO = "zero or negative duration"
_NO_GPU = "no GPU"


def read_philly(path: str) -> Trace:
    """Open the trace: a file that starts with ``[`` is the original JSON, else the csv.

    Returns
    -------
    Trace
        One table ``jobs``, sorted by arrival: ``job``, ``submit_s`` (seconds since the hour
        of the first submission began), ``duration_s``, ``gpus``, ``gpu_seconds``,
        ``cluster``; of the JSON also ``status``. A job of several attempts has the sum of
        their durations and GPU-seconds, and the most GPUs of one attempt.

    Raises
    ------
    InputError
        If the file cannot be read, or a row of it: names the line (csv) or the job (JSON).
    """
    file = Path(path)
    is_json = read_bytes(file).lstrip()[:1] == b"["
    return Trace("philly", path, {"jobs": partial(_read_json if is_json else _read_csv, file)})


def _read_csv(path: Path) -> Table:
    rows = read_rows(path, _CSV)
    time = _parsed(rows["timestamp"])
    if time.isna().any():
        line = int(np.argmax(time.isna()))
        raise InputError(
            f"{path}: line {line + 2}: timestamp '{rows['timestamp'].iloc[line][:40]}' is not "
            "YYYY-MM-DD HH:MM:SS"
        )
    frame = pd.DataFrame(
        {
            "job": [f"row-{line}" for line in range(2, len(rows) + 2)],
            "time": time,
            "duration_s": rows["duration"],
            "gpus": rows["num_gpus"],
            "gpu_seconds": rows["gpu_time"],
            "cluster": rows["cluster"],
        }
    )
    sieve = Sieve(frame)
    sieve.drop(sieve.frame["duration_s"] <= 0, _ZERO)
    sieve.drop(sieve.frame["gpus"] < 1, _NO_GPU)
    product = sieve.frame["duration_s"] * sieve.frame["gpus"]
    wrong = ~np.isclose(sieve.frame["gpu_seconds"], product, rtol=1e-9, atol=1e-6)
    sieve.drop(wrong, "gpu_time is not duration x num_gpus")
    return _table(path, sieve, {}, groups=("gpus", "cluster"))


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


def _read_json(path: Path) -> Table:
    try:
        # Not models.files.decode: it looks for numbers that are not finite, and here are none.
        jobs = msgspec.json.decode(read_bytes(path), type=list[_JobLog])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}") from None
    attempts = [(place, attempt) for place, job in enumerate(jobs) for attempt in job.attempts]
    place = np.array([number for number, _ in attempts], dtype=np.int64)
    start = _times(path, jobs, place, "start_time", [a.start_time for _, a in attempts])
    stop = _times(path, jobs, place, "end_time", [a.end_time for _, a in attempts])
    gpus = np.array([sum(len(s.gpus) for s in a.detail) for _, a in attempts], dtype=np.int64)
    seconds = (stop - start).dt.total_seconds().to_numpy(dtype=float)
    seconds = np.maximum(seconds, 0.0)  # NaN stays: an attempt without a start or an end
    most_gpus = np.zeros(len(jobs), dtype=np.int64)
    np.maximum.at(most_gpus, place, gpus)
    everyone = np.arange(len(jobs))
    time = _times(path, jobs, everyone, "submitted_time", [job.submitted_time for job in jobs])
    frame = pd.DataFrame(
        {
            "job": [job.jobid for job in jobs],
            "time": time,
            "duration_s": np.bincount(place, weights=seconds, minlength=len(jobs)),
            "gpus": most_gpus,
            "gpu_seconds": np.bincount(place, weights=seconds * gpus, minlength=len(jobs)),
            "cluster": [job.vc for job in jobs],
            "status": [job.status for job in jobs],
            "attempts": np.bincount(place, minlength=len(jobs)),
        }
    )
    sieve = Sieve(frame)
    sieve.drop(sieve.frame["time"].isna(), "no submission time")
    sieve.drop(sieve.frame["attempts"] == 0, "never started: no attempt")
    sieve.drop(sieve.frame["duration_s"].isna(), "an attempt has no start or no end")
    sieve.drop(sieve.frame["duration_s"] <= 0, _ZERO)
    sieve.drop(sieve.frame["gpu_seconds"] <= 0, _NO_GPU)
    facts = {"attempts": len(attempts)}
    return _table(path, sieve, facts, groups=("gpus", "status", "cluster"))


def _parsed(texts: pd.Series) -> pd.Series:
    """Times, NaT where a text is none; pandas alone would take "now" for one."""
    shaped = texts.where(texts.str.fullmatch(_SHAPE))
    return pd.to_datetime(shaped, format=_TIME, errors="coerce")


def _times(
    path: Path, jobs: list[_JobLog], place: np.ndarray, key: str, values: list[str | None]
) -> pd.Series:
    """Parse times; empty ones become NaT, any other text is an error that names the job."""
    texts = pd.Series([None if value in _NO_TIME else value for value in values], dtype="str")
    times = _parsed(texts)
    wrong = np.flatnonzero(times.isna() & texts.notna())
    if wrong.size:
        number = int(place[wrong[0]])
        raise InputError(
            f"{path}: job {number + 1} ('{jobs[number].jobid}'): {key} "
            f"'{texts.iloc[wrong[0]][:40]}' is not YYYY-MM-DD HH:MM:SS"
        )
    return times


def _table(path: Path, sieve: Sieve, facts: dict[str, int], groups: tuple[str, ...]) -> Table:
    frame = sieve.frame.sort_values("time", kind="stable", ignore_index=True)
    # Counting from a full hour makes the audit's hours those of the clock.
    elapsed = frame["time"] - frame["time"].min().floor("h") if len(frame) else frame["time"]
    frame.insert(1, "submit_s", elapsed.dt.total_seconds() if len(frame) else 0.0)
    return sieve.table(
        "jobs",
        [path],
        frame.drop(columns="time"),
        id="job",
        arrival="submit_s",
        demands=("duration_s", "gpus", "gpu_seconds"),
        groups=groups,
        facts=facts,
    )
