"""The offline side of `colocated`: optima of small instances, intervals of larger ones."""

from __future__ import annotations

import time

import numpy as np
import pytest

from models.colocated import ColocatedInstance, ColocatedSchedule, score
from models.errors import InputError
from models.tolerance import usable
from solvers.certificate import Verdict
from solvers.colocated import OFFLINE
from solvers.colocated.certificate import certify
from solvers.colocated.exact import OpenDeadlines, improve
from solvers.colocated.local_search import local_search
from solvers.colocated.offline import solve
from solvers.colocated.pool_bound import pool_bound
from solvers.colocated.timetable import Timetable, columns_of
from solvers.highs import HighsOptions
from solvers.price_certificate import TreePrices
from solvers.result import OPTIMAL_GAP, SolveResult
from tests.models.colocated.brute_force import optimum
from tests.models.colocated.small import NOTHING, instance, job, random_instance

pytestmark = pytest.mark.usefixtures("highs_here")


def tiny(seed: int, **size: int) -> ColocatedInstance:
    return random_instance(np.random.default_rng(seed), **size)


def crowd(seed: int) -> ColocatedInstance:
    """Sixty jobs, for which the exact program is not tried."""
    size = {"jobs": 60, "slots": 12, "servers": 6, "samples": 30, "max_workers": 8}
    return random_instance(np.random.default_rng(seed), **size)


def nothing_known(ins: ColocatedInstance, prices: np.ndarray) -> SolveResult[ColocatedSchedule]:
    """The interval of some prices and no job."""
    return SolveResult(
        status="feasible",
        objective=0.0,
        bound=pool_bound(ins, prices),
        schedule=ColocatedSchedule.build(ins, np.zeros(len(ins.jobs), dtype=bool), [], []),
        duals=TreePrices(prices),
        seconds=0.0,
        solver="none",
        bound_source="prices",
    )


@pytest.mark.parametrize("seed", range(30))
def test_the_optimum_is_that_of_brute_force(seed: int) -> None:
    ins = tiny(seed)
    best = optimum(ins)
    found = solve(ins, time_limit=None)
    assert found.status == "optimal" and not found.timed
    assert best * (1 - OPTIMAL_GAP) <= found.objective <= best * (1 + 1e-9)
    assert best * (1 - 1e-9) <= found.bound
    assert score(ins, found.schedule).objective == found.objective
    assert certify(ins, found.duals).bound >= best


@pytest.mark.parametrize("seed", range(12))
def test_nothing_better_is_closed(seed: int) -> None:
    # From any prices, and no schedule or a good one, the program has the optimum.
    ins, rng = tiny(seed), np.random.default_rng(seed)
    best = optimum(ins)
    prices = rng.exponential(0.5, (3, 2))
    options = HighsOptions(mip_rel_gap=0.0)
    found = improve(nothing_known(ins, prices), ins, options)
    assert found.objective == pytest.approx(best, rel=1e-6)
    again = improve(found, ins, options)
    assert again.objective == pytest.approx(best, rel=1e-6)
    assert again.bound == pytest.approx(best, rel=1e-6)


def test_what_is_worth_less_is_closed() -> None:
    ins = instance([job("a", samples=2), job("b")], slots=3)
    prices = np.zeros((3, 1))
    wide = OpenDeadlines.of(ins, prices, bound=2.0, known=0.5)
    assert wide.slots.tolist() == [[False, True, True], [True, True, True]]
    assert wide.out.tolist() == [True, True]
    tight = OpenDeadlines.of(ins, prices, bound=2.0, known=1.5)
    assert tight.out.tolist() == [False, False]


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_to_do_or_to_win(name: str) -> None:
    found = solve(NOTHING[name], time_limit=None)
    assert (found.status, found.objective) == ("optimal", 0.0)


# ---- larger instances, starts -------------------------------------------------------------


