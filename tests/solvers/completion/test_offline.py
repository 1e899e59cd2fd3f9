"""The offline side of `completion`: optima of small instances, intervals of larger ones."""

from __future__ import annotations

import time

import msgspec
import numpy as np
import pytest

from models.completion import CompletionInstance, CompletionSchedule, score
from models.completion.column import Column, columns_of, schedule_of
from models.completion.formulations.time_indexed import horizon
from models.errors import InputError
from models.tolerance import usable
from solvers.completion import OFFLINE
from solvers.completion.certificate import certify
from solvers.completion.elastic_bound import elastic_bound
from solvers.completion.exact import OpenStarts
from solvers.completion.local_search import local_search
from solvers.completion.offline import solve
from solvers.completion.pool_bound import PoolOracle
from solvers.completion.timetable import Timetable
from solvers.highs import HighsOptions
from solvers.result import OPTIMAL_GAP
from tests.models.completion.brute_force import best_choice, columns
from tests.models.completion.small import instance, job, papers_example, random_instance
from tests.seeds import seeds

pytestmark = pytest.mark.usefixtures("highs_here")


def tiny(seed: int, **size: int) -> CompletionInstance:
    rng = np.random.default_rng(seed)
    size = {"jobs": int(rng.integers(2, 4)), "servers": int(rng.integers(1, 4)), **size}
    return random_instance(rng, allreduce=seed % 2 == 1, **size)


def serial(ins: CompletionInstance) -> dict[int, Column]:
    """A poor schedule: one job after the other, each alone."""
    table, found, end = Timetable(PoolOracle(ins)), {}, 0
    for one in ins.jobs:
        table.renew({})
        column = table.insert(one, np.zeros((1, len(ins.cluster.resources))))
        assert column is not None
        start = max(end, one.arrival)
        end = start + column.duration
        fields = {**column.__dict__, "start": start, "value": -one.weight * end}
        found[one.index] = Column(**fields)
    return found


@pytest.mark.parametrize("seed", seeds(30, quick=6))
def test_the_optimum_is_that_of_brute_force(seed: int) -> None:
    ins = tiny(seed)
    best = -best_choice(ins, columns(ins, end=horizon(ins)), all_jobs=True)[0]
    found = solve(ins, time_limit=None)
    assert found.status == "optimal"
    assert found.objective == pytest.approx(best)
    assert best * (1 - OPTIMAL_GAP) <= found.bound <= best * (1 + 1e-9)
    assert score(ins, found.schedule).objective == found.objective
    assert certify(ins, found.duals).bound <= best


@pytest.mark.parametrize("seed", seeds(20, quick=3))
def test_the_optimum_is_that_of_scip(seed: int) -> None:
    pytest.importorskip("pyscipopt")
    from tests.solvers.completion.scip import scip_optimum

    ins = tiny(seed, jobs=5, servers=2, slots=2)
    found = solve(ins, time_limit=None)
    assert found.objective == pytest.approx(scip_optimum(ins, columns(ins, end=horizon(ins))))


@pytest.mark.parametrize("seed", seeds(12, quick=6))
def test_nothing_better_is_left_out(seed: int) -> None:
    # From a poor schedule and any prices, the program has the optimum, unless that is known.
    ins, rng = tiny(seed), np.random.default_rng(seed)
    best = -best_choice(ins, columns(ins, end=horizon(ins)), all_jobs=True)[0]
    prices = rng.exponential(0.2, (int(rng.integers(0, 6)), 2))
    program = OpenStarts.of(PoolOracle(ins), prices, serial(ins), np.inf)
    assert program is not None
    result, found = program.solve(HighsOptions(mip_rel_gap=0.0), np.inf)
    assert result.objective == pytest.approx(best)
    assert found is not None and score(ins, found).feasible
    known = columns_of(ins, found)
    again = OpenStarts.of(PoolOracle(ins), prices, known, np.inf)
    assert again is not None
    assert sum(map(len, again.starts)) <= sum(map(len, program.starts))
    assert again.solve(HighsOptions(mip_rel_gap=0.0), np.inf)[0].objective == pytest.approx(best)


def test_programs_that_take_long_to_build_are_left_out() -> None:
    ins = crowd(0)
    for effort in (1e-3, 1.0):
        assert OpenStarts.of(PoolOracle(ins), np.zeros((0, 2)), serial(ins), effort) is None


@pytest.mark.parametrize(("unit", "worth"), [(1e9, 1e-6), (1e3, 1e9)])
@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_units_do_not_matter(seed: int, unit: float, worth: float) -> None:
    ins = tiny(seed)
    file = ins.file
    tables = {
        name: [[row[0] * unit, *row[1:]] for row in getattr(file, name)]
        for name in ("servers", "worker_types", "ps_types")
    }
    jobs = [msgspec.structs.replace(one, weight=one.weight * worth) for one in file.jobs]
    other = CompletionInstance.from_file(msgspec.structs.replace(file, jobs=jobs, **tables))
    one, two = solve(ins, time_limit=None), solve(other, time_limit=None)
    assert two.objective == pytest.approx(one.objective * worth)
    assert two.bound == pytest.approx(one.bound * worth, rel=2e-4)


