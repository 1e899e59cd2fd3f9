"""What is next to nothing closes a gap, and nothing else does."""

from __future__ import annotations

from typing import Any

import pytest

from solvers.result import SolveResult, relative_gap


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
