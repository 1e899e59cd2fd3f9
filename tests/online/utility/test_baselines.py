"""FIFO and DRF, and the helpers they share with RRH and Dorm, against hand-solved cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.utility import UtilityInstance, UtilitySchedule, score
from online.fair_shares import FairShares
from online.placements import Free, Placement, changed_plans
from online.run import Trace, run
from online.utility.drf import DRF
from online.utility.fifo import FIFO
from online.utility.pools import pools_of
from online.utility.requests import fixed_workers
from online.utility.round_robin import RoundRobin
from tests.models.utility.small import instance, job, random_instance


def simulate(policy: Any, ins: UtilityInstance) -> Trace:
    """Run a policy, and have the scorer look at what it did."""
    trace = run(ins, policy, np.random.default_rng(0))
    assert score(ins, trace.schedule).violations == ()
    return trace


def numbers(ins: UtilityInstance, schedule: UtilitySchedule, kind: str = "workers") -> np.ndarray:
    """Workers (parameter servers) of every job in every slot, shape (I, T)."""
    n = np.zeros((len(ins.jobs), ins.cluster.slots), dtype=np.int64)
    rows = getattr(schedule, kind)
    np.add.at(n, (rows[:, 0], rows[:, 1]), rows[:, 3])
    return n


def servers(rows: np.ndarray) -> dict[int, int]:
    return {int(server): int(count) for server, count in rows}


# ---- helpers ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("requested", "chunks", "expected"),
    [
        (7, 50, 7),
        (None, 50, 30),  # the upper end of the paper's range [1, 30]
        (None, 12, 12),  # at most N
        (60, 50, 40),  # at most what fits: 40 Gbps for workers of 1 Gbps
    ],
)
def test_fixed_workers(requested: int | None, chunks: int, expected: int) -> None:
    ins = instance(
        [job("a", chunks=chunks, requested_workers=requested)],
        worker_servers=[[40.0]],
        ps_servers=[[40.0]],
    )
    assert fixed_workers(ins.jobs[0], ins.cluster) == expected


def test_round_robin_goes_on_with_the_next_server() -> None:
    # Three servers for two workers each. Four workers: servers 0 1 2 0. Then it is the turn
    # of server 1, so the next two go to 1 and 2; all are full.
    # Parameter servers (1 Gbps each, one server): one per worker.
    ins = instance(
        [job("a", chunks=6)], worker_servers=[[2.0], [2.0], [2.0]], ps_servers=[[3.0], [3.0]]
    )
    free, robin, record = Free(pools_of(ins.cluster)), RoundRobin(), ins.jobs[0]
    first = robin.place(record, 4, free)
    assert first is not None
    assert servers(first.workers) == {0: 2, 1: 1, 2: 1}
    assert servers(first.ps) == {0: 2, 1: 2}
    free.take(record, first)
    assert robin.place(record, 3, free) is None  # nothing moves: the turn stays at 1
    second = robin.place(record, 2, free)
    assert second is not None
    assert servers(second.workers) == {1: 1, 2: 1}
    free.take(record, second)
    assert free.workers == pytest.approx(0.0, abs=1e-9)
    assert not free.holds(record, second)
    free.give(record, second)
    assert free.holds(record, second)


def test_plans_only_for_jobs_that_change() -> None:
    def at(server: int) -> Placement:
        return Placement(np.array([[server, 1]]), np.array([[0, 1]]))

    plans = changed_plans(3, {0: at(0), 1: at(1), 2: at(2)}, {0: at(0), 1: at(5), 4: at(4)})
    assert set(plans) == {1, 2, 4}  # 0 stays
    assert plans[2] == ()
    assert (plans[1][0].start, plans[1][0].stop) == (3, None)
    assert servers(plans[4][0].workers) == {4: 1}


def test_shares_of_the_two_pools() -> None:
    # Worker pool 8 gpu, 20 Gbps; the other one no gpu, 40 Gbps. One worker takes 1/8 of the
    # gpus and 1/20 of the bandwidth, one parameter server 4/40 of its pool's.
    ins = instance(
        [job("a", chunks=6, worker=[1.0, 1.0], ps=[0.0, 4.0])],
        resources=["gpu", "bandwidth_gbps"],
        worker_servers=[[4.0, 10.0], [4.0, 10.0]],
        ps_servers=[[0.0, 40.0]],
    )
    pools = pools_of(ins.cluster)
    assert pools.shares(ins.jobs[0], 1, 0).max() == 1 / 8
    assert pools.shares(ins.jobs[0], 0, 1).max() == 1 / 10
    assert pools.capacity.tolist() == [8.0, 20.0, 0.0, 40.0]
    # Five workers need two parameter servers: 5/8, 5/20, none, 8/40.
    assert pools.shares(ins.jobs[0], 5, 2).tolist() == [5 / 8, 1 / 4, 0.0, 1 / 5]


# ---- FIFO ---------------------------------------------------------------------------------


def test_fifo_head_of_line_blocks() -> None:
    # Four places. Slot 0: a takes 2 of them for 6 / 2 = 3 slots. b wants 3 and waits; c would
    # fit, but stands behind b. Slot 3: b with 3 (3 / 3 = 1 slot) and c with 1 both start.
    ins = instance(
        [
            job("a", chunks=9, work=6, requested_workers=2),
            job("b", chunks=9, work=3, requested_workers=3),
            job("c", chunks=9, work=1, requested_workers=1),
        ],
        worker_servers=[[4.0]],
        ps_servers=[[9.0]],
        slots=5,
    )
    trace = simulate(FIFO(), ins)
    assert numbers(ins, trace.schedule).tolist() == [
        [2, 2, 2, 0, 0],
        [0, 0, 0, 3, 0],
        [0, 0, 0, 1, 0],
    ]
    assert score(ins, trace.schedule).completion.tolist() == [2, 3, 3]
    waiting = [row["waiting"] for row in trace.decisions if row["event"] == "slot"]
    assert waiting == [2, 0, 0]


def test_fifo_parameter_servers_follow_6() -> None:
    # Three workers of 1 Gbps, parameter servers of 1.5 Gbps: ceil(3 / 1.5) = 2.
    ins = instance(
        [job("a", chunks=3, work=5, requested_workers=3, ps=[1.5])],
        worker_servers=[[3.0]],
        ps_servers=[[2.0], [2.0]],
    )
    trace = simulate(FIFO(), ins)
    assert numbers(ins, trace.schedule, "ps").tolist() == [[2, 2, 0, 0]]
    # Fixed numbers to the end, though only 2 worker-slots are left in slot 1.
    assert numbers(ins, trace.schedule).tolist() == [[3, 3, 0, 0]]


def test_fifo_skips_a_job_that_fits_nowhere() -> None:
    ins = instance([job("huge", worker=[5.0], ps=[5.0]), job("b")])
    trace = simulate(FIFO(), ins)
    assert trace.schedule.admitted.tolist() == [False, True]


def test_fifo_does_not_look_at_the_horizon() -> None:
    # a needs 9 slots of 4 and blocks b; it does not complete and counts as not admitted.
    ins = instance([job("a", work=9), job("b")])
    trace = simulate(FIFO(), ins)
    assert numbers(ins, trace.schedule).tolist() == [[1, 1, 1, 1], [0, 0, 0, 0]]
    assert trace.schedule.admitted.tolist() == [False, False]


@given(seed=st.integers(0, 2**32 - 1))
def test_fifo_fixed_numbers_without_a_break_in_order(seed: int) -> None:
    ins = random_instance(np.random.default_rng(seed), jobs=6, slots=8)
    n = numbers(ins, simulate(FIFO(), ins).schedule)
    starts = []
    for record in sorted(ins.jobs, key=lambda j: (j.arrival, j.index)):
        busy = np.flatnonzero(n[record.index])
        if fixed_workers(record, ins.cluster) == 0:
            assert busy.size == 0
            continue
        starts.append(int(busy[0]) if busy.size else ins.cluster.slots)
        if busy.size:
            assert set(n[record.index, busy]) == {fixed_workers(record, ins.cluster)}
            assert busy[-1] - busy[0] + 1 == busy.size
    assert starts == sorted(starts)


# ---- DRF ----------------------------------------------------------------------------------


def test_drf_example_of_the_paper() -> None:
    # Ghodsi et al. 2011, Sec. 4.1: 9 CPUs, 18 GB. A needs <1 CPU, 4 GB> a task, B <3 CPU, 1 GB>.
    # Dominant shares 4/18 = 2/9 and 3/9 a task. Filling: A 2/9, B 3/9, A 4/9, B 6/9, A 6/9;
    # CPUs 3 + 6 = 9 are used up: A has 3 tasks, B 2.
    ins = instance(
        [
            job("A", chunks=9, work=99, worker=[1.0, 4.0, 0.01], ps=[0.0, 0.0, 1.0]),
            job("B", chunks=9, work=99, worker=[3.0, 1.0, 0.01], ps=[0.0, 0.0, 1.0]),
        ],
        resources=["cpu", "memory_gb", "bandwidth_gbps"],
        worker_servers=[[9.0, 18.0, 1000.0]],
        ps_servers=[[0.0, 0.0, 1000.0]],
        slots=1,
    )
    assert numbers(ins, simulate(DRF(), ins).schedule).tolist() == [[3], [2]]


def test_drf_dominant_share_on_parameter_servers() -> None:
    # Worker pool: 10 Gbps; other pool: 6 CPUs, 100 Gbps. One parameter server per worker.
    # X: 1/10 a worker, 2/6 a parameter server. Y: 1/10 either way.
    # Filling: X .33, Y .1 .2 .3 .4; X would have .67 but 4 + 2.4 > 6 CPUs: out at 1.
    # Y .5 .6 (2 + 3.6 CPUs); a seventh needs 6.2 CPUs. X has 1, Y 6.
    ins = instance(
        [
            job("X", chunks=9, work=99, worker=[0.0, 1.0], ps=[2.0, 1.0]),
            job("Y", chunks=9, work=99, worker=[0.0, 1.0], ps=[0.6, 1.0]),
        ],
        resources=["cpu", "bandwidth_gbps"],
        worker_servers=[[0.0, 10.0]],
        ps_servers=[[6.0, 100.0]],
        slots=1,
    )
    trace = simulate(DRF(), ins)
    assert numbers(ins, trace.schedule).tolist() == [[1], [6]]
    assert numbers(ins, trace.schedule, "ps").tolist() == [[1], [6]]


def test_drf_shares_anew_at_arrivals_and_completions() -> None:
    # Four places. Slot 0: a alone has all 4. Slot 1: b arrives: 2 each; b ends after 4 / 2 = 2
    # slots. Slot 3: a has 11 - 4 - 2 - 2 = 3 left and gets no more than 3.
    ins = instance(
        [job("a", chunks=9, work=11), job("b", arrival=1, chunks=9, work=4)],
        worker_servers=[[4.0]],
        ps_servers=[[4.0]],
        slots=6,
    )
    trace = simulate(DRF(), ins)
    assert numbers(ins, trace.schedule).tolist() == [[4, 2, 2, 3, 0, 0], [0, 2, 2, 0, 0, 0]]


def test_drf_round_robin_and_keeps_places() -> None:
    # Two servers of 2 places. a alone: servers 0 1 0 1. With b: a keeps one worker where it
    # was (server 0), b takes the next in turn (1), a its second on server 0, where it was, b on 1.
    ins = instance(
        [job("a", chunks=4, work=99), job("b", arrival=1, chunks=4, work=99)],
        worker_servers=[[2.0], [2.0]],
        ps_servers=[[9.0]],
        slots=2,
    )
    rows = simulate(DRF(), ins).schedule.workers.tolist()
    assert rows == [[0, 0, 0, 2], [0, 0, 1, 2], [0, 1, 0, 2], [1, 1, 1, 2]]


def test_drf_stops_at_the_number_of_chunks() -> None:
    ins = instance(
        [job("a", chunks=3, work=99)], worker_servers=[[9.0]], ps_servers=[[9.0]], slots=1
    )
    assert numbers(ins, simulate(DRF(), ins).schedule).tolist() == [[3]]


@given(seed=st.integers(0, 2**32 - 1))
def test_filling_leaves_no_room_for_another_worker(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ins = random_instance(rng, jobs=4, servers=3)
    left = rng.integers(1, 6, 4).tolist()
    limits = [min(record.chunks, work) for record, work in zip(ins.jobs, left, strict=True)]
    placed = FairShares(pools_of(ins.cluster)).fill(ins.jobs, limits, {})
    free = Free(pools_of(ins.cluster))
    for record in ins.jobs:
        if record.index in placed:
            free.take(record, placed[record.index])
    assert (free.workers > -1e-9).all()
    assert (free.ps > -1e-9).all()
    for record, work in zip(ins.jobs, left, strict=True):
        n = placed[record.index].size if record.index in placed else 0
        assert n <= min(record.chunks, work)
        if n == min(record.chunks, work):
            continue
        more = record.ps_needed(n + 1) - record.ps_needed(n)
        worker_fits = (free.workers + 1e-9 >= record.worker).all(axis=1).any()
        ps_fits = more == 0 or (free.ps + 1e-9 >= record.ps).all(axis=1).any()
        assert not (worker_fits and ps_fits)