def test_the_papers_example() -> None:
    assert solve(papers_example(), time_limit=None).objective == 25.0


def test_no_jobs() -> None:
    found = solve(instance([]), time_limit=1.0)
    assert (found.status, found.objective, found.bound) == ("optimal", 0.0, 0.0)


# ---- larger instances, starts -------------------------------------------------------------


def crowd(seed: int) -> CompletionInstance:
    """Forty jobs, for which the exact program is too large in a second."""
    rng = np.random.default_rng(seed)
    return random_instance(rng, jobs=40, slots=20, servers=4, chunks=5, types=4)


def test_an_interval_in_the_time_there_is() -> None:
    ins = crowd(0)
    solve(tiny(0), time_limit=1.0)  # compiles
    began = time.monotonic()
    found = solve(ins, time_limit=1.0)
    assert time.monotonic() - began < 10.0
    assert found.bound_source == "prices"
    assert found.bound == certify(ins, found.duals).bound
    assert score(ins, found.schedule).feasible
    assert 0.0 < found.gap < 0.5


def test_it_is_never_worse_than_its_start() -> None:
    ins = tiny(5, jobs=4)
    best = solve(ins, time_limit=None).schedule
    found = solve(ins, time_limit=1e-3, start=best)
    assert found.objective == score(ins, best).objective


def test_it_says_whether_the_clock_played_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    def moves(number: int) -> None:
        for name in ("_ITERATIONS_FIRST", "_ITERATIONS"):
            monkeypatch.setattr(f"solvers.completion.offline.{name}", number)

    # A search whose time runs out before its moves cools down by the clock.
    moves(200)
    assert not solve(crowd(1), time_limit=None).timed
    moves(10**9)
    assert solve(crowd(1), time_limit=2.0).timed
    assert solve(tiny(5, jobs=4), time_limit=1e-3).timed
    alone = solve(instance([job("a", minibatches=2)]), time_limit=1e6)
    assert alone.is_optimal and not alone.timed


def test_starts_that_are_none_are_refused() -> None:
    ins = instance([job("a", minibatches=2), job("b")])
    empty = CompletionSchedule.build(ins, [-1, -1], [-1, -1], [])
    with pytest.raises(InputError, match="start is no feasible schedule"):
        solve(ins, time_limit=1.0, start=empty)
    rows = [(0, 0, 1, 0, 1, 1), (0, 2, 3, 0, 1, 1), (1, 1, 2, 0, 1, 1)]
    paused = CompletionSchedule.build(ins, [0, 0], [0, 0], rows, elastic=True)
    assert score(ins, paused).feasible
    with pytest.raises(InputError, match="constant"):
        solve(ins, time_limit=1.0, start=paused)


def test_local_search_improves_and_keeps_to_capacities() -> None:
    ins = crowd(1)
    oracle, order, prices = PoolOracle(ins), [np.arange(40)], np.zeros((0, 2))
    rng = np.random.default_rng(0)
    first, _ = local_search(oracle, prices, order, rng, iterations=0)
    found, timed = local_search(oracle, prices, order, rng, start=first, iterations=500)
    assert not timed
    before, after = (score(ins, schedule_of(ins, each.values())) for each in (first, found))
    assert after.feasible
    assert after.objective < before.objective


def test_a_timetable_is_what_its_columns_leave() -> None:
    ins = crowd(2)
    table, total = Timetable(PoolOracle(ins)), np.zeros((1, 2))
    for one in ins.jobs:
        assert table.insert(one, total) is not None
    schedule = schedule_of(ins, table.columns.values())
    assert -table.value == pytest.approx(score(ins, schedule).objective)
    for index, column in columns_of(ins, schedule).items():
        known = table.columns[index]
        assert (column.start, column.completion) == (known.start, known.completion)
        assert (column.worker_type, column.ps_type) == (known.worker_type, known.ps_type)
        assert column.workers.tolist() == known.workers.tolist()
    last = max(table.columns.values(), key=lambda column: column.completion)
    removed = table.remove(last.job)
    one = ins.jobs[last.job]
    assert table.insert(one, total, removed.completion - 1) is None
    again = table.insert(one, total, removed.completion)
    assert again is not None and again.completion == removed.completion
    for index in list(table.columns):
        table.remove(index)
    assert table._free == pytest.approx(
        np.broadcast_to(usable(ins.cluster.servers), table._free.shape)
    )


def test_what_it_offers() -> None:
    ins = tiny(1)
    found = OFFLINE.solve(ins, time_limit=None)
    assert OFFLINE.certify(ins, found.duals).bound <= found.objective
    assert OFFLINE.wider_bound(ins, found.duals) == elastic_bound(ins, found.duals.prices)
