"""Instances of `utility` from traces: what is taken from the rows, and which traces are unfit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.traces import Table, Trace, read_trace
from benchmarks.utility import WORKLOAD
from models.errors import InputError
from models.utility import UtilityInstance
from tests.benchmarks.utility.test_workload import check_rule


def google_trace(submit_s: list[float]) -> Trace:
    frame = pd.DataFrame({"job_id": range(len(submit_s)), "submit_s": submit_s})
    table = Table([], frame, "job_id")
    return Trace("google", "made", {"job_events": lambda: table})


def philly_trace(rows: list[tuple[float, int, float]]) -> Trace:
    frame = pd.DataFrame(rows, columns=["submit_s", "gpus", "gpu_seconds"])
    table = Table([], frame, "job")
    return Trace("philly", "made", {"jobs": lambda: table})


def take(trace: Trace, seed: int = 0, **changes: Any) -> UtilityInstance:
    size = {"jobs": 3, "slots": 10, "servers": (5, 5), **changes}
    return WORKLOAD.draw(**size, seed=seed, trace=trace)[0]


def test_google_arrivals_come_from_one_window() -> None:
    # Slot s of 30 holds one job, but slots 12 and 13 hold three each.
    slots = [*range(30), 12, 12, 13, 13]
    trace = google_trace([3600.0 * s + 1 for s in slots])
    counts = np.bincount(slots)
    for seed in range(5):
        instance = take(trace, seed)
        start = int(instance.origin.split("in slots ")[1].split("..")[0])
        used = np.bincount([start + job.arrival for job in instance.jobs], minlength=30)
        assert (used <= counts).all()  # no arrival is used twice
        assert 0 <= start <= 20
        check_rule(instance, 6)
    assert take(trace, 0).hash == take(trace, 0).hash
    assert take(trace, 0).hash != take(trace, 1).hash


def test_philly_rows_become_jobs() -> None:
    # Ten slots: three usable rows, one too long for any number of workers (N = 1, 7 h > 6 h),
    # one that arrives in the last slot and needs two.
    rows = [
        (10.0, 1, 3600.0),
        (3600.0 * 2, 4, 3600.0 * 8 + 1),
        (3600.0 * 4, 2, 1.0),
        (3600.0 * 5, 1, 3600.0 * 7),
        (3600.0 * 9, 1, 3600.0 * 2),
    ]
    instance, report = WORKLOAD.draw(
        jobs=3, slots=10, servers=(30, 30), seed=0, trace=philly_trace(rows)
    )
    assert [(job.arrival, job.chunks, job.work) for job in instance.jobs] == [
        (0, 1, 1),
        (2, 4, 9),
        (4, 2, 1),
    ]
    assert all(job.worker[0] == 1 for job in instance.jobs)
    check_rule(instance, 6)
    kept = report.kept
    assert (kept.draws, kept.accepted, sum(kept.rejected.values())) == (5, 3, 2)
    with pytest.raises(InputError, match="holds 4 usable jobs; the fullest holds 3"):
        take(philly_trace(rows), jobs=4, servers=(30, 30))


@pytest.mark.parametrize(
    ("trace", "changes", "message"),
    [
        (google_trace([0.0, 3600.0]), {}, "spans 2 slots of 3600 s, fewer than the 10"),
        (google_trace([]), {}, "spans 0 slots"),
        (google_trace([0.0, 36_000.0]), {}, "no window of 10 slots holds 3 arrivals"),
        (Trace("openb-pods", "made", {}), {}, "openb-pods:made: no mapping to `utility`"),
        (google_trace([0.0] * 5 + [36_000.0]), {"jobs": 0}, "jobs is 0"),
        (google_trace([0.0] * 9), {"arrivals": "uniform"}, "arrivals=uniform takes their place"),
    ],
)
def test_unfit_traces(trace: Trace, changes: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        take(trace, **changes)


def test_real_traces(shared_data: Path) -> None:
    for spec in ("google:{}/google-2011", "philly:{}/philly/philly.csv.gz"):
        trace = read_trace(spec.format(shared_data))
        hashes = set()
        for seed in range(3):
            instance, _ = WORKLOAD.draw(jobs=10, slots=10, servers=(5, 5), seed=seed, trace=trace)
            check_rule(instance, 6)
            hashes.add(instance.hash)
        assert len(hashes) == 3
