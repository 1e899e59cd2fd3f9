"""What a MILP adds to an interval, for either sense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from models.scoring import Score, Violation
from solvers.errors import WrongSolution
from solvers.refinement import refined
from solvers.result import Sense, SolveResult


def interval(sense: Sense, objective: float, bound: float) -> SolveResult[str]:
    return SolveResult(
        status="feasible",
        objective=objective,
        bound=bound,
        schedule="known",
        duals=None,
        seconds=0.0,
        solver="prices",
        sense=sense,
        bound_source="prices",
    )


def judged(objective: float, *equations: str) -> Score:
    none = np.empty(0)
    return Score(objective, tuple(Violation(one, "broken") for one in equations), none, none)


def told(
    found: SolveResult[str], proven: float | None, score: Score | None = None
) -> SolveResult[Any]:
    return refined(
        found,
        "name",
        schedule="new",
        judged=score,
        forgiven=("(5)",),
        proven=proven,
        message="",
    )


@pytest.mark.parametrize(("sense", "sign"), [("max", 1.0), ("min", -1.0)])
def test_the_better_schedule_and_the_nearer_bound(sense: Sense, sign: float) -> None:
    known = interval(sense, 100.0, 100.0 + 20.0 * sign)
    found = told(known, 100.0 + 10.0 * sign, judged(100.0 + 5.0 * sign))
    assert (found.objective, found.bound) == (100.0 + 5.0 * sign, 100.0 + 10.0 * sign)
    assert (found.schedule, found.bound_source, found.status) == ("new", "milp", "feasible")
    worse = told(known, 100.0 + 30.0 * sign, judged(100.0 - 5.0 * sign))
    assert (worse.objective, worse.bound) == (known.objective, known.bound)
    assert (worse.schedule, worse.bound_source) == ("known", "prices")
    assert told(known, 100.0 + 1e-5 * sign).status == "optimal"
    assert told(known, 100.0 - 1e-5 * sign).bound == 100.0  # HiGHS's round-off
    proven = told(interval(sense, 100.0, 100.0 + 1e-3 * sign), 100.0 + 5e-4 * sign)
    assert (proven.status, proven.bound_source) == ("optimal", "prices")


@pytest.mark.parametrize(("sense", "sign"), [("max", 1.0), ("min", -1.0)])
def test_contradictions_are_errors(sense: Sense, sign: float) -> None:
    known = interval(sense, 100.0, 100.0 + 20.0 * sign)
    with pytest.raises(WrongSolution, match=r"name: worth 100\.0"):
        told(known, 100.0 - 1.0 * sign)
    with pytest.raises(WrongSolution, match="broken"):
        told(known, None, judged(110.0, "(5)", "(3)"))
    by_a_hair = told(known, None, judged(100.0 + 5.0 * sign, "(5)"))
    assert by_a_hair.schedule == "known" and "by a hair" in by_a_hair.message
