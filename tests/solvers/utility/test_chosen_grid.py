"""Slots whose prices are nearly the same are taken together."""

from __future__ import annotations

import itertools
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.utility import UtilityInstance
from solvers.utility import branching
from solvers.utility.branching import branched
from solvers.utility.chosen_grid import chosen_grid
from solvers.utility.deadline_relaxation import DeadlineRelaxation
from solvers.utility.deadlines import DeadlineOptions
from solvers.utility.deadlines.state import DeadlineState
from solvers.utility.pool_bound import PoolPrices, PricedCut
from solvers.utility.time_grid import TimeGrid
from tests.models.utility.small import instance, job, random_instance
from tests.solvers.utility.test_deadline_search import empty, told_nothing


def starts(
    ins: UtilityInstance, prices: PoolPrices, share: float, done: np.ndarray | None = None
) -> list[int]:
    """First slots of the grid; each job completes in the last slot unless told otherwise."""
    if done is None:
        done = np.zeros((ins.cluster.slots, len(ins.jobs)))
        done[-1] = 1.0
    return chosen_grid(ins, prices, done, share).starts.tolist()


def alike(slots: int) -> UtilityInstance:
    """Two jobs whose worker takes 1 Gbps, with parameter servers of 1 and 4 Gbps."""
    return instance([job("a", work=2), job("b", work=2, ps=[4.0])], slots=slots)


def price(*values: float) -> np.ndarray:
    return np.array(values)[:, None]


def test_a_grid_worked_by_hand() -> None:
    # Squares of {1, 2} {6, 5, 9} are 1/2 + 26/3; of {1, 2} {6, 5} {9}, 1/2 + 1/2: nothing is less.
    ins, free = alike(5), price(0, 0, 0, 0, 0)
    assert starts(ins, PoolPrices(price(1, 2, 6, 5, 9), free), 3 / 5) == [0, 2, 4]
    assert starts(ins, PoolPrices(price(1, 2, 6, 5, 9), free), 2 / 5) == [0, 2]
    assert starts(ins, PoolPrices(price(1, 2, 6, 5, 9), free), 0.01) == [0]


def test_jobs_count_by_their_work_and_parameter_servers_by_what_a_worker_needs_of_them() -> None:
    # A worker of b needs a quarter of a parameter server of 4 Gbps: it costs as much as that of a.
    ins = alike(3)
    workers_vary, ps_vary = price(0, 3, 3), price(0, 0, 2)
    assert starts(ins, PoolPrices(workers_vary, ps_vary), 2 / 3) == [0, 1]
    assert starts(ins, PoolPrices(workers_vary, 2 * ps_vary), 2 / 3) == [0, 2]
    # A cut prices only b. It matters where b does any work.
    cut = PricedCut(0, 2, 4.0, np.array([0.0, 1.0]))
    for done, expected in ((1.0, [0, 2]), (0.1, [0, 1])):
        completions = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, done]])
        given_prices = PoolPrices(workers_vary / 2, 0 * ps_vary, (cut,))
        assert starts(ins, given_prices, 2 / 3, completions) == expected


@pytest.mark.parametrize(
    "ins", [instance([], slots=4), alike(4)], ids=["no jobs", "nothing completes"]
)
def test_where_nothing_is_lost_there_are_as_many_intervals(ins: UtilityInstance) -> None:
    nothing = np.zeros((4, len(ins.jobs)))
    for prices in (price(0, 0, 0, 0), price(4, 3, 2, 1)):
        found = starts(ins, PoolPrices(prices, prices), 1 / 2, nothing)
        assert len(found) == 2
        assert found[0] == 0


def test_equal_prices_are_divided_evenly_and_large_ones_do_not_overflow() -> None:
    ins, free = alike(6), price(0, 0, 0, 0, 0, 0)
    assert starts(ins, PoolPrices(free, free), 1 / 2) == [0, 2, 4]
    assert starts(ins, PoolPrices(price(5, 0, 0, 0, 0, 0), free), 1 / 2) == [0, 1, 3]
    for unit in (1e-200, 1.0, 1e200):
        prices = PoolPrices(unit * price(1, 1, 1, 2, 2, 4), free)
        assert starts(ins, prices, 1 / 2) == [0, 3, 5]


def test_search_and_tree_have_a_grid_by_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    grids: list[list[int]] = []

    class Watched(DeadlineRelaxation):
        def __init__(self, *given: Any, grid: TimeGrid | None = None, **options: Any) -> None:
            grids.append([] if grid is None else grid.starts.tolist())
            super().__init__(*given, grid=grid, **options)

    monkeypatch.setattr(branching, "DeadlineRelaxation", Watched)
    ins, done = alike(5), np.zeros((5, 2))
    done[4] = 1.0
    for jump in (1, 2, 4):
        prices = PoolPrices((np.arange(5.0) >= jump)[:, None], np.zeros((5, 1)))
        relaxation = told_nothing(ins, 30.0)._replace(prices=prices, completions=done)
        options = DeadlineOptions(provable=0)
        state = DeadlineState(ins, relaxation, empty(ins), time.monotonic() + 60, options)
        assert state.on_grid.grid.starts.tolist() == [0, jump]
        branched(ins, prices, completions=done, leaves=2)
        assert grids.pop(0) == [0, jump]
        grids.clear()


def loss_of(
    ins: UtilityInstance, prices: PoolPrices, done: np.ndarray, slots: list[list[int]]
) -> float:
    """Squares of what workers cost less the average of their interval, in loops."""
    total = 0.0
    for i, record in enumerate(ins.jobs):
        ps_share = record.worker_gbps / record.ps_gbps
        for side, demand, rows, each in (
            (0, record.worker, prices.worker, 1.0),
            (1, record.ps, prices.ps, ps_share),
        ):
            cost = [
                each
                * (
                    sum(float(p) * float(d) for p, d in zip(row, demand, strict=True))
                    + sum(
                        cut.price * float(cut.weight[i])
                        for cut in prices.cuts
                        if (cut.side, cut.slot) == (side, t)
                    )
                )
                for t, row in enumerate(rows)
            ]
            for interval in slots:
                mean = sum(cost[t] for t in interval) / len(interval)
                squares = sum((cost[t] - mean) ** 2 for t in interval)
                total += record.work * float(done[:, i].sum()) * squares
    return total


@given(st.integers(0, 10**6), st.integers(1, 7), st.integers(1, 7))
def test_no_grid_of_as_many_intervals_loses_less(seed: int, slots: int, count: int) -> None:
    count = min(count, slots)
    rng = np.random.default_rng(seed)
    ins = random_instance(rng, jobs=3, slots=slots)
    cuts = tuple(
        PricedCut(int(side), int(rng.integers(slots)), float(rng.exponential()), rng.random(3))
        for side in rng.integers(0, 2, rng.integers(0, 4))
    )
    prices = PoolPrices(rng.exponential(size=(slots, 2)), rng.exponential(size=(slots, 2)), cuts)
    done = rng.random((slots, 3)) * (rng.random((slots, 3)) < 0.5)

    def loss(first: list[int]) -> float:
        ends = [*first[1:], slots]
        return loss_of(
            ins, prices, done, [list(range(*pair)) for pair in zip(first, ends, strict=True)]
        )

    found = starts(ins, prices, count / slots - 1e-9, done)
    assert len(found) == count
    others = itertools.combinations(range(1, slots), count - 1)
    least = min(loss([0, *chosen]) for chosen in others)
    # Ties are decided by a millionth of what one interval for all slots would lose.
    assert loss(found) <= least + 1e-5 * loss([0]) + 1e-9
