"""Packing cuts: what separation remembers from one load to the next changes no answer."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
from scipy.optimize import linprog

from solvers.highs import HighsOptions
from solvers.highs import solve as run_highs
from solvers.highs.engine import HighsError
from solvers.highs.growing import OutOfTime
from solvers.packing import best_packings
from solvers.packing_groups import most_worth, packing_groups
from solvers.utility import separation
from solvers.utility.search_state import SearchState
from solvers.utility.separation import Mixture, PackingSeparator
from solvers.utility.sparse_rows import NEVER
from solvers.utility.totals_program import SIDES, TotalsProgram
from tests.models.utility.small import instance, job
from tests.solvers.utility.test_exact import contended


@pytest.mark.parametrize("seed", range(8))
def test_a_separator_tells_the_same_whatever_it_was_asked_before(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = packing_groups(rng.integers(2, 6, (4, 2)).astype(float))
    demand = rng.integers(1, 4, (5, 2)).astype(float)
    limit = rng.integers(1, 4, 5)
    separator, broken = PackingSeparator(groups, demand, limit), 0
    for _ in range(40):
        load = rng.random(5) * rng.integers(0, 9, 5)  # many of them without some jobs
        cut, fresh = separator.cut(load), PackingSeparator(groups, demand, limit).cut(load)
        assert (cut is None) == (fresh is None)
        if cut is not None:
            broken += 1
            assert cut.weight @ load > cut.capacity
            assert most_worth(groups, demand, cut.weight, limit) <= cut.capacity * (1 + 1e-9)
    assert 0 < broken < 40


def test_a_cut_that_was_found_is_not_lost_in_later_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    lost_before = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        groups = packing_groups(rng.integers(2, 9, (4, 2)).astype(float))
        demand = rng.integers(1, 4, (8, 2)).astype(float)
        limit = rng.integers(1, 4, 8)
        load = rng.random(8) * rng.integers(0, 5, 8)
        found = []
        for rounds in range(1, 9):
            monkeypatch.setattr(separation, "_MOST_ROUNDS", rounds)
            found.append(PackingSeparator(groups, demand, limit).cut(load) is not None)
        assert found == sorted(found)
        lost_before += found[0] < found[-1]
    assert lost_before  # on some of them one round does not suffice


def test_separation_begins_with_the_packings_of_the_last_mixture(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Three servers of (5, 5) hold whole packings whose mixture has 2, 1.5 and 1 of the jobs.
    demand = np.array([[2.0, 1.0], [1.0, 2.0], [1.0, 1.0]])
    separator = PackingSeparator(packing_groups(np.full((3, 2), 5.0)), demand, np.full(3, 9))
    asked: list[int] = []

    def counted(*arguments: object) -> object:
        asked.append(1)
        return best_packings(*arguments)

    monkeypatch.setattr(separation, "best_packings", counted)
    load = np.array([2.0, 1.5, 1.0])
    assert separator.mixture(load).cut is None
    assert asked
    asked.clear()
    assert separator.mixture(0.99 * load).cut is None
    assert not asked  # the same mixture holds it
    with pytest.raises(OutOfTime):
        separator.mixture(load, time.monotonic() - 1)  # and all is forgotten
    assert separator.mixture(load).cut is None
    assert asked


@pytest.mark.parametrize("seed", range(6))
def test_a_cut_shows_nearly_all_of_the_least_shortfall(seed: int) -> None:
    # The shortfall by a linear program over every packing of every server.
    rng = np.random.default_rng(seed)
    servers = rng.integers(2, 6, (3, 2)).astype(float)
    demand, limit = rng.integers(1, 4, (4, 2)).astype(float), rng.integers(1, 4, 4)
    all_of_them = [np.array(y) for y in itertools.product(*(range(n + 1) for n in limit))]
    held = [
        (s, y)
        for s, server in enumerate(servers)
        for y in all_of_them
        if (y @ demand <= server).all()
    ]
    separator, cuts = PackingSeparator(packing_groups(servers), demand, limit), 0
    for _ in range(20):
        load = rng.random(4) * rng.integers(0, 9, 4)
        least = linprog(
            np.append(np.ones(4), np.zeros(len(held))),
            A_ub=np.vstack(
                [
                    np.hstack([-np.eye(4), -np.array([y for _, y in held]).T]),
                    np.hstack([np.zeros((3, 4)), np.array([np.eye(3)[s] for s, _ in held]).T]),
                ]
            ),
            b_ub=np.append(-load, np.ones(3)),
        ).fun
        cut = separator.cut(load)
        assert (cut is not None) == (least > 1e-3)
        if cut is not None:
            cuts += 1
            assert cut.weight.max() <= 1 + 1e-9
            assert 0.95 * least - 1e-9 <= cut.weight @ load - cut.capacity <= least + 1e-6
    assert cuts


def test_only_loads_that_may_break_a_cut_are_separated(monkeypatch: pytest.MonkeyPatch) -> None:
    ins = contended(3)
    totals = TotalsProgram(ins)
    known = SearchState(ins, totals.limits, time.monotonic() + 60, HighsOptions())
    x = run_highs(totals.program(whole=False)).x
    asked: list[np.ndarray] = []

    def holds(_: object, load: np.ndarray, __: float) -> Mixture:
        asked.append(load.copy())
        return Mixture(None, np.zeros(0, dtype=np.int64), np.zeros((0, len(load)), dtype=np.int64))

    monkeypatch.setattr(PackingSeparator, "mixture", holds)

    def asks(point: np.ndarray) -> int:
        asked.clear()
        assert not known.find_cuts(totals, point)
        return len(asked)

    # Not asked of those that are nowhere larger than the load of a slot before them.
    loads = [totals.loads(x, side) for side in SIDES]
    larger = [
        load.max() > 1e-7 and not any((load <= before + 1e-7).all() for before in one[:t])
        for one in loads
        for t, load in enumerate(one)
    ]
    assert asks(x) == sum(larger) > 2
    assert asks(x) == asks(0.9 * x) == 0
    for side in SIDES:
        for column in totals.counts(side)[-1]:
            if column != NEVER:
                more = x.copy()
                more[column] += 0.5
                assert asks(more) == 1  # one of its jobs alone has more than before


def test_a_load_is_separated_again_where_no_answer_was_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ins = contended(3)
    totals = TotalsProgram(ins)
    known = SearchState(ins, totals.limits, time.monotonic() + 60, HighsOptions())
    x = 1.5 * run_highs(totals.program(whole=False)).x
    with monkeypatch.context() as patch:

        def fail(*_: object) -> None:
            raise HighsError("no answer")

        patch.setattr(PackingSeparator, "mixture", fail)
        assert known.find_cuts(totals, x) == []
        assert known.place(SIDES[0], np.ceil(totals.loads(x, SIDES[0])[0])).cut is None
    assert known.find_cuts(totals, x)


def test_a_load_that_breaks_a_cut_is_separated_again() -> None:
    ins = contended(3)
    totals = TotalsProgram(ins)
    known = SearchState(ins, totals.limits, time.monotonic() + 60, HighsOptions())
    x = 1.5 * run_highs(totals.program(whole=False)).x
    found = known.find_cuts(totals, x)
    assert found
    assert [side for side, _ in known.find_cuts(totals, x)] == [side for side, _ in found]


def test_points_have_no_more_parameter_servers_than_their_workers_need() -> None:
    # B / b = 2.5: 1 to 2 workers need one, 3 to 5 two, 6 three. The program allows more.
    ins = instance(
        [job("a", chunks=6, work=12, ps=[2.5])], worker_servers=[[9.0]], ps_servers=[[99.0]]
    )
    totals = TotalsProgram(ins)
    n, m = (totals.counts(side)[:, 0] for side in SIDES)
    x = np.zeros(totals.columns)
    x[n], x[m], x[totals.done[0]] = [6.0, 0.0, 1.0, 5.0], [3.0, 3.0, 2.0, 3.0], 1.0
    program = totals.program()
    used = program.matrix @ x
    assert (used <= program.row_upper + 1e-9).all()
    assert (used >= program.row_lower - 1e-9).all()
    needed = totals.with_ps_needed(x)
    assert needed[m].tolist() == [3.0, 0.0, 1.0, 2.0]
    assert needed[n].tolist() == x[n].tolist()
    assert x[m].tolist() == [3.0, 3.0, 2.0, 3.0]
