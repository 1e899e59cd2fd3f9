"""The oracle against enumerated placements, and against the paper's Algorithms 4 to 7."""

from __future__ import annotations

import numpy as np
import pytest

from models.completion import CompletionInstance, Job, score
from models.completion.column import Column, schedule_of
from models.tolerance import usable
from solvers.completion.modes import (
    DURATION,
    INTERNAL,
    WORKER_TYPE,
    modes_of,
    placeable,
    shorter,
    undominated,
)
from solvers.completion.oracle import best_schedule
from tests.models.completion.brute_force import duration, placements
from tests.models.completion.small import instance, job, random_instance, ring_job
from tests.solvers.completion import literal

MODES = {
    "one server": (False, 1),
    "spread": (False, 0),
    "ring on one server": (True, 1),
    "ring": (True, 0),
}
SEEDS = 200


def case(
    seed: int, allreduce: bool
) -> tuple[CompletionInstance, np.ndarray, np.ndarray, np.ndarray, bool]:
    """An instance of one job; prices, free capacities and values, and whether it may run beyond."""
    rng = np.random.default_rng(seed)
    ins = random_instance(
        rng, allreduce=allreduce, jobs=1, slots=2, servers=int(rng.integers(2, 4)), chunks=3
    )
    slots = int(rng.integers(2, 6))
    shape = (slots, *ins.cluster.servers.shape)
    prices = rng.uniform(0, 3, shape) * (rng.random(shape) < rng.choice([0.0, 0.4, 1.0]))
    free = ins.cluster.servers * np.where(rng.random(shape) < 0.3, rng.random(shape), 1.0)
    beyond = bool(rng.random() < 0.5)
    weight = ins.jobs[0].weight
    if beyond:
        values = -weight * np.arange(slots + 40.0)
    elif rng.random() < 0.5:  # a deadline
        values = np.full(int(rng.integers(2, slots + 2)), 10.0 * weight)
    else:
        values = np.where(rng.random(slots + 1) < 0.3, -np.inf, rng.uniform(-9, 9, slots + 1))
    return ins, prices, free, values, beyond


def enumerated(
    ins: CompletionInstance,
    one: Job,
    prices: np.ndarray,
    free: np.ndarray,
    values: np.ndarray,
    beyond: bool,
    internal: int | None = None,
) -> float:
    """Best payoff over all placements; minus infinity if there is none."""
    best, slots = -np.inf, len(prices)
    for m, p, workers, ps in placements(ins, one):
        if internal is not None and internal != (np.count_nonzero(workers + ps) == 1):
            continue
        d = duration(ins, one, m, p, workers, ps)
        need = np.outer(workers, ins.cluster.worker_types[m])
        if not ins.cluster.allreduce:
            need = need + np.outer(ps, ins.cluster.ps_types[p])
        for start in range(one.arrival, (slots if beyond else slots - d) + 1):
            window = slice(start, start + d)
            if start + d < len(values) and (need <= usable(free[window])).all():
                best = max(best, values[start + d] - float((prices[window] * need).sum()))
    return best


def check(ins: CompletionInstance, column: Column, prices: np.ndarray, free: np.ndarray) -> None:
    """The column can be run, in what is free, and costs what it says."""
    broken = score(ins, schedule_of(ins, [column])).violations
    assert [one for one in broken if one.job in (None, ins.jobs[column.job].id)] == []
    servers, need = column.servers, column.amounts(ins.cluster)
    window = slice(column.start, min(column.completion, len(prices)))
    assert (need <= usable(free[window][:, servers])).all()
    assert column.cost == pytest.approx((prices[window][:, servers] * need).sum(), abs=1e-9)


def modes_with(one: Job, ins: CompletionInstance, internal: int) -> np.ndarray:
    """All modes on one server (1) or spread (0), also those that one of the other kind beats."""
    table = placeable(one, ins.cluster, shorter(one, ins.cluster))
    table = table[table[:, INTERNAL] == internal]
    return table[np.lexsort((table[:, WORKER_TYPE], table[:, DURATION]))]


@pytest.mark.parametrize(
    "seeds", [range(50), pytest.param(range(50, SEEDS), marks=pytest.mark.slow)], ids=["50", "150"]
)
@pytest.mark.parametrize("mode", MODES)
def test_it_is_the_best_of_all_placements(mode: str, seeds: range) -> None:
    allreduce, internal = MODES[mode]
    found = 0
    for seed in seeds:
        ins, prices, free, values, beyond = case(seed, allreduce)
        (one,) = ins.jobs
        for chosen, rows in (
            (internal, modes_with(one, ins, internal)),
            (None, modes_of(one, ins.cluster)),
        ):
            column = best_schedule(
                one, ins.cluster, prices, free, values, beyond=beyond, modes=rows
            )
            best = enumerated(ins, one, prices, free, values, beyond, chosen)
            if column is None:
                assert best == -np.inf
                continue
            found += 1
            assert column.payoff == pytest.approx(best, abs=1e-9)
            assert column.value == values[column.completion]
            check(ins, column, prices, free)
    assert found > len(seeds)


