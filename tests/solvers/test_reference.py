"""SCIP and CP-SAT beside HiGHS: the same optima, intervals after a limit, statuses checked."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks.utility import WORKLOAD
from models.errors import InputError
from solvers import reference
from solvers.errors import WrongSolution
from solvers.highs import HighsOptions, LinearProgram, MatrixResult, solve
from solvers.pyomo_bridge import Engine
from solvers.reference import cp_sat, scip
from solvers.utility import compact_ilp
from tests.solvers.highs.test_random import CASES, EXACT, random_program
from tests.solvers.utility.test_exact import SMALL, best, contended

PACKAGE = {scip: "pyscipopt", cp_sat: "ortools"}
engines = pytest.mark.parametrize("engine", [scip, cp_sat], ids=["scip", "cp-sat"])

# max 1.5 a + b + 10, 2 a + 3 b <= 7, whole numbers up to 5: 14.5 at (3, 0).
TWO = LinearProgram(
    sense="max",
    cost=np.array([1.5, 1.0]),
    matrix=[[2.0, 3.0]],
    row_upper=np.array([7.0]),
    upper=np.array([5.0, 5.0]),
    integer=np.array([True, True]),
    offset=10.0,
)


@pytest.fixture(autouse=True)
def has_package(request: pytest.FixtureRequest) -> None:
    engine = getattr(request.node, "callspec", None)
    wanted = PACKAGE[engine.params.get("engine", scip)] if engine else "pyscipopt"
    pytest.importorskip(wanted)


@engines
def test_agrees_with_a_hand_solved_program(engine: Engine) -> None:
    found = engine(TWO, HighsOptions())
    assert (found.status, found.objective, found.x.tolist()) == ("optimal", 14.5, [3.0, 0.0])
    assert found.bound == pytest.approx(14.5, rel=1e-6)
    assert found.lift().solver.startswith({scip: "SCIP ", cp_sat: "CP-SAT "}[engine])


def test_scip_agrees_with_highs_on_random_programs() -> None:
    for seed in range(CASES):
        program = random_program(seed)
        one, other = solve(program, EXACT), scip(program, EXACT)
        assert other.status == one.status, seed
        assert other.objective == pytest.approx(one.objective, abs=1e-6), seed
        assert other.bound == pytest.approx(one.bound, abs=2e-6), seed


@pytest.mark.slow
def test_cp_sat_agrees_with_highs_on_random_programs() -> None:
    pytest.importorskip("ortools")
    for seed in range(12):
        program = replace(random_program(seed), integer=np.array(True))
        one, other = solve(program, EXACT), cp_sat(program, EXACT)
        assert other.status == one.status, seed
        assert other.objective == pytest.approx(one.objective, abs=1e-6), seed
        assert other.bound == pytest.approx(one.bound, abs=2e-6), seed


@engines
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 6))]
)
def test_agrees_with_brute_force_on_the_compact_ilp(engine: Engine, seed: int) -> None:
    found = compact_ilp.solve(contended(seed), engine=engine, mip_rel_gap=0.0)
    assert found.status == "optimal"
    assert found.objective == pytest.approx(best(seed), **SMALL)


@engines
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_bound_is_no_less_than_the_optimum_where_a_gap_is_left(engine: Engine, seed: int) -> None:
    found = compact_ilp.solve(contended(seed), engine=engine, mip_rel_gap=0.9)
    assert found.objective <= best(seed) * (1 + 1e-9)
    assert found.bound >= best(seed) * (1 - 1e-6)


@engines
@pytest.mark.slow
def test_a_time_limit_gives_an_interval(engine: Engine) -> None:
    ins = WORKLOAD.draw(jobs=10, slots=10, servers=(5, 5), seed=0)[0]
    optimum = 222.464960664  # of load 2.8; proven by HiGHS
    found = compact_ilp.solve(ins, engine=engine, time_limit=2.0)
    assert found.status in ("feasible", "bounded", "interrupted")
    assert found.objective is None or found.objective <= optimum * (1 + 1e-4)
    assert found.bound is None or found.bound >= optimum


@engines
def test_next_to_no_time_gives_nothing(engine: Engine) -> None:
    found = compact_ilp.solve(contended(0), engine=engine, time_limit=1e-6)
    assert (found.status, found.objective, found.bound) == ("interrupted", None, None)


@engines
def test_an_end_that_is_unknown_raises(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, {scip: "_SCIP", cp_sat: "_CP_SAT"}[engine], {})
    with pytest.raises(WrongSolution, match=r"ended as '?(optimal|OPTIMAL)"):
        engine(TWO, HighsOptions())


def test_no_schedule_at_all_raises() -> None:
    def says_infeasible(program: LinearProgram, options: HighsOptions) -> MatrixResult:
        none = solve(replace(TWO, row_upper=np.array([-1.0])))
        return replace(none, solver="other")

    with pytest.raises(WrongSolution, match="other says infeasible"):
        compact_ilp.solve(contended(0), engine=says_infeasible)


def test_a_dead_process_of_cp_sat_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ortools")
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.raises(WrongSolution, match="CP-SAT ended with code 1"):
        cp_sat(TWO, HighsOptions())


@pytest.mark.slow
def test_cp_sat_has_no_bound_where_it_may_have_lost_points() -> None:
    pytest.importorskip("ortools")
    # 2^53 / (2e9 * 1e6) is about 4: a coefficient of 1.3 is rounded to quarters.
    large = replace(TWO, matrix=[[2e9, 1.3]], row_upper=np.array([1e16]), upper=np.array(1e6))
    found = cp_sat(large, HighsOptions())
    assert found.bound is None and "no bound" in found.message


@pytest.mark.parametrize(
    ("engine", "change", "options", "fault"),
    [
        (cp_sat, {"integer": np.array(False)}, {}, "only for integer columns"),
        (cp_sat, {"upper": np.array(np.inf)}, {}, "only for integer columns"),
        (scip, {}, {"node_limit": 1}, "takes time_limit, mip_rel_gap, threads and seed alone"),
    ],
)
def test_what_a_solver_would_drop_is_refused(
    engine: Engine, change: dict[str, Any], options: dict[str, Any], fault: str
) -> None:
    with pytest.raises(InputError, match=fault):
        engine(replace(TWO, **change), HighsOptions(**options))
