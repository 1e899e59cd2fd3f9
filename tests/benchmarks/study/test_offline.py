"""The offline cell: from where it starts, how it goes on, what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.study import offline as offline_module
from benchmarks.study.cell import Effort, Outcome, prepare
from benchmarks.study.compute import compute
from benchmarks.study.instances import given
from benchmarks.study.offline import CERTIFICATE, INSTANCE, incumbent_file, offline_cell
from benchmarks.study.run import run_cell
from benchmarks.study.scheme import Scheme
from benchmarks.study.store import Store
from models.problem import problem
from models.utility import UtilityInstance
from solvers.contract import OfflineSolver, offline_solver
from solvers.result import SolveResult
from tests.models.utility.small import constant, instance, job


def two_jobs() -> UtilityInstance:
    """Jobs of two slots each for one server, worth 3 and 1: both fit into four slots."""
    return instance([job("a", work=2, utility=constant(3.0)), job("b", arrival=1, work=2)], slots=4)


def solve(store: Store, effort: Effort, one: Any = None) -> Outcome:
    source, data = given(one or two_jobs())
    (outcome,) = compute([offline_cell(source, effort, data=data)], store=store)
    return outcome


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[float | None, Any]]]:
    """A solver that is stopped: its bound is 100 / seconds; lists limits and starts."""
    calls: list[tuple[float | None, Any]] = []
    offline_module._warm("utility", 1)

    def stopped(
        self: OfflineSolver, target: Any, *, time_limit: float | None, threads: int, start: Any
    ) -> SolveResult[Any]:
        calls.append((time_limit, start))
        assert time_limit is not None
        bound = 100.0 / time_limit
        return SolveResult(
            status="bounded",
            objective=None,
            bound=bound,
            schedule=None,
            duals=None,
            seconds=0.0,
            solver="stopped",
        )

    monkeypatch.setattr(OfflineSolver, "solve", stopped)
    yield calls


def test_a_proven_optimum_is_found_again_whatever_the_effort(tmp_path: Path) -> None:
    first = solve(Store(tmp_path), Effort(20.0))
    assert first.result is not None and first.result.proven
    assert first.result.value["objective"] == 4.0
    assert first.result.value["timed"] is False
    assert first.result.value["instance"] == "small"
    assert set(first.result.files) == {INSTANCE, CERTIFICATE, incumbent_file("utility")}
    assert set(first.result.times) == {"offline"}
    for effort in (Effort(1.0), Effort(99.0, 2), Effort(None)):
        again = solve(Store(tmp_path), effort)
        assert not again.ran and again.result is not None
        assert again.result.value == first.result.value


def test_a_stopped_solve_goes_on_and_is_never_worse(
    tmp_path: Path, limited: list[tuple[float | None, Any]]
) -> None:
    store = Store(tmp_path)

    def bound(seconds: float) -> tuple[float, bool]:
        outcome = solve(store, Effort(seconds))
        assert outcome.result is not None and not outcome.result.proven
        (found,) = outcome.result.value["bounds"]
        assert outcome.result.value["objective"] == 4.0  # of the policies that it starts from
        value: float = found["value"]
        return value, outcome.ran

    assert bound(10.0) == (10.0, True)
    assert bound(5.0) == (10.0, False)
    assert bound(20.0) == (5.0, True)
    assert [seconds for seconds, _ in limited] == [10.0, 20.0]
    assert all(start is not None for _, start in limited)


@pytest.mark.parametrize("timed", [False, True])
def test_it_says_whether_the_clock_steered_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limited: list[Any], timed: bool
) -> None:
    """A solve that is proven by itself may have begun with what the clock left of another."""
    stopped = OfflineSolver.solve

    def proven(self: OfflineSolver, *args: Any, **options: Any) -> SolveResult[Any]:
        return replace(stopped(self, *args, **options), bound=4.0, timed=timed)

    solve(Store(tmp_path / "stopped"), Effort(10.0))
    monkeypatch.setattr(OfflineSolver, "solve", proven)
    for folder, marked in (("new", timed), ("stopped", True)):
        outcome = solve(Store(tmp_path / folder), Effort(20.0))
        assert outcome.result is not None and outcome.result.proven
        assert outcome.result.value["timed"] is marked
        assert not solve(Store(tmp_path / folder), Effort(99.0)).ran


def test_a_worse_bound_of_a_longer_solve_does_not_replace_a_better_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limited: list[Any]
) -> None:
    store = Store(tmp_path)
    solve(store, Effort(10.0))
    stopped = OfflineSolver.solve

    def worse(self: OfflineSolver, *args: Any, **options: Any) -> SolveResult[Any]:
        return replace(stopped(self, *args, **options), bound=50.0)

    monkeypatch.setattr(OfflineSolver, "solve", worse)
    outcome = solve(store, Effort(20.0))
    assert outcome.ran and outcome.result is not None
    assert outcome.result.value["bounds"] == [{"value": 10.0, "source": "milp"}]


def test_it_starts_from_the_best_of_its_own_policies(limited: list[tuple[float, Any]]) -> None:
    one = two_jobs()
    source, data = given(one)
    compute([offline_cell(source, Effort(1.0), data=data, starts=["fifo"])])
    ((_, start),) = limited
    assert problem("utility").score(one, start).objective == 4.0
    compute([offline_cell(source, Effort(1.0), data=data, starts=[])])
    assert limited[1][1] is None


def test_a_problem_without_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = replace(offline_solver("utility"), certifier="", checker="")
    monkeypatch.setattr(offline_module, "offline_solver", lambda name: bare)
    source, data = given(two_jobs())
    (outcome,) = compute([offline_cell(source, Effort(20.0), data=data)])
    assert outcome.result is not None
    assert outcome.result.value["certified"] is None
    assert CERTIFICATE not in outcome.result.files


def test_what_is_compiled_is_compiled_before_the_time_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Each cell first solves and runs something small, and has measured nothing then.
    seen: list[str] = []
    before = OfflineSolver.solve

    def noted(self: OfflineSolver, target: Any, **options: Any) -> SolveResult[Any]:
        seen.append(target.name)
        return before(self, target, **options)

    monkeypatch.setattr(OfflineSolver, "solve", noted)
    offline_module._warm.cache_clear()
    source, data = given(two_jobs())
    cell = offline_cell(source, Effort(20.0), data=data)
    measure = prepare(cell, None)
    assert len(seen) == 1 and seen[0] != "small"
    measure()
    assert seen[1:] == ["small"]


def test_a_run_cell_finds_what_its_rows_need() -> None:
    source, data = given(two_jobs())
    (outcome,) = compute([run_cell(source, Scheme("fifo", "fifo"), data=data)])
    assert outcome.result is not None
    value = outcome.result.value
    assert (value["objective"], value["completed"], value["jobs"], value["violations"]) == (
        4.0,
        2,
        2,
        0,
    )
    assert (value["wider"], value["clairvoyant"], value["evidence"]) == (False, False, None)
    assert set(outcome.result.files) == {"schedule.json.gz"}
    assert outcome.result.times["policy"] > 0
