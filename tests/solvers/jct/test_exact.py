"""The exact solver of `jct` against exhaustive search and a second solver."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from models.errors import InputError
from models.jct import JctInstance, JctSchedule, score
from solvers.jct import exact
from solvers.jct.exact import solve
from tests.solvers.jct.search import NO_SCHEDULE, contended, exhaustive

SEEDS = range(60)
SECOND = range(100, 140)


@cache
def tiny(seed: int) -> JctInstance:
    return contended(seed, most_slots=3)


@cache
def best(seed: int) -> int:
    return exhaustive(tiny(seed))


def small(seed: int) -> JctInstance:
    """4 to 6 jobs on 2 to 4 workers."""
    return contended(seed, jobs=4 + seed % 3, most_workers=4, most_chunks=2, most_slots=3, slots=16)


def test_the_instances_are_worth_solving() -> None:
    feasible = [seed for seed in SEEDS if best(seed) < NO_SCHEDULE]
    assert len(feasible) >= 50
    clusters = [tiny(seed).cluster for seed in feasible]
    assert sum(c.cloud for c in clusters) >= 25
    assert sum(c.has_storage_limits for c in clusters) >= 8
    assert sum(not c.cloud and len(c.ps_server) == 1 for c in clusters) >= 2
    results = [solve(tiny(seed)) for seed in feasible]
    assert sum(r.bound_source == "milp" for r in results) >= 20  # the program was needed
    together = [r.schedule.together for r in results if r.schedule is not None]
    assert sum(t.any() and not t.all() for t in together) >= 8


@pytest.mark.parametrize("seed", SEEDS)
def test_equals_exhaustive_search(seed: int) -> None:
    ins, result = tiny(seed), solve(tiny(seed), mip_rel_gap=0.0)
    if best(seed) == NO_SCHEDULE:
        assert result.status == "infeasible"
        return
    assert result.status == "optimal"
    assert result.objective == result.bound == best(seed)
    assert result.schedule is not None
    judged = score(ins, result.schedule)
    assert judged.feasible
    assert judged.objective == best(seed)


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_the_program_alone_finds_the_optimum(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without a schedule to start from, windows are as wide as they get.
    monkeypatch.setattr(exact, "list_schedule", lambda *_, **__: None)
    result = solve(tiny(seed), mip_rel_gap=0.0)
    if best(seed) == NO_SCHEDULE:
        assert result.status == "infeasible"
    else:
        assert (result.status, result.objective) == ("optimal", best(seed))


def test_equals_a_second_solver() -> None:
    pytest.importorskip("pyscipopt")
    from tests.solvers.jct.scip import scip_optimum

    solved = 0
    for seed in SECOND:
        ins = small(seed)
        result, second = solve(ins, mip_rel_gap=0.0), scip_optimum(ins)
        assert result.objective == second, seed
        assert result.status == ("infeasible" if second is None else "optimal")
        solved += second is not None
    assert solved >= 30


def test_a_start_is_never_lost() -> None:
    ins = small(110)
    found = solve(ins)
    again = solve(ins, start=found.schedule, time_limit=0.01)
    assert again.objective == found.objective
    assert again.status in ("optimal", "feasible")


def test_a_program_too_large_for_memory_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    ins = small(110)
    monkeypatch.setattr(exact, "_MOST", 10)
    result = solve(ins)
    assert result.status == "feasible"
    assert result.bound_source == "prices"
    assert re.search(r"its program has about \d+ nonzeros, more than 10", result.message)


def test_the_same_call_gives_the_same_schedule() -> None:
    first, second = (solve(small(109)).schedule for _ in range(2))
    assert first is not None and second is not None
    assert first.workers.tolist() == second.workers.tolist()
    assert first.ps.tolist() == second.ps.tolist()


def test_bad_arguments_are_refused() -> None:
    ins = small(102)
    with pytest.raises(InputError, match="time_limit"):
        solve(ins, time_limit=0.0)
    none = np.zeros((0, 5))
    nothing = [False] * len(ins.jobs)
    with pytest.raises(InputError, match=r"start is no feasible schedule: .*chunks"):
        solve(ins, start=JctSchedule.build(ins, nothing, none, none))
    with pytest.raises(InputError, match="migrate"):
        solve(ins, start=JctSchedule.build(ins, nothing, none, none, migration=True))
    other = small(103)
    with pytest.raises(InputError, match="another instance"):
        solve(ins, start=JctSchedule.build(other, [False] * len(other.jobs), none, none))
