"""The oracle against brute force and against Alg. 2 as printed."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from models.slot_column import Column
from models.utility import Job, UtilityInstance
from models.utility.resources import Resources
from solvers.utility.oracle import best_schedule, full_capacity, zero_prices
from tests.models.utility.small import constant, instance, job, random_instance


def random_case(seed: int) -> tuple[UtilityInstance, Resources, Resources]:
    """A tiny instance with random prices and partly used servers."""
    rng = np.random.default_rng(seed)
    ins = random_instance(rng, jobs=2)
    full = full_capacity(ins.cluster)
    scale = 10.0 ** rng.uniform(-2, 1)
    prices = Resources(
        rng.exponential(scale, full.worker.shape) * rng.integers(0, 2, full.worker.shape),
        rng.exponential(scale, full.ps.shape) * rng.integers(0, 2, full.ps.shape),
    )
    free = Resources(
        full.worker - rng.integers(0, 2, full.worker.shape),
        full.ps - rng.integers(0, 2, full.ps.shape),
    )
    return ins, prices, free


def cheapest_by_enumeration(
    demand: np.ndarray, price: np.ndarray, free: np.ndarray, most: int
) -> list[float]:
    """Least cost of exactly n copies in one slot, every placement tried."""
    room = []
    for server in free:
        fit = 0
        while fit < most and (demand * (fit + 1) <= server + 1e-9).all():
            fit += 1
        room.append(fit)
    best = [math.inf] * (most + 1)
    for counts in itertools.product(*(range(r + 1) for r in room)):
        if sum(counts) <= most:
            cost = sum(c * float(demand @ p) for c, p in zip(counts, price, strict=True))
            best[sum(counts)] = min(best[sum(counts)], cost)
    return best


def brute_force(job_: Job, prices: Resources, free: Resources) -> float:
    """Best payoff over all numbers of workers and parameter servers in all slots."""
    slots = len(prices.worker)
    options = []
    for t in range(job_.arrival, slots):
        n_cost = cheapest_by_enumeration(job_.worker, prices.worker[t], free.worker[t], job_.chunks)
        m_cost = cheapest_by_enumeration(job_.ps, prices.ps[t], free.ps[t], job_.chunks)
        best = [0.0]
        for n in range(1, job_.chunks + 1):
            allowed = [
                m_cost[m]
                for m in range(n + 1)
                if n * job_.worker_gbps <= m * job_.ps_gbps * (1 + 1e-12)
            ]
            best.append(n_cost[n] + min(allowed, default=math.inf))
        options.append(best)
    top = -math.inf
    for counts in itertools.product(range(job_.chunks + 1), repeat=len(options)):
        if sum(counts) >= job_.work:
            last = max(t for t, n in enumerate(counts) if n > 0)
            cost = sum(options[t][n] for t, n in enumerate(counts))
            top = max(top, float(job_.utility(last)) - cost)
    return top


@pytest.mark.parametrize("block", range(10))
def test_oracle_equals_brute_force(block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        ins, prices, free = random_case(seed)
        for job_ in ins.jobs:
            column = best_schedule(job_, prices, free)
            expected = brute_force(job_, prices, free)
            if column is None:
                assert expected == -math.inf, seed
            else:
                assert column.payoff == pytest.approx(expected, abs=1e-9), seed
                check_column(job_, column, prices, free)


def check_column(job_: Job, column: Column, prices: Resources, free: Resources) -> None:
    """A column obeys the constraints of one job and costs what it says."""
    slots = len(prices.worker)
    n = np.bincount(column.workers[:, 0], column.workers[:, 2], slots)
    m = np.bincount(column.ps[:, 0], column.ps[:, 2], slots) if len(column.ps) else np.zeros(slots)
    assert n.sum() == job_.work
    assert n.max() <= job_.chunks
    assert (n * job_.worker_gbps <= m * job_.ps_gbps * (1 + 1e-12)).all()
    assert (m <= n).all()
    assert np.flatnonzero(n)[-1] == column.completion
    assert n[: job_.arrival].sum() == 0
    cost = 0.0
    for rows, demand, price, room in (
        (column.workers, job_.worker, prices.worker, free.worker),
        (column.ps, job_.ps, prices.ps, free.ps),
    ):
        assert (rows[:, 2] > 0).all()
        for t, s, count in rows:
            assert (count * demand <= room[t, s] + 1e-6).all()
            cost += count * float(demand @ price[t, s])
    assert cost == pytest.approx(column.cost, abs=1e-9)


def literal_algorithm_2(
    job_: Job, chunk_slots: float, chunks_in_total: int, prices: Resources, free: Resources
) -> float:
    """Alg. 2 as printed: the state is chunks, and every slot's work is rounded up."""
    slots = len(prices.worker)
    need = [math.ceil(d * chunk_slots * (1 - 1e-12)) for d in range(chunks_in_total + 1)]

    def cost_t(t: int, d: int) -> float:
        workers = need[d]
        if workers == 0:
            return 0.0
        if workers > job_.chunks:
            return math.inf
        n_cost = cheapest_by_enumeration(job_.worker, prices.worker[t], free.worker[t], job_.chunks)
        m_cost = cheapest_by_enumeration(job_.ps, prices.ps[t], free.ps[t], job_.chunks)
        return n_cost[workers] + m_cost[job_.ps_needed(workers)]

    best = -math.inf
    cost = [0.0] + [math.inf] * chunks_in_total
    for t in range(job_.arrival, slots):
        slot = [cost_t(t, d) for d in range(chunks_in_total + 1)]
        cost = [
            min(slot[d] + cost[total - d] for d in range(total + 1))
            for total in range(chunks_in_total + 1)
        ]
        best = max(best, float(job_.utility(t - job_.arrival)) - cost[-1])
    return best


