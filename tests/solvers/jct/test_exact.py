"""The exact solver of `jct` against exhaustive search and a second solver."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from models.errors import InputError
from models.jct import JctSchedule, score
from solvers.jct import exact
from solvers.jct.exact import solve
from solvers.result import SolveResult
from tests.models.jct.small import instance, job, server
from tests.solvers.jct.search import NO_SCHEDULE, least_jct, small, tiny

HARD = 13  # takes as long as all others
SEEDS = [seed for seed in range(60) if seed != HARD]
LONG = (101, 110, 113, 131, 132, 133)  # these take more than half of the time of all
SHORT = sorted(set(range(100, 140)) - set(LONG))


@cache
def solved(seed: int) -> SolveResult:
    return solve(tiny(seed), mip_rel_gap=0.0)


@pytest.mark.slow
def test_the_instances_are_worth_solving() -> None:
    feasible = [seed for seed in SEEDS if least_jct(seed) < NO_SCHEDULE]
    assert len(feasible) >= 50
    clusters = [tiny(seed).cluster for seed in feasible]
    assert sum(c.cloud for c in clusters) >= 25
    assert sum(c.has_storage_limits for c in clusters) >= 8
    assert sum(not c.cloud and len(c.ps_server) == 1 for c in clusters) >= 2
    results = [solved(seed) for seed in feasible]
    assert sum(r.bound_source == "milp" for r in results) >= 20  # the program was needed
    together = [r.schedule.together for r in results if r.schedule is not None]
    assert sum(t.any() and not t.all() for t in together) >= 8


@pytest.mark.parametrize(
    "seed", [n if n % 3 == 0 else pytest.param(n, marks=pytest.mark.slow) for n in range(60)]
)
def test_equals_exhaustive_search(seed: int) -> None:
    ins, result = tiny(seed), solved(seed)
    if least_jct(seed) == NO_SCHEDULE:
        assert result.status == "infeasible"
        return
    assert result.status == "optimal"
    assert result.objective == result.bound == least_jct(seed)
    assert result.schedule is not None
    judged = score(ins, result.schedule)
    assert judged.feasible
    assert judged.objective == least_jct(seed)


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_the_program_alone_finds_the_optimum(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without a schedule to start from, windows are as wide as they get.
    monkeypatch.setattr(exact, "list_schedule", lambda *_, **__: None)
    result = solve(tiny(seed), mip_rel_gap=0.0)
    if least_jct(seed) == NO_SCHEDULE:
        assert result.status == "infeasible"
    else:
        assert (result.status, result.objective) == ("optimal", least_jct(seed))


@pytest.mark.parametrize(
    ("seeds", "least"),
    [
        (SHORT[:6], 4),
        pytest.param(SHORT, 30, marks=pytest.mark.slow),
        pytest.param(LONG, 6, marks=pytest.mark.slow),
    ],
)
def test_equals_a_second_solver(seeds: Sequence[int], least: int) -> None:
    pytest.importorskip("pyscipopt")
    from tests.solvers.jct.scip import scip_optimum

    feasible = 0
    for seed in seeds:
        ins = small(seed)
        result, second = solve(ins, mip_rel_gap=0.0), scip_optimum(ins)
        assert result.objective == second, seed
        assert result.status == ("infeasible" if second is None else "optimal")
        feasible += second is not None
    assert feasible >= least


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


def test_tiny_chunks_beside_large_storage() -> None:
    # Each server could store all chunks, one of them in 10^-12 GB and a tolerance of 10^-6.
    size = {"chunk_slots": 2, "cloud_chunk_slots": 2, "cloud_upload_slots": 6, "chunk_gb": 1e-12}
    jobs = [job("a", 1, upload=[1, 1], chunks=2, requested_workers=2, **size)]
    jobs += [job("b", 1, upload=[1, 1], chunks=2, requested_workers=2, **size)]
    jobs += [job("c", 1, upload=[1, 1], **size)]
    found = [
        solve(instance(jobs, [server(1, 3, **one), server(1, 0, **other)], cloud=True, slots=100))
        for one, other in (({}, {}), ({"storage_gb": 1e-12}, {"storage_gb": 2.0}))
    ]
    assert [result.status for result in found] == ["optimal"] * 2
    assert found[0].objective == found[1].objective
