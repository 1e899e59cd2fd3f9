"""Instances of `reward` from traces: what is taken from the rows, and which traces are unfit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.reward import WORKLOAD
from benchmarks.reward.parts import take_arrivals, take_machines, take_requests
from benchmarks.reward.workload import generate
from benchmarks.trace import main as trace_command
from benchmarks.traces import Table, Trace, read_trace
from models.errors import InputError
from tests.benchmarks.reward.test_workload import draw, small


def jobs_trace(rows: list[tuple[float, float]]) -> Table:
    return Table([], pd.DataFrame(rows, columns=["submit_s", "core_seconds"]), "job")


def test_arrivals_of_a_trace_by_hand() -> None:
    # Slots of 2 s, four of them. Two small jobs are port 0, two large ones port 1.
    table = jobs_trace([(0.0, 5.0), (1.9, 70.0), (3.0, 1.0), (7.5, 90.0)])
    whole = np.array([[1, 1], [1, 0], [0, 0], [0, 1]])
    settings = small(jobs=2, slots=4, probability=1.0, trace_slot_seconds=2.0)
    for seed in range(4):
        found, note = take_arrivals(table, settings, np.random.default_rng(seed), "made")
        start = int(note.rsplit("slot ", 1)[1].split()[0])
        assert found.tolist() == np.roll(whole, -start, axis=0).tolist()
    longer = small(jobs=2, slots=9, probability=1.0, trace_slot_seconds=2.0)
    found, _ = take_arrivals(table, longer, np.random.default_rng(0), "made")
    assert np.array_equal(found[:4], found[4:8])  # round again


def test_arrivals_of_a_trace_are_capped_and_thinned() -> None:
    table = jobs_trace([(0.001 * i, float(i)) for i in range(4000)])
    rng = np.random.default_rng(0)
    settings = small(jobs=2, slots=1000, trace_slot_seconds=4.0, most_arrivals=3)
    found, _ = take_arrivals(table, settings, rng, "made")
    assert found.max() == 3
    assert abs(found.mean() - 2.1) < 0.08  # 3 x 0.7; four standard deviations are 0.07
    with pytest.raises(InputError, match="4000 jobs, fewer than the 4001 ports"):
        take_arrivals(table, small(jobs=4001, servers=1), rng, "made")
    with pytest.raises(InputError, match=r"less than one slot of 100 s"):
        take_arrivals(table, small(trace_slot_seconds=100.0), rng, "made")


def test_machines_of_a_list() -> None:
    columns = ["machine", "cpu", "memory_gib", "gpus", "gpu_model"]
    rows = [
        ("a", 96.0, 512.0, 2, "T4"),
        ("b", 64.0, 256.0, 8, "V100M32"),
        ("c", 32.0, 64.0, 0, "CPU"),
    ]
    table = Table([], pd.DataFrame(rows, columns=columns), "machine")
    machines = take_machines(table, 3, np.random.default_rng(0), "made")
    assert machines.devices == ("cpu", "memory", "p100", "t4", "v100", "misc-gpu")
    assert machines.capacities.tolist() == [
        [96, 64, 0, 2, 0, 0],
        [64, 32, 0, 0, 8, 0],
        [32, 8, 0, 0, 0, 0],
    ]
    with pytest.raises(InputError, match="3 machines, fewer than the 4 asked for"):
        take_machines(table, 4, np.random.default_rng(0), "made")
    table.frame.loc[0, "gpu_model"] = "X1"
    with pytest.raises(InputError, match="GPU model 'X1' is not one of P100"):
        take_machines(table, 3, np.random.default_rng(0), "made")
    pods = pd.DataFrame(
        [(8.0, 16.0, 0.5), (8.0, 16.0, 0.5), (2.0, 8.0, 0.0), (0.0, 0.0, 0.0)],
        columns=["cpu", "memory_gib", "gpus"],
    )
    table = Table([], pods, "pod")
    requests, _ = take_requests(table, 2, machines, np.random.default_rng(0), "made")
    assert requests.tolist() == [[2, 1, 0, 0, 0, 0], [8, 2, 0.5, 0.5, 0.5, 0.5]]
    with pytest.raises(InputError, match="2 distinct demands, fewer than the 3 ports"):
        take_requests(table, 3, machines, np.random.default_rng(0), "made")


def test_a_trace_gives_what_it_has() -> None:
    trace = Trace("alibaba-2018", "made", {"jobs": lambda: jobs_trace([(0.0, 1.0), (100.0, 2.0)])})
    settings = small(jobs=2, slots=5)
    taken, _ = generate(settings, np.random.default_rng(0), trace)
    drawn = draw(jobs=2, slots=5)
    assert taken.name == "alibaba-2018-2x5-6-seed0"
    assert taken.file.capacities == drawn.file.capacities
    assert taken.file.arrivals != drawn.file.arrivals
    # A pattern asked for takes the place of the trace's arrivals.
    coin, _ = generate(small(jobs=2, slots=5, arrivals="coin"), np.random.default_rng(0), trace)
    assert coin.file.arrivals == draw(jobs=2, slots=5, arrivals="coin").file.arrivals
    other = Trace("google", "made", {})
    with pytest.raises(InputError, match="no mapping to `reward`; those with one are pai-machines"):
        WORKLOAD.draw(jobs=2, slots=5, servers=6, seed=0, trace=other)


def test_reader_of_jobs(tmp_path: Path) -> None:
    rows = ["0,j1,M1,10,100,0.5,2", "0,j1,R2_1,5,50,0.5,4", "7,j2,task_x,1,100,0.1,1"]
    path = tmp_path / "tasks.csv"
    path.write_text("\n".join(rows))
    table = read_trace(f"alibaba-2018:{path}").table("jobs")
    assert table.rows == 3 == len(table.frame) + sum(table.dropped.values())
    assert table.frame["core_seconds"].tolist() == [2 * 10 + 0.5 * 4 * 5, 1.0]
    assert table.frame["tasks"].tolist() == [2, 1]
    path.write_text("0,j1,M1,10,x,0.5,2\n")
    with pytest.raises(InputError, match="line 1: plan_cpu 'x' is not a number"):
        read_trace(f"alibaba-2018:{path}").table("jobs")
    with pytest.raises(InputError, match="no folder 'alibaba-gpu-v2020' in it"):
        read_trace(f"alibaba:{tmp_path}")


def test_real_lists(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = read_trace(f"alibaba:{shared_data}")
    jobs = trace.table("jobs")
    assert jobs.rows == 67_634 == len(jobs.frame) + sum(jobs.dropped.values())
    assert len(jobs.frame) == 16_749
    ins, _ = WORKLOAD.draw(jobs=10, slots=2000, servers=128, seed=0, trace=trace)
    again, _ = WORKLOAD.draw(jobs=10, slots=2000, servers=128, seed=0, trace=trace)
    assert ins.hash == again.hash
    assert (ins.cluster.capacities[:, 2:] > 0).sum(axis=1).max() == 1  # GPUs of one model each
    assert 0.2 < ins.arrivals.mean() < 0.7
    assert trace_command(["audit", "--problem", "reward", f"alibaba:{shared_data}"]) == 0
    assert "`jobs` give the arrivals" in capsys.readouterr().out