def test_an_interval_in_the_time_there_is() -> None:
    ins = crowd(0)
    solve(tiny(0), time_limit=1.0)  # compiles
    began = time.monotonic()
    found = solve(ins, time_limit=1.0)
    assert time.monotonic() - began < 10.0
    assert found.bound_source == "prices" and found.timed
    assert found.bound == certify(ins, found.duals).bound
    assert score(ins, found.schedule).feasible
    assert 0.0 < found.gap < 0.9


def test_it_is_never_worse_than_its_start() -> None:
    ins = tiny(5, jobs=4)
    best = solve(ins, time_limit=None).schedule
    found = solve(ins, time_limit=1e-3, start=best)
    assert found.objective >= score(ins, best).objective
    assert solve(ins, time_limit=1e-3).timed


def test_starts_that_are_none_are_refused() -> None:
    ins = instance([job("a", samples=2)])
    idle = ColocatedSchedule.build(ins, [True], [], [])
    with pytest.raises(InputError, match="start is no feasible schedule"):
        solve(ins, time_limit=1.0, start=idle)


def test_the_same_seed_finds_the_same_schedule() -> None:
    ins, prices = crowd(1), np.full((12, 2), 0.1)
    found = [
        local_search(ins, prices, np.random.default_rng(3), iterations=60)[0] for _ in range(2)
    ]
    assert np.array_equal(found[0].workers, found[1].workers)
    assert np.array_equal(found[0].ps, found[1].ps)


def test_local_search_improves_and_keeps_to_capacities() -> None:
    ins, prices = crowd(2), np.full((12, 2), 0.1)
    rng = np.random.default_rng(0)
    first, _ = local_search(ins, prices, rng, iterations=0)
    found, timed = local_search(ins, prices, rng, start=first, iterations=300)
    assert not timed
    before, after = (score(ins, schedule) for schedule in (first, found))
    assert before.feasible and after.feasible
    assert after.objective > before.objective


def test_a_timetable_is_what_its_jobs_leave() -> None:
    ins, prices = crowd(3), np.full((12, 2), 0.1)
    table = Timetable(ins, prices)
    for one in ins.jobs:
        table.insert(one.index, prices, -np.inf)
    schedule = ColocatedSchedule.of_columns(ins, table.columns.values())
    judged = score(ins, schedule)
    assert judged.feasible and len(table.columns) > 5
    assert table.value == pytest.approx(judged.objective)
    again = columns_of(ins, schedule)
    for index, known in table.columns.items():
        assert again[index].workers.tolist() == known.workers.tolist()
        assert again[index].ps.tolist() == known.ps.tolist()
        assert (again[index].completion, again[index].value) == (known.completion, known.value)
    for index in list(table.columns):
        table.remove(index)
    full = np.broadcast_to(usable(ins.cluster.servers), table._free.shape)
    assert table._free == pytest.approx(full)


def test_jobs_are_internal_where_that_is_faster() -> None:
    # Room for two pairs on one machine or four on both; internal is three times as fast.
    fast = job("a", samples=6, gradient_mb=9.0, max_workers=4, sample_slots=1 / 9, gamma=1.0)
    ins = instance([fast], slots=4, servers=[[4.0], [4.0]])
    found = solve(ins, time_limit=None)
    assert (found.status, found.objective) == ("optimal", 1.0)
    table = Timetable(ins, np.zeros((4, 1)))
    assert table.insert(0, np.zeros((4, 1)), 0.0)
    assert len(set(table.columns[0].workers[:, 1].tolist())) == 1


def test_what_it_offers(tmp_path) -> None:  # type: ignore[no-untyped-def]
    ins = tiny(1)
    found = OFFLINE.solve(ins, time_limit=None)
    made = OFFLINE.certify(ins, found.duals)
    assert made.bound >= found.objective
    assert OFFLINE.wider_bound(ins, found.duals) is None
    made.write(tmp_path / "bound.json")
    verdict = OFFLINE.check(tmp_path / "bound.json", ins)
    assert isinstance(verdict, Verdict) and verdict.accepted
