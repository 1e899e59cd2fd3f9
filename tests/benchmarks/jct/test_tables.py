"""The tables of `jct`: metrics, utilisation and queues of the worked example, and invariants."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks.jct.tables import blocks, metric_table, metrics, queue, usage
from benchmarks.study.run import Run, run_policy
from models.errors import InputError
from models.jct import JctInstance, JctSchedule, score
from online.jct.a_online import AOnline, AOnlineEdge
from online.jct.srtf import SRTF
from online.registry import find_policy, policy_names
from online.run import Trace
from tests.models.jct.small import (
    instance,
    job,
    random_instance,
    server,
    worked_example,
    worked_schedule,
)

POLICIES = {name: find_policy("jct", name) for name in policy_names("jct")}


def crowded(seed: int) -> JctInstance:
    """Twelve jobs on three servers."""
    rng = np.random.default_rng(seed)
    return random_instance(
        rng, jobs=12, servers=3, most_workers=2, chunks=4, chunk_slots=6, slots=500
    )


def worked_run() -> Run:
    """The worked schedule, as if a policy had decided it: "short" displaces a chunk in slot 3."""
    ins = worked_example()
    schedule = worked_schedule(ins)
    rows = [{"slot": slot, "preempted": int(slot == 3)} for slot in (0, 2, 3)]
    return Run(AOnline(), Trace(schedule, rows, np.zeros(4)), score(ins, schedule))


def test_metrics_by_hand() -> None:
    found = metrics(worked_example(), worked_run())
    # "long" ends in slot 5, "short" in 3, "wide" in 6: 6 + 2 + 4 slots, from slot 0 to 6.
    # The edge trains 2 + 2 + 4 slots of "long" and 1 of "short", the cloud 3 x 2 of "wide".
    assert found == {
        "policy": "a-online",
        "jobs": 3,
        "total_jct": 12.0,
        "mean_jct": 4.0,
        "makespan": 7,
        "preemptions": 1,
        "mean_utilisation": pytest.approx(9 / 14),
        "peak_utilisation": 1.0,
        "cloud_share": pytest.approx(6 / 15),
        "jobs_in_cloud": 1,
        "migrates": False,
    }


def test_makespan_counts_from_the_first_arrival() -> None:
    ins = instance([job("one", 5, upload=[1], chunk_slots=2)], [server()])
    found = metrics(ins, run_policy(ins, AOnline))
    # Data in slot 6, trained in 6 and 7: three slots from slot 5 on, in two of which it trains.
    assert (found["makespan"], found["total_jct"]) == (3, 3.0)
    assert found["mean_utilisation"] == pytest.approx(2 / 3)


def test_no_jobs_have_no_metrics_to_divide_by() -> None:
    ins = instance([], [server()])
    found = metrics(ins, run_policy(ins, AOnline))
    assert (found["jobs"], found["mean_jct"], found["makespan"]) == (0, 0.0, 0)
    assert (found["mean_utilisation"], found["cloud_share"]) == (0.0, 0.0)
    assert usage(ins, run_policy(ins, AOnline).trace.schedule).empty


def test_usage_by_hand() -> None:
    ins = worked_example()
    schedule = worked_schedule(ins)
    # Slot 0: data are sent. In slot 6 the cloud alone works.
    table = usage(ins, schedule)
    assert table["share"].tolist() == [0.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.0]
    assert table["slot"].tolist() == list(range(7))
    sent = job("one", upload=[0], cloud_upload_slots=1)
    cloud_alone = instance([sent], [server(0)], cloud=True)
    assert usage(cloud_alone, run_policy(cloud_alone, AOnline).trace.schedule).empty


def test_usage_refuses_a_table_that_fills_the_memory() -> None:
    late = job("late", 10**9 - 10, upload=[0])
    ins = instance([late], [server()], slots=10**9)
    with pytest.raises(InputError, match="more than 10000000 rows"):
        usage(ins, run_policy(ins, AOnline).trace.schedule)


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_metrics_agree_with_a_count_slot_by_slot(name: str) -> None:
    ins = crowded(1)
    run = run_policy(ins, POLICIES[name])
    found = metrics(ins, run)
    grid = np.zeros((len(ins.cluster.worker_server), 500), dtype=bool)
    cloud = 0
    for _, at, number, start, stop in run.trace.schedule.workers.tolist():
        if at < 0:
            cloud += stop - start
        else:
            grid[ins.cluster.first_worker[at] + number, start:stop] = True
    share = usage(ins, run.trace.schedule)["share"].to_numpy()
    np.testing.assert_allclose(share, grid.mean(axis=0)[: len(share)])
    assert not grid[:, len(share) :].any()
    assert found["peak_utilisation"] == pytest.approx(grid.mean(axis=0).max())
    first = min(job.arrival for job in ins.jobs)
    assert found["makespan"] == len(share) - first
    assert found["mean_utilisation"] == pytest.approx(grid.sum() / grid[:, first : len(share)].size)
    assert found["cloud_share"] == pytest.approx(cloud / (cloud + grid.sum()))
    assert found["total_jct"] == run.score.objective
    assert found["preemptions"] == sum(row["preempted"] for row in run.trace.decisions)


def test_metric_table_divides_by_srtf() -> None:
    ins = crowded(2)
    runs = [run_policy(ins, policy) for policy in POLICIES.values()]
    table = metric_table(ins, runs).set_index("policy")
    assert table.loc["srtf", "jct_rate"] == 1.0
    assert table.loc["a-online", "jct_rate"] == pytest.approx(
        table.loc["a-online", "total_jct"] / table.loc["srtf", "total_jct"]
    )
    assert metric_table(ins, runs[:1])["jct_rate"].isna().all()
    assert metric_table(ins, []).empty


def test_blocks_by_hand() -> None:
    ins = worked_example()
    table = blocks(ins, worked_schedule(ins))
    assert table.to_numpy().tolist() == [
        ["long", 0, 1, 3, 1, 1.0],
        ["long", 0, 4, 6, 1, 1.0],
        ["long", 1, 1, 5, 1, 1.0],
        ["short", 0, 3, 4, 1, 1.0],
    ]


def test_blocks_count_the_workers_of_a_server() -> None:
    # Three chunks on two of three workers: in slots 0 and 1 on both, then on one.
    ins = instance([job("one", upload=[0], chunks=3, chunk_slots=2)], [server(3)])
    schedule = JctSchedule.build(
        ins, [False], [(0, 0, 0, 0, 4), (0, 0, 1, 0, 2)], [(0, 0, 0, 0, 4)]
    )
    assert score(ins, schedule).feasible
    table = blocks(ins, schedule)
    assert table[["start", "stop", "count"]].to_numpy().tolist() == [[0, 2, 2], [2, 4, 1]]
    assert table["share"].tolist() == pytest.approx([2 / 3, 1 / 3])


def test_queue_by_hand() -> None:
    ins = worked_example()
    table = queue(ins, worked_schedule(ins), 0)
    assert table.to_numpy().tolist() == [
        [0, "long", 1, "uploads", 0, 1, False],
        [0, "long", 1, "trains", 1, 3, True],  # 2 of its 4 slots, then "short" comes
        [0, "long", 1, "waits", 3, 4, False],
        [0, "long", 1, "trains", 4, 6, False],
        [0, "short", 1, "uploads", 2, 3, False],
        [0, "short", 1, "trains", 3, 4, False],
    ]


@pytest.mark.parametrize("policy", [AOnline, AOnlineEdge])
def test_queues_show_every_preemption_and_all_that_is_trained(policy: type[AOnline]) -> None:
    seen = 0
    for seed in range(10):
        ins = crowded(seed)
        run = run_policy(ins, policy)
        tables = [queue(ins, run.trace.schedule, s) for s in range(ins.cluster.servers)]
        table = pd.concat(tables)
        assert table["preempted"].sum() == metrics(ins, run)["preemptions"]
        trains = table[table["state"] == "trains"]
        rows = run.trace.schedule.workers
        rows = rows[rows[:, 1] >= 0]
        assert (trains["stop"] - trains["start"]).sum() == (rows[:, 4] - rows[:, 3]).sum()
        assert trains.groupby(level=0).size().sum() == len(rows)
        # Whoever waits, waits for another: the worker is never idle meanwhile.
        for part in tables:
            for worker, held in part.groupby("worker"):
                busy = np.zeros(500, dtype=int)
                for row in held[held["state"] == "trains"].itertuples():
                    busy[row.start : row.stop] += 1
                assert busy.max() == 1, worker
                for row in held[held["state"] == "waits"].itertuples():
                    assert busy[row.start : row.stop].all()
        seen += int(table["preempted"].sum())
    assert seen > 0


def test_queue_refuses_what_it_cannot_show() -> None:
    ins = worked_example()
    with pytest.raises(InputError, match="no server 2"):
        queue(ins, worked_schedule(ins), 2)
    for seed in range(20):
        ins = crowded(seed)
        schedule = run_policy(ins, SRTF).trace.schedule
        if schedule.migration:
            with pytest.raises(InputError, match="migrate"):
                queue(ins, schedule, 0)
            return
    pytest.fail("no schedule of SRTF migrates")
