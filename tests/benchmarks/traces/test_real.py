"""Counts of the real traces as their publishers and READMEs give them; skipped without them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.traces import Table, read_trace


def accounted(table: Table) -> Table:
    assert table.rows == len(table.frame) + sum(table.dropped.values())
    return table


def per_hour(table: Table) -> np.ndarray:
    seconds = table.frame["submit_s"].dropna()
    return np.bincount((seconds // 3600).astype(int))


def test_google_submits(shared_data: Path) -> None:
    table = read_trace(f"google:{shared_data / 'google-2011'}").table("job_submit_events")
    assert accounted(table).rows == 672_075
    assert table.facts["jobs submitted"] == 672_074
    assert table.dropped["before the trace starts: arrival unknown"] == 3_986
    counts = per_hour(table)
    assert len(counts) == 696
    assert np.quantile(counts, [0.1, 0.5, 0.9]).round().tolist() == [644, 883, 1316]
    assert counts.max() == 3_164


def test_google_job_events(shared_data: Path) -> None:
    table = read_trace(f"google:{shared_data / 'google-2011' / 'job_events'}").table("job_events")
    assert accounted(table).rows == 69_721
    assert table.facts["jobs submitted"] == 24_578
    assert table.facts["FINISH events"] == 12_797
    assert per_hour(table).max() == 1_397
    # Both job files tell the same story about the hours they share.
    folder = read_trace(f"google:{shared_data / 'google-2011'}")
    assert (per_hour(folder.table("job_submit_events"))[:25] == per_hour(table)[:25]).all()


def test_google_tasks_and_machines(shared_data: Path) -> None:
    trace = read_trace(f"google:{shared_data / 'google-2011'}")
    tasks = accounted(trace.table("task_events"))
    assert tasks.rows == 450_146
    assert tasks.facts["SUBMIT events"] == 201_491
    assert tasks.facts["SUBMIT events at time 0, arrival unknown"] == 144_339
    assert tasks.frame["cpu"].quantile([0.1, 0.5, 0.9]).round(3).tolist() == [0.009, 0.025, 0.081]
    machines = accounted(trace.table("machine_events"))
    assert machines.rows == 37_780
    assert machines.facts == {
        "machines": 12_583,
        "machines at time 0": 12_477,
        "rows without capacities": 32,
    }
    kinds = machines.frame.groupby(["cpu", "memory"]).size()
    assert (kinds[0.5, 0.4995], kinds[0.5, 0.2493], kinds[1.0, 1.0]) == (6_672, 3_835, 788)


def test_philly(shared_data: Path) -> None:
    table = read_trace(f"philly:{shared_data / 'philly' / 'philly.csv.gz'}").table("jobs")
    assert accounted(table).rows == len(table.frame) == 82_247
    gpus = table.frame["gpus"].value_counts()
    assert [gpus[n] for n in (1, 2, 4, 8, 16, 32, 128)] == [76_627, 1_818, 1_870, 1_643, 199, 67, 3]
    assert table.frame["gpu_seconds"].sum() / 3600 == pytest.approx(978_078, abs=0.5)
    assert per_hour(table).max() == 1_031


def test_alibaba(shared_data: Path) -> None:
    openb = shared_data / "alibaba-gpu-v2023"
    nodes = accounted(read_trace(f"openb-nodes:{openb}").table("nodes")).frame
    assert (len(nodes), nodes["cpu"].sum(), nodes["memory_gib"].sum()) == (1_523, 125_514, 597_684)
    assert nodes["gpus"].sum() == 6_212
    pods = accounted(read_trace(f"openb-pods:{openb}").table("pods"))
    assert pods.rows == 8_152
    assert pods.dropped == {"never scheduled": 897}
    untimed = read_trace(f"openb-pods:{openb / 'openb_pod_list_multigpu50.csv'}").table("pods")
    assert len(untimed.frame) == 9_061
    pai = read_trace(f"pai-machines:{shared_data / 'alibaba-gpu-v2020'}").table("machines").frame
    assert (len(pai), pai["gpus"].sum()) == (1_897, 6_742)
    assert pai["gpu_model"].value_counts()["P100"] == 798