def test_oracle_is_never_worse_than_algorithm_2_as_printed() -> None:
    strictly_better = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        ins, prices, free = random_case(seed)
        epochs, chunk_slots = int(rng.integers(1, 3)), float(rng.uniform(0.2, 1.4))
        for original in ins.jobs:
            chunks_in_total = epochs * original.chunks
            work = max(1, math.ceil(chunks_in_total * chunk_slots * (1 - 1e-12)))
            job_ = Job(**{**vars(original), "work": work})
            literal = literal_algorithm_2(job_, chunk_slots, chunks_in_total, prices, free)
            column = best_schedule(job_, prices, free)
            ours = -math.inf if column is None else column.payoff
            assert ours >= literal - 1e-9
            strictly_better += ours > literal + 1e-9
    assert strictly_better >= 5  # the rounding really costs something


def test_work_moves_to_the_cheap_slot() -> None:
    # W = 3, N = 2. Worker prices 5, 1, 1; the value is 10 at any time. Two workers in slot 1
    # and one in slot 2 cost 3; nothing is cheaper, so the payoff is 7 and t = 2.
    ins = instance(
        [job("a", chunks=2, work=3, utility=constant(10.0))],
        slots=3,
        worker_servers=[[2.0]],
        ps_servers=[[2.0]],
    )
    prices = zero_prices(ins.cluster)
    prices.worker[:, 0, 0] = [5.0, 1.0, 1.0]
    column = best_schedule(ins.jobs[0], prices, full_capacity(ins.cluster))
    assert column is not None
    assert (column.completion, column.payoff) == (2, 7.0)
    assert column.workers.tolist() == [[1, 0, 2], [2, 0, 1]]


def test_three_workers_of_a_tenth_need_one_parameter_server_of_three_tenths() -> None:
    # 3 * 0.1 / 0.3 is 1.0000000000000002 in floating point; one parameter server is enough.
    ins = instance(
        [job("a", chunks=3, work=3, worker=[0.1], ps=[0.3])],
        slots=1,
        worker_servers=[[0.3]],
        ps_servers=[[0.3]],
    )
    column = best_schedule(ins.jobs[0], zero_prices(ins.cluster), full_capacity(ins.cluster))
    assert column is not None
    assert column.workers.tolist() == [[0, 0, 3]]
    assert column.ps.tolist() == [[0, 0, 1]]


def test_no_schedule_fits() -> None:
    ins = instance([job("a", arrival=2, work=3)], slots=4)  # two slots left, one worker each
    assert best_schedule(ins.jobs[0], zero_prices(ins.cluster), full_capacity(ins.cluster)) is None


def test_ties_go_to_the_earliest_completion_and_the_lowest_server() -> None:
    ins = instance([job("a", chunks=1, work=2)], slots=4, worker_servers=[[1.0], [1.0]])
    column = best_schedule(ins.jobs[0], zero_prices(ins.cluster), full_capacity(ins.cluster))
    assert column is not None
    assert column.workers.tolist() == [[0, 0, 1], [1, 0, 1]]