def test_among_equals_the_earliest_then_the_least_use_then_the_lowest_server() -> None:
    # Two workers take a slot, one takes two. At no price, completions 1 and 2 are worth the same.
    one = job("a", chunks=2)
    ins = instance([one], servers=[[3.0], [3.0]], slots=4)
    nothing, free = np.zeros((4, 2, 1)), np.full((4, 2, 1), 3.0)
    column = best_schedule(ins.jobs[0], ins.cluster, nothing, free, np.full(5, 7.0))
    assert column is not None
    assert (column.completion, column.servers.tolist(), column.workers.tolist()) == (1, [0], [2])
    # By 2 only: one worker for two slots holds 4 Gbps slots, two workers for one hold 3.
    late = np.array([-np.inf, -np.inf, 7.0])
    column = best_schedule(ins.jobs[0], ins.cluster, nothing, free, late)
    assert column is not None
    assert (column.start, column.workers.tolist()) == (1, [2])


def test_rows_that_none_is_below() -> None:
    rng = np.random.default_rng(0)
    for count in (0, 1, 40, 300):
        rows = rng.integers(0, 5, size=(count, 4)).astype(float)
        below = (rows[:, None] <= rows).all(axis=2)  # row i is below row j, or equal
        equal = below & below.T
        beaten = (below & ~equal).any(axis=0) | np.triu(equal, 1).any(axis=0)
        assert sorted(undominated(rows)) == np.flatnonzero(~beaten).tolist()


def test_first_replaces_the_arrival() -> None:
    ins = instance([job("a", 2)])
    nothing, free = np.zeros((4, 1, 1)), np.full((4, 1, 1), 2.0)
    values = np.full(5, 1.0)
    for first, start in ((None, 2), (0, 0), (3, 3)):
        column = best_schedule(ins.jobs[0], ins.cluster, nothing, free, values, first=first)
        assert column is not None and column.start == start
    assert best_schedule(ins.jobs[0], ins.cluster, nothing, free, values, first=4) is None


def test_e1_a_job_may_straddle_the_last_priced_slot() -> None:
    # T = 2, a = 1, d = 2: it completes at 3; starting at T it would at 4.
    ins = instance([job("a", 1, minibatches=2)], slots=2)
    nothing, free = np.zeros((2, 1, 1)), np.full((2, 1, 1), 2.0)
    found = best_schedule(ins.jobs[0], ins.cluster, nothing, free, -np.arange(9.0), beyond=True)
    assert found is not None and (found.start, found.completion) == (1, 3)
    assert best_schedule(ins.jobs[0], ins.cluster, nothing, free, -np.arange(9.0)) is None
    # A price of slot 1 that is worth a slot of waiting and more.
    prices = np.array([[[0.0]], [[0.75]]])
    found = best_schedule(ins.jobs[0], ins.cluster, prices, free, -np.arange(9.0), beyond=True)
    assert found is not None and (found.start, found.payoff) == (2, -4.0)


def earliest(ins: CompletionInstance) -> Column:
    """The schedule of the only job that completes first."""
    prices = np.zeros((1, *ins.cluster.servers.shape))
    free = ins.cluster.servers[None]
    column = best_schedule(ins.jobs[0], ins.cluster, prices, free, -np.arange(99.0), beyond=True)
    assert column is not None
    return column


def test_e5_e6_e8_by_hand() -> None:
    # E5: 1 to 6 workers take 12, 15, 12, 10, 9 and 7 slots on several servers; one alone 12.
    one = ring_job("a", chunks=6, minibatches=2, update_slots=2.0, gradient_mb=1.0)
    for room, slots in ((3.0, 7), (2.0, 10), (1.0, 12)):
        ins = instance([one], architecture="allreduce", servers=[[room], [room]])
        assert earliest(ins).duration == slots
    # E6: quotients that carry round-off.
    for count, each, slots in ((20, 0.65, 13), (25, 0.28, 7)):
        one = job("a", minibatches=count, minibatch_slots=[each])
        assert earliest(instance([one])).duration == slots
    # E8: with one GPU on server 0, two workers are elsewhere, which needs two PSs.
    ins = instance(
        [job("a", chunks=3)],
        resources=["gpu", "bandwidth_gbps"],
        servers=[[1.0, 8.0], [2.0, 4.0]],
        worker_types=[[1.0, 2.0]],
        ps_types=[[0.0, 3.0]],
    )
    column = earliest(ins)
    assert (column.workers.tolist(), column.ps.tolist()) == ([1, 2], [2, 0])


# ---- Algorithms 4 to 7 --------------------------------------------------------------------


def literal_case(seed: int, allreduce: bool) -> tuple[CompletionInstance, np.ndarray, np.ndarray]:
    ins, _, _, _, _ = case(seed, allreduce)
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(3, 7)), *ins.cluster.servers.shape)
    free = ins.cluster.servers * np.where(rng.random(shape) < 0.2, rng.random(shape), 1.0)
    return ins, rng.uniform(0, 3, shape), free


