"""A_maxweight, A_dual, compaction and Jain's greedy: prices, blocks and examples by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.completion import CompletionInstance, score
from models.completion.column import Column, schedule_of
from online.completion.max_weight import Block, MaxWeight, compacted, greedy_max_weight, least_bound
from tests.models.completion.small import instance, job, random_instance
from tests.online.completion.small import ring, work


def batch(ins: CompletionInstance, slots: int, bound: float) -> Block:
    """A_maxweight of all jobs in the order of the file."""
    return MaxWeight(ins.cluster, bound).block(ins.jobs, slots)


def windows(columns: list[Column] | tuple[Column, ...]) -> dict[int, tuple[int, int]]:
    return {column.job: (column.start, column.completion) for column in columns}


def test_prices_rise_exponentially_with_what_is_taken() -> None:
    # lambda = 2 THRF + 1 = 2 * 1 * 1 * 1 * 4 + 1 = 9. a takes 1 of 2 in slot 0: price 9^(1/2) - 1
    # = 2. b would pay 2 for slot 0 and takes slot 1, which is free of charge. c pays 2 in slot 0,
    # as cheap as 1 and earlier: payoff 1, price 8. d is worth 2, as much as slot 1 costs: no.
    jobs = [work(name, weight=w) for name, w in zip("abcd", (3.0, 3.0, 3.0, 2.0), strict=True)]
    block = batch(ring(jobs, 2, slots=1), 2, 4.0)
    assert windows(block.columns) == {0: (0, 1), 1: (1, 2), 2: (0, 1)}
    assert [column.payoff for column in block.columns] == pytest.approx([3.0, 3.0, 1.0])
    assert block.prices.ravel() == pytest.approx([8.0, 2.0])


def test_a_job_completes_by_the_deadline_or_not_at_all() -> None:
    block = batch(ring([work("a", slots=3), work("b", slots=2)], 1), 2, 1.0)
    assert windows(block.columns) == {1: (0, 2)}


def test_price_bound_is_weight_over_what_is_held() -> None:
    # a: 3 mini-batches at 1 Gbps and a PS of 1 Gbps: one worker holds (1 + 1) 3 = 6, three of them
    # (3 + 1) 1 = 4. b: (1 + 1) 1 = 2. F = max(6 / 4, 4 / 2).
    jobs = [job("a", chunks=3, weight=6.0), job("b", weight=4.0)]
    ins = instance(jobs, servers=[[4.0]])
    assert least_bound(ins.jobs[:1], ins.cluster) == pytest.approx(1.5)
    assert least_bound(ins.jobs, ins.cluster) == pytest.approx(2.0)
    # T = 4, H = 1, R = 1.
    assert MaxWeight(ins.cluster, 2.0).log_lambda == pytest.approx(math.log(17.0))
    assert least_bound([], ins.cluster) == 1.0


def test_alpha_by_hand() -> None:
    # lambda = 2 * 1 * 1 * 1 * 7.5 + 1 = 16, gamma = 8. w(J) / w_min = 10; ln 10 / ln (8/7) = 17.2
    ins = ring([work("a"), work("b", weight=9.0)], 1, slots=1)
    algorithm = MaxWeight(ins.cluster, 7.5)
    assert algorithm.alpha(ins.jobs) == 18
    assert algorithm.alpha(ins.jobs[:1]) == 1
    assert algorithm.alpha([]) == 1
    assert MaxWeight(ins.cluster, 0.2).alpha(ins.jobs) == 1  # gamma = 0.97


def exhausted() -> CompletionInstance:
    """E3: a resource of which schedules need little, and that prices nobody out."""
    weights = [1.004] * 10 + [100.4] * 10
    jobs = [work(f"j{i}", weight=w) for i, w in enumerate(weights)]
    resources = ["memory", "bandwidth_gbps"]
    return ring(
        jobs, resources=resources, servers=[[0.04, 1000.0]], worker_types=[[0.004, 1.0]], slots=1
    )


def test_the_assumptions_of_theorem_3_do_not_imply_it() -> None:
    # F = 100, lambda = 401: f / C = 0.1 <= 1 / log2 401 = 0.1156, and 1 <= w / sum f <= 100. The
    # light jobs exhaust the memory: 10.04 against 1004, more than 2 log2 lambda = 17.3 times.
    ins = exhausted()
    assert least_bound(ins.jobs, ins.cluster) == pytest.approx(100.0)
    assert MaxWeight(ins.cluster, 100.0).log_lambda == pytest.approx(math.log(401.0))
    block = batch(ins, 1, 100.0)
    assert sum(column.value for column in block.columns) == pytest.approx(10.04)
    assert 1004.0 / 10.04 > 2.0 * math.log2(401.0)


def test_blocks_go_on_until_nobody_is_scheduled() -> None:
    # Room for one a slot, blocks of 2 slots: two jobs in each of two blocks, the fifth in a third;
    # long fits into none.
    jobs = [work(name, weight=5.0) for name in "abcde"] + [work("long", slots=3)]
    ins = ring(jobs, 1)
    for most, sizes in ((9, [2, 2, 1]), (2, [2, 2])):
        blocks = MaxWeight(ins.cluster, 50.0).blocks(ins.jobs, 2, most)
        assert [len(block.columns) for block in blocks] == sizes


def column(index: int, start: int, duration: int = 1) -> Column:
    one = np.array([1])
    return Column(0, -1, one - 1, one, one - 1, index, start, duration, 1.0)


def test_jobs_move_in_the_order_of_planned_starts() -> None:
    # E7: P is admitted first and planned for 5, Q for 0. In the order of admission P would move to
    # 0, and Q to 1, later than planned.
    cluster = ring([work("P"), work("Q")], 1).cluster
    assert windows(compacted([column(0, 5), column(1, 0)], cluster, 0)) == {0: (1, 2), 1: (0, 1)}
    # Into a gap that is long enough, not before `first`.
    planned = [column(0, 10), column(1, 14, 2), column(2, 15)]
    cluster = ring([work("a")], 1).cluster
    assert windows(compacted(planned[:2], cluster, 9)) == {0: (9, 10), 1: (10, 12)}


@given(seed=st.integers(0, 2**32 - 1), start=st.integers(0, 5))
def test_compaction_delays_nobody(seed: int, start: int) -> None:
    rng = np.random.default_rng(seed)
    ins = random_instance(rng, allreduce=seed % 2 == 1, jobs=8, slots=1, servers=2)
    blocks = MaxWeight(ins.cluster, 12.0).blocks(ins.jobs, 12, 9)
    planned = [
        replace(column, start=start + 12 * number + column.start)
        for number, block in enumerate(blocks)
        for column in block.columns
    ]
    moved = compacted(planned, ins.cluster, start)
    assert [column.job for column in moved] == [column.job for column in planned]
    for before, after in zip(planned, moved, strict=True):
        assert start <= after.start <= before.start
    broken = {v.equation for v in score(ins, schedule_of(ins, moved)).violations}
    assert broken <= {"(2a)"}  # jobs that do not fit into a block


def test_greedy_goes_by_weight_per_demand() -> None:
    # Room for 2, deadline 2. Demands, share of the capacity x slots: a 1/2 x 2, b 1 x 1, c 1/2 x 1.
    # Weights per demand 3, 4, 6: c in slot 0, b with two workers in 1, nothing is left for a.
    jobs = [work("a", slots=2, weight=3.0), work("b", chunks=2, weight=4.0), work("c", weight=3.0)]
    ins = ring(jobs, 2)
    columns = greedy_max_weight(ins.jobs, ins.cluster, 2)
    assert [column.job for column in columns] == [2, 1]
    assert windows(columns) == {2: (0, 1), 1: (1, 2)}


@given(seed=st.integers(0, 2**32 - 1))
def test_greedy_is_feasible(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ins = random_instance(rng, allreduce=seed % 2 == 1, jobs=8, slots=1, servers=2)
    columns = greedy_max_weight(ins.jobs, ins.cluster, 4)
    assert all(column.completion <= 4 for column in columns)
    broken = {v.equation for v in score(ins, schedule_of(ins, columns)).violations}
    assert broken <= {"(2a)"}
