"""What is next to nothing closes a gap, and nothing else does."""

from __future__ import annotations

from typing import Any

import pytest

from solvers.errors import WrongSolution
from solvers.result import HIGHS_ROUND_OFF, Sense, SolveResult, reconciled, relative_gap


def test_what_is_more_than_negligible_is_measured_as_before() -> None:
    assert relative_gap("max", 0.0, 1e-12) == 1.0
    assert relative_gap("max", 0.0, 1e-12, negligible=1e-12) == 0.0
    assert relative_gap("max", 0.0, 1e-11, negligible=1e-12) == 1.0
    # Not a tolerance of differences: large numbers that are near are told apart.
    assert relative_gap("max", 9.0, 10.0, negligible=2.0) == pytest.approx(0.1)


def test_a_result_knows_what_is_negligible() -> None:
    given: dict[str, Any] = {"schedule": None, "duals": None, "seconds": 0.0, "solver": "hand"}
    result = SolveResult(status="feasible", objective=0.0, bound=1e-9, negligible=1e-9, **given)
    assert result.gap == 0.0


@pytest.mark.parametrize(("sense", "sign"), [("max", 1.0), ("min", -1.0)])
def test_a_bound_is_moved_to_a_schedule_that_is_beyond_it_by_round_off(
    sense: Sense, sign: float
) -> None:
    assert reconciled("name", sense, 100.0, 100.0 + sign) == 100.0 + sign
    near = 100.0 - 99.0 * sign * HIGHS_ROUND_OFF
    assert reconciled("name", sense, 100.0, near) == 100.0
    far = 100.0 - 101.0 * sign * HIGHS_ROUND_OFF
    with pytest.raises(WrongSolution, match=r"name: worth 100\.0, bound"):
        reconciled("name", sense, 100.0, far)
    assert reconciled("name", sense, 0.0, 0.0) == 0.0
    with pytest.raises(WrongSolution):
        reconciled("name", sense, sign * 1e-9, 0.0)
