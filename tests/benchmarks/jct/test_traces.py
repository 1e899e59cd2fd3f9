"""Instances of `jct` from traces: what is taken from the rows, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.jct import WORKLOAD
from benchmarks.jct.servers import draw_edge
from benchmarks.jct.traces import MAPPINGS
from benchmarks.jct.workload import generate
from benchmarks.ratio import main as ratio
from benchmarks.traces import Table, Trace, read_trace
from models.jct import JctInstance
from tests.benchmarks.jct.test_workload import small


def table_of(columns: list[str], rows: list[tuple[Any, ...]]) -> Table:
    return Table([], pd.DataFrame(rows, columns=columns), columns[0])


def trace_of(kind: str, **tables: Table) -> Trace:
    return Trace(kind, "made", {name: lambda t=table: t for name, table in tables.items()})


JOBS = ["job", "submit_s", "duration_s", "gpus"]
HOUR = 3600.0


def draw(trace: Trace, **changes: Any) -> tuple[JctInstance, str]:
    settings = small(**changes)
    ins, report = generate(settings, np.random.default_rng(settings.seed), trace)
    return ins, str(report)


def philly() -> Trace:
    """Three jobs in hours 4 to 6, the only window of three slots that holds so many."""
    rows = [
        ("before", 0.5 * HOUR, 60.0, 1),
        ("short", 4.2 * HOUR, 60.0, 2),
        ("middle", 5.0 * HOUR, 29 * HOUR, 8),
        ("long", 6.9 * HOUR, 1000 * HOUR, 128),
        ("after", 9.5 * HOUR, 60.0, 1),
    ]
    return trace_of("philly", jobs=table_of(JOBS, rows))


def test_philly_by_hand() -> None:
    ins, report = draw(philly(), jobs=3, slots=3, epochs=(20, 20), gradient_mb=(0.0, 0.0))
    assert [job.arrival for job in ins.jobs] == [0, 1, 2]
    assert [job.requested_workers for job in ins.jobs[:2]] == [2, 8]
    assert ins.jobs[2].requested_workers == ins.jobs[2].chunks  # 128 GPUs are more than any D
    # m = hours / (E B) = 29 / (20 x 58) = 0.025; the others are cut to 0.001 and 0.05.
    assert [record.minibatch_slots for record in ins.file.jobs] == [0.001, 0.025, 0.05]
    # E B m = 29 slots, and at most 20 x 58 x 0.1 s = 0.03 for updates.
    assert ins.jobs[1].chunk_slots == 30
    assert ins.jobs[1].chunk_time == pytest.approx(29.0, abs=0.04)
    assert "arrivals: 3 of 3 in slots 4.. of the list" in report
    assert "m raised to its range for 1 and cut for 1 of 3 jobs" in report
    assert ins.name == "philly-3x3-5-seed0"
    assert ins.origin.startswith("trace philly: ")


def test_an_hour_is_stretched_to_the_slots() -> None:
    rows = [("a", 0.0), ("b", 900.0), ("c", 1800.0), ("d", 3599.0)]
    hour = table_of(["job", "submit_s"], rows)
    ins, report = draw(trace_of("alibaba-2018", jobs=hour), jobs=4, slots=40)
    assert [job.arrival for job in ins.jobs] == [0, 10, 20, 39]
    assert "arrivals: 4 of 4, 3600 s stretched to 40 slots" in report
    few, _ = draw(trace_of("alibaba-2018", jobs=hour), jobs=2, slots=40)
    assert {job.arrival for job in few.jobs} < {0, 10, 20, 39}


def nodes(*rows: tuple[int, float]) -> Table:
    named = [(f"n{place}", *row) for place, row in enumerate(rows)]
    return table_of(["node", "gpus", "cpu"], named)


def test_nodes_by_hand() -> None:
    listed = nodes((2, 8.0), (0, 32.0), (8, 96.5))
    trace = trace_of("openb-nodes", nodes=listed)
    ins, report = draw(trace, servers=3)
    servers = ins.file.servers
    assert [(len(s.workers), len(s.ps)) for s in servers] == [(2, 8), (0, 32), (8, 96)]
    assert "servers: 3 of 3 nodes of the list" in report
    rngs = np.random.default_rng(1).spawn(4)
    edge = draw_edge(small(servers=2), rngs, trace)
    assert len(edge.servers) == 2


def test_three_traces_at_once() -> None:
    together = trace_of(
        "edge-cloud",
        jobs=philly().table("jobs"),
        arrivals=table_of(["job", "submit_s"], [(str(n), 10.0 * n) for n in range(9)]),
        nodes=nodes(*[(4, 16.0)] * 6),
    )
    ins, report = draw(together, jobs=9, slots=360, servers=6)
    assert [job.arrival for job in ins.jobs] == list(range(9))
    assert len(ins.cluster.worker_server) == 24
    assert "GPUs and run times: 9 drawn from 5 jobs of Philly" in report
    # An arrival pattern takes the place of the trace's; the jobs stay those of Philly.
    other, report = draw(together, jobs=9, slots=360, servers=6, arrivals="uniform")
    assert "arrivals uniform" in report
    assert [r.minibatch_slots for r in other.file.jobs] == [
        r.minibatch_slots for r in ins.file.jobs
    ]
    assert other.name == "edge-cloud-uniform-9x360-6-seed0"


def test_the_testbed_takes_jobs_of_a_trace() -> None:
    ins, report = draw(philly(), jobs=3, slots=3, servers=8, scale="testbed")
    assert [job.arrival for job in ins.jobs] == [0, 1, 2]
    assert "8 machines of the testbed" in report


def test_mappings_are_said_in_words() -> None:
    for kind in MAPPINGS:
        assert WORKLOAD.describe_mapping(kind).endswith("drawn as in the synthetic workload.")
    assert WORKLOAD.describe_mapping("google").startswith("none: `google` is read and audited")


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("philly", "philly/philly.csv.gz"),
        ("alibaba-2018", "alibaba-v2018"),
        ("openb-nodes", "alibaba-gpu-v2023"),
        ("edge-cloud", ""),
    ],
)
def test_real_traces(shared_data: Path, tmp_path: Path, kind: str, path: str) -> None:
    spec = f"{kind}:{shared_data / path}"
    trace = read_trace(spec)
    drawn = [
        WORKLOAD.draw(jobs=20, slots=100, servers=10, seed=seed, trace=trace)[0]
        for seed in (0, 0, 1)
    ]
    assert drawn[0].hash == drawn[1].hash != drawn[2].hash
    size = ["--jobs", "5", "--slots", "20", "--servers", "10", "--seeds", "1"]
    options = ["--problem", "jct", "--trace", spec, *size, "--time-limit", "2"]
    assert ratio([*options, "--out", str(tmp_path / "out")]) == 0


def test_edge_cloud_holds_all_rows(shared_data: Path) -> None:
    trace = read_trace(f"edge-cloud:{shared_data}")
    assert trace.names == ("jobs", "arrivals", "nodes")
    assert [len(trace.table(name).frame) for name in trace.names] == [82_247, 16_749, 1_523]
