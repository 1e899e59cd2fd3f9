"""Random small programs: presolve on and off, SciPy and full enumeration must agree."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from solvers.highs import HighsOptions, LinearProgram, solve

EXACT = HighsOptions(mip_rel_gap=0.0)
CASES = 60


def random_program(seed: int) -> LinearProgram:
    """Up to 6 columns, 5 rows; some infeasible, some with continuous columns, none unbounded."""
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(1, 6)), int(rng.integers(1, 7))
    matrix = rng.integers(-5, 10, (m, n)) * (rng.random((m, n)) < 0.7)
    middle = matrix @ rng.integers(0, 2, n)
    kind = rng.integers(0, 4, m)  # <=, >=, two-sided, nearly an equation
    width = np.where(kind == 3, 1, 6)
    return LinearProgram(
        sense="max" if seed % 2 else "min",
        cost=rng.integers(-9, 10, n) + rng.choice([0.0, 0.25], n),
        matrix=matrix,
        row_lower=np.where(kind == 0, -np.inf, middle - rng.integers(-1, width)),
        row_upper=np.where(kind == 1, np.inf, middle + rng.integers(0, width)),
        lower=-rng.integers(0, 2, n),
        upper=rng.integers(1, 4, n),
        integer=rng.random(n) < (1.0 if seed % 4 < 2 else 0.6),
        offset=3.5,
    )


def enumerate_integers(lp: LinearProgram) -> float | None:
    """Best value over all integer points, for a program of integer columns only."""
    ranges = [range(int(a), int(b) + 1) for a, b in zip(lp.lower, lp.upper, strict=True)]
    points = np.array(list(itertools.product(*ranges)), dtype=float)
    activity = points @ lp.matrix.toarray().T
    fits = ((activity >= lp.row_lower) & (activity <= lp.row_upper)).all(axis=1)
    values = lp.offset + points[fits] @ lp.cost
    if not values.size:
        return None
    return float(values.max() if lp.sense == "max" else values.min())


def scipy_value(lp: LinearProgram) -> float | None:
    turn = -1.0 if lp.sense == "max" else 1.0
    answer = milp(
        turn * lp.cost,
        integrality=lp.integer,
        bounds=Bounds(lp.lower, lp.upper),
        constraints=LinearConstraint(lp.matrix.toarray(), lp.row_lower, lp.row_upper),
        options={"mip_rel_gap": 0.0},
    )
    assert answer.status in (0, 2)
    return None if answer.status == 2 else lp.offset + turn * float(answer.fun)


def test_the_cases_are_not_all_alike() -> None:
    values = [solve(random_program(seed), EXACT).status for seed in range(CASES)]
    assert 5 <= values.count("infeasible") <= CASES - 20
    assert values.count("optimal") + values.count("infeasible") == CASES


@pytest.mark.parametrize("presolve", [True, False])
def test_against_scipy_and_enumeration(presolve: bool) -> None:
    options = HighsOptions(mip_rel_gap=0.0, presolve=presolve)
    for seed in range(CASES):
        lp = random_program(seed)
        result, expected = solve(lp, options), scipy_value(lp)
        assert result.objective == pytest.approx(expected, abs=1e-6), seed
        # HiGHS stops at an absolute gap of 1e-6 even when asked for 0.
        assert result.bound == pytest.approx(expected, abs=2e-6), seed
        if lp.integer.all():
            assert result.objective == pytest.approx(enumerate_integers(lp), abs=1e-9), seed


def test_child_and_this_process_agree() -> None:
    for seed in (1, 2, 3):
        lp = random_program(seed)
        here, there = (solve(lp, EXACT, in_child=flag) for flag in (False, True))
        assert (here.status, here.objective, here.bound) == (
            there.status,
            there.objective,
            there.bound,
        )
        if here.x is not None:
            assert there.x is not None and (here.x == there.x).all()


def test_a_large_program_passes_quickly() -> None:
    rng = np.random.default_rng(5)
    n, m = 100_000, 20_000
    matrix = sparse.random_array((m, n), density=1e-4, rng=rng, format="csr")
    lp = LinearProgram(
        sense="max", cost=-np.ones(n), matrix=matrix, row_upper=1, upper=1, integer=True
    )  # fmt: skip
    result = solve(lp)  # x = 0 is optimal: what takes time is the way there and back
    assert (result.objective, result.bound, result.status) == (0.0, 0.0, "optimal")
    assert result.seconds < 5
