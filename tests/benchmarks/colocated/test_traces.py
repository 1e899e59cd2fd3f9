"""Instances of `colocated` from traces: what is taken from the rows, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from benchmarks.colocated import WORKLOAD
from benchmarks.colocated.traces import MAPPINGS
from benchmarks.traces import Table, Trace, read_trace
from models.colocated import ColocatedInstance
from models.errors import InputError

HOUR = 3600.0
NODES = [("a", 96.0, 384.0, 8, "V100"), ("b", 64.0, 512.0, 4, "T4"), ("c", 64.0, 64.0, 0, "")]


def table_of(columns: list[str], rows: list[tuple[Any, ...]]) -> Table:
    return Table([], pd.DataFrame(rows, columns=columns), columns[0])


def trace_of(kind: str, **tables: Table) -> Trace:
    return Trace(kind, "made", {name: lambda t=table: t for name, table in tables.items()})


def draw(trace: Trace, **changes: Any) -> ColocatedInstance:
    size: dict[str, Any] = {"jobs": 2, "slots": 8, "servers": 2, "preset": "paper"}
    found: ColocatedInstance = WORKLOAD.draw(**{**size, **changes}, seed=0, trace=trace)[0]
    return found


def philly() -> Table:
    rows = [("j0", 4.2 * HOUR, 3 * HOUR, 2), ("j1", 5.2 * HOUR, 2 * HOUR, 3)]
    rows += [("late", 12.5 * HOUR, 60.0, 1)]
    return table_of(["job", "submit_s", "duration_s", "gpus"], rows)


def test_philly_gives_arrivals_gpus_and_times() -> None:
    ins = draw(trace_of("philly", jobs=philly()), max_workers=(5, 9), epochs=(1, 1))
    told = {2: 3.0, 3: 2.0, 1: 60 / HOUR}
    for job in ins.jobs:
        # As many external workers as GPUs take as long as the trace's job.
        assert job.requested_workers is not None
        hours = job.work / job.requested_workers
        assert hours == pytest.approx(told[job.requested_workers], rel=5e-2)
    assert "jobs: from " in ins.origin


def test_arrivals_of_one_list_and_jobs_of_another() -> None:
    submits = table_of(["job_id", "submit_s"], [(i, (3 + i) * HOUR) for i in range(8)])
    tables = {"job_submit_events": submits, "jobs": philly()}
    nodes = table_of(["node", "cpu", "memory_gib", "gpus", "gpu_model"], NODES)
    ins = draw(trace_of("google-philly", **tables, nodes=nodes), max_workers=(5, 9))
    assert ins.file.servers == [[8, 96, 384, 1000], [4, 64, 512, 1000]]
    assert "job_submit_events: from" in ins.origin and "jobs: from 3" in ins.origin
    with pytest.raises(InputError, match="2 nodes with GPUs, fewer than the 3 asked for"):
        draw(trace_of("openb-nodes", nodes=nodes), servers=3)


def test_what_the_trace_has_cannot_be_asked_for() -> None:
    with pytest.raises(InputError, match="gives arrivals, but arrivals=uniform takes their place"):
        draw(trace_of("philly", jobs=philly()), arrivals="uniform")
    with pytest.raises(InputError, match="no mapping to `colocated`; those with one are google"):
        draw(trace_of("gavel"))


@pytest.mark.parametrize("kind", [kind for kind in MAPPINGS if kind != "csv"])
def test_every_mapping_on_real_data(shared_data: Path, kind: str) -> None:
    folder = {
        "google": "google-2011",
        "philly": "philly",
        "openb-nodes": "alibaba-gpu-v2023",
        "google-philly": "",
    }[kind]
    trace = read_trace(f"{kind}:{shared_data / folder}")
    ins, report = WORKLOAD.draw(jobs=8, slots=20, servers=4, seed=1, trace=trace)
    again, _ = WORKLOAD.draw(jobs=8, slots=20, servers=4, seed=1, trace=trace)
    assert ins.hash == again.hash and 0.9 <= report.load <= 1.1
    assert kind in ins.name
