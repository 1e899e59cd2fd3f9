"""What counts as a solution, whoever proposes it; and what results may claim."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from solvers.highs import HighsOptions, LinearProgram, solve
from solvers.highs.feasibility import settle
from solvers.highs.matrix_result import judge
from solvers.highs.outcome import Outcome, Tally
from solvers.result import SolveResult, relative_gap

# max a + 2b, a + b <= 3, a, b <= 2 integer: 5 at (1, 2).
PAIR = LinearProgram(
    sense="max", cost=[1, 2], matrix=[[1, 1]], row_upper=3, upper=2, integer=True
)  # fmt: skip


@pytest.mark.parametrize(
    ("ended", "x", "claimed", "status", "bound"),
    [
        # (2, 2) is infeasible: there is no optimum to report.
        ("optimal", (2, 2), 6.0, "failed", None),
        # The incumbent is better than the bound: one of them is wrong, and the point was checked.
        ("optimal", (1, 2), 4.0, "feasible", None),
        # Far from its bound nothing is optimal, whatever it is called.
        ("optimal", (1, 2), 9.0, "feasible", 9.0),
        ("optimal", (1, 2), None, "feasible", None),
        # Round-off: moved to its right side.
        ("optimal", (1, 2), 5 - 1e-12, "optimal", 5.0),
        # Within 1e-7 of an integer; and the gap is closed, though the run was stopped.
        ("stopped", (1, 2 - 1e-7), 5.0, "optimal", 5.0),
        ("stopped", None, 5.0, "bounded", 5.0),
        ("stopped", None, None, "interrupted", None),
        ("failed", (1, 2), 5.0, "failed", None),
        ("infeasible", None, None, "failed", None),  # (0, 0) satisfies the row and the bounds
        ("unbounded", None, None, "unbounded", None),
    ],
)
def test_claims_are_judged(
    ended: Any, x: Any, claimed: float | None, status: str, bound: float | None
) -> None:
    point = None if x is None else np.array(x, dtype=float)
    outcome = Outcome(ended=ended, message="said so", x=point, bound=claimed)
    result = judge(PAIR, HighsOptions(), outcome, Tally(PAIR), 0.0)
    assert (result.status, result.bound) == (status, bound)
    if status in ("optimal", "feasible"):
        assert result.objective == 5.0 and result.x is not None
        assert result.x.tolist() == [1.0, 2.0]
    else:
        assert result.objective is None and result.x is None


def test_infeasible_is_refuted_by_a_feasible_point() -> None:
    outcome = Outcome(ended="infeasible", message="Infeasible")
    for changes in ({"row_lower": 1.0}, {"lower": 1.0}, {"row_upper": -1.0}, {"upper": -1.0}):
        program = replace(PAIR, **changes)  # 0 is none of its points
        assert judge(program, HighsOptions(), outcome, Tally(program), 0.0).status == "infeasible"
    tally = Tally(program := replace(PAIR, row_lower=1.0))
    tally.incumbent(np.array([0.0, 1.0]))
    assert judge(program, HighsOptions(), outcome, tally, 0.0).status == "failed"


def test_gap_asked_for_decides_what_is_optimal() -> None:
    outcome = Outcome(ended="stopped", message="", x=np.array([1.0, 2.0]), bound=5.4)
    for gap, status in ((0.1, "optimal"), (0.05, "feasible")):
        result = judge(PAIR, HighsOptions(mip_rel_gap=gap), outcome, Tally(PAIR), 0.0)
        assert result.status == status and result.gap == pytest.approx(0.4 / 5.4)


@pytest.mark.parametrize(
    ("x", "reason"),
    [
        ((2, 2), "row 0 is violated by 0.333"),  # 4 over 3, relative to 3
        ((3, 0), "column 0 misses its bounds by 0.5"),  # 3 over 2, relative to 2
        ((-1, 0), "column 0 misses its bounds by 1"),
        ((0.5, 0), "column 0 = 0.5 is not an integer"),
        ((np.nan, 0), "column 0 is not finite"),
        ((1,), "1 values for 2 columns"),
    ],
)
def test_infeasible_points_are_named(x: tuple[float, ...], reason: str) -> None:
    assert settle(PAIR, np.array(x, dtype=float)) == (None, reason)


def test_rounding_gives_way_to_a_row_that_does_not_bear_it() -> None:
    # 1e6 a - b <= 0 holds at (1e-7, 0.1), and at (0, 0.1) as well: a is rounded.
    lp = LinearProgram(
        sense="min", cost=[0, 1], matrix=[[1e6, -1]], row_upper=0, upper=[1, 2], integer=[1, 0]
    )
    point, _ = settle(lp, np.array([1e-7, 0.1]))
    assert point is not None and point.tolist() == [0.0, 0.1]
    # 1e6 a - b = 0 holds at (1e-7, 0.1) but not at (0, 0.1): the point stays as it is.
    lp = LinearProgram(
        sense="min", cost=[0, 1], matrix=[[1e6, -1]], row_lower=0, row_upper=0, integer=[1, 0]
    )
    point, _ = settle(lp, np.array([1e-7, 0.1]))
    assert point is not None and point.tolist() == [1e-7, 0.1]


def test_gap_is_relative_to_the_bound_and_turns_with_the_sense() -> None:
    assert relative_gap("max", 8.0, 10.0) == pytest.approx(0.2)
    assert relative_gap("min", 10.0, 8.0) == pytest.approx(0.25)
    assert relative_gap("max", 0.0, 0.0) == 0.0
    assert relative_gap("max", None, 1.0) is None and relative_gap("min", 1.0, None) is None


def solve_result(**change: Any) -> SolveResult:
    fields = dict(
        status="feasible", objective=8.0, bound=10.0, schedule="s", duals=None, seconds=0.1,
        solver="by hand", sense="max",
    )  # fmt: skip
    return SolveResult(**(fields | change))


def test_solve_result() -> None:
    result = solve_result()
    assert result.gap == pytest.approx(0.2) and not result.is_optimal
    assert solve_result(status="optimal", bound=8.0).is_optimal
    assert solve_result(sense="min", bound=6.0).gap == pytest.approx(1 / 3)
    pure_bound = solve_result(status="bounded", objective=None, schedule=None)
    assert pure_bound.gap is None and pure_bound.bound == 10.0


@pytest.mark.parametrize(
    "change",
    [
        {"bound": 7.0},  # an upper bound below a value that is reached
        {"sense": "min"},  # and the same the other way round
        {"status": "optimal", "objective": None, "schedule": None},
        {"status": "optimal", "bound": None},
        {"status": "infeasible"},
        {"status": "failed", "objective": None},
        {"status": "interrupted", "objective": None, "schedule": None},
        {"status": "bounded", "objective": None},  # with a schedule
        {"objective": np.nan},
        {"bound": np.inf},
    ],
)
def test_solve_result_refuses_contradictions(change: dict) -> None:
    with pytest.raises(ValueError, match=r"status|finite|contradicts"):
        solve_result(**change)


def test_lift_to_the_problem_level() -> None:
    # min 3a + 2b, a + b >= 4: 8 at (0, 4).
    lp = LinearProgram(sense="min", cost=[3, 2], matrix=[[1, 1]], row_lower=4)
    lifted = solve(lp).lift()
    assert (lifted.status, lifted.objective, lifted.sense, lifted.gap) == ("optimal", 8, "min", 0)
    assert lifted.schedule is None and lifted.duals is None
    assert lifted.solver.startswith("HiGHS 1.") and lifted.options["threads"] == 1