def cheapest(ins: CompletionInstance, prices: np.ndarray, free: np.ndarray) -> float:
    """Least cost of the oracle, without the last slot, which the paper's loops leave unused."""
    slots = len(prices)
    column = best_schedule(ins.jobs[0], ins.cluster, prices, free, np.full(slots, 0.0), first=0)
    return np.inf if column is None else column.cost


def test_algorithms_5_and_6_are_exact_on_one_server() -> None:
    for algorithm, allreduce in ((literal.one_server, False), (literal.ring_one_server, True)):
        for seed in range(SEEDS):
            ins, prices, free = literal_case(seed, allreduce)
            (one,) = ins.jobs
            column = best_schedule(
                one,
                ins.cluster,
                prices,
                free,
                np.zeros(len(prices)),
                first=0,
                modes=modes_with(one, ins, 1),
            )
            cost = algorithm(one, ins.cluster, prices, free).cost
            assert cost == pytest.approx(np.inf if column is None else column.cost)


@pytest.mark.parametrize("allreduce", [False, True])
def test_the_oracle_is_never_dearer_than_algorithms_4_and_7(allreduce: bool) -> None:
    algorithm = literal.ring if allreduce else literal.spread
    dearer = 0
    for seed in range(SEEDS):
        ins, prices, free = literal_case(seed, allreduce)
        mended = algorithm(ins.jobs[0], ins.cluster, prices, free, reset=True).cost
        best = cheapest(ins, prices, free)
        assert best <= mended + 1e-9
        column = best_schedule(
            ins.jobs[0],
            ins.cluster,
            prices,
            free,
            np.zeros(len(prices)),
            first=0,
            modes=modes_with(ins.jobs[0], ins, 0),
        )
        dearer += column is not None and column.cost < mended - 1e-9
    assert allreduce or dearer > 10  # Algorithm 4 misses the best spread placement


def e4() -> tuple[CompletionInstance, np.ndarray, np.ndarray]:
    """Worker costs 27 and 13, PS costs 45 and 24; no server holds both."""
    one = job("a", minibatch_slots=[1.0])
    ins = instance(
        [one],
        slots=2,
        resources=["gpu", "vcpu", "bandwidth_gbps"],
        servers=[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]],
        worker_types=[[1.0, 0.0, 1.0]],
        ps_types=[[0.0, 1.0, 1.0]],
    )
    prices = np.zeros((2, 2, 3))
    prices[:, :, 0], prices[:, :, 1] = (27.0, 13.0), (45.0, 24.0)
    return ins, prices, np.ones((2, 2, 3))


def test_e4_algorithm_4_is_not_optimal() -> None:
    ins, prices, free = e4()
    # The worker goes to the cheaper server 1, so that the PS has to be on server 0: 13 + 45.
    # Best is 27 + 24.
    (one,) = ins.jobs
    assert literal.spread(one, ins.cluster, prices, free, reset=True).cost == 58.0
    # N is 0 once the PS was tried on server 0: on server 1 it serves nobody.
    found = literal.spread(one, ins.cluster, prices, free)
    assert (found.workers, found.ps, found.cost) == ((0, 0), (0, 1), 24.0)
    assert cheapest(ins, prices, free) == 51.0
    # Where a server holds both, that is best: 13 + 24.
    free = 2.0 * free
    ins = instance(
        list(ins.file.jobs),
        slots=2,
        resources=["gpu", "vcpu", "bandwidth_gbps"],
        servers=[[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]],
        worker_types=[[1.0, 0.0, 1.0]],
        ps_types=[[0.0, 1.0, 1.0]],
    )
    assert cheapest(ins, prices, free) == 37.0


def test_algorithm_4_at_g_equal_to_n_has_no_ps() -> None:
    # One server with room for all: g = N = 1 leaves s = 0, so that it finds nothing there.
    ins = instance([job("a")])
    prices, free = np.ones((3, 1, 1)), np.full((3, 1, 1), 2.0)
    assert literal.spread(ins.jobs[0], ins.cluster, prices, free, reset=True).cost == np.inf
    assert cheapest(ins, prices, free) == 2.0


def test_algorithm_7_line_5_takes_the_duration_for_the_number_of_workers() -> None:
    # Three mini-batches of a slot: one worker takes 3 slots, for which line 5 places three workers.
    one = ring_job("a", minibatches=3)
    ins = instance([one], architecture="allreduce", servers=[[2.0], [2.0]])
    prices, free = np.ones((4, 2, 1)), np.full((4, 2, 1), 2.0)
    found = literal.ring(ins.jobs[0], ins.cluster, prices, free)
    assert (found.workers, found.cost) == ((2, 1), 9.0)
    assert literal.ring(ins.jobs[0], ins.cluster, prices, free, reset=True).cost == 3.0
    assert cheapest(ins, prices, free) == 3.0
