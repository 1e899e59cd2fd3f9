"""The HiGHS adapter in this process: hand-solved programs, statuses, duals, refused input."""

from __future__ import annotations

import io
import os
import signal
import threading
from pathlib import Path
from typing import Any

import highspy
import numpy as np
import pytest
from scipy import sparse

from models.errors import InputError
from solvers.highs import HighsOptions, LinearProgram, NoDuals, solve

INF = np.inf


def program(sense: str, cost: Any, matrix: Any, low: Any, high: Any, **more: Any) -> LinearProgram:
    return LinearProgram(
        sense=sense, cost=cost, matrix=matrix, row_lower=low, row_upper=high, **more
    )


def knapsacks(items: int = 40, rows: int = 8, seed: int = 3) -> LinearProgram:
    """Many correlated knapsack rows over the same items: minutes of branching at 60 x 10."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 100, (rows, items)).astype(float)
    worth = weights.mean(axis=0) + rng.integers(0, 20, items)
    return program("max", worth, weights, -INF, weights.sum(axis=1) / 2, upper=1.0, integer=True)


# max 3a + 2b + 1, a + b <= 4, a + 3b <= 6: at (4, 0), value 13. The first row binds, and one more
# unit of it is worth 3; b would need a worth of 3 to enter: reduced cost 2 - 3 = -1.
MAXIMISATION = program("max", [3, 2], [[1, 1], [1, 3]], -INF, [4, 6], offset=1)

# min 3a + 2b, a + b >= 4, a + 3b >= 6: at (0, 4), value 8. One more unit of the first row costs 2;
# a costs 3 - 2 = 1 more than it saves.
MINIMISATION = program("min", [3, 2], [[1, 1], [1, 3]], [4, 6], INF)

# max 5a + 4b, 6a + 4b <= 24, a + 2b <= 6, integer: the LP has 21 at (3, 1.5); (4, 0) has 20, and
# (3, 1) 19, (2, 2) 18.
INTEGER = program("max", [5, 4], [[6, 4], [1, 2]], -INF, [24, 6], integer=True)


@pytest.mark.parametrize(("in_child", "presolve"), [(False, True), (False, False), (True, True)])
def test_hand_solved_programs(in_child: bool, presolve: bool) -> None:
    options = HighsOptions(presolve=presolve)
    top = solve(MAXIMISATION, options, in_child=in_child)
    assert (top.status, top.objective, top.bound, top.gap) == ("optimal", 13.0, 13.0, 0.0)
    assert top.x is not None
    np.testing.assert_allclose(top.x, [4, 0], atol=1e-9)
    np.testing.assert_allclose(top.row_duals, [3, 0], atol=1e-9)
    np.testing.assert_allclose(top.reduced_costs, [0, -1], atol=1e-9)

    low = solve(MINIMISATION, options, in_child=False)
    assert (low.status, low.objective, low.bound) == ("optimal", 8.0, 8.0)
    np.testing.assert_allclose(low.row_duals, [2, 0], atol=1e-9)
    np.testing.assert_allclose(low.reduced_costs, [1, 0], atol=1e-9)

    whole = solve(INTEGER, options, in_child=False)
    assert (whole.status, whole.objective, whole.bound) == ("optimal", 20.0, 20.0)
    assert whole.x is not None and whole.x.tolist() == [4.0, 0.0]
    assert solve(INTEGER.relaxed(), options).objective == pytest.approx(21.0)


def test_a_dual_is_the_derivative_of_the_objective() -> None:
    for lp, side in ((MAXIMISATION, "row_upper"), (MINIMISATION, "row_lower")):
        base = solve(lp)
        for row in range(2):
            moved = getattr(lp, side) + 0.01 * np.eye(2)[row]
            sides = {"row_lower": lp.row_lower, "row_upper": lp.row_upper, side: moved}
            again = solve(
                LinearProgram(
                    sense=lp.sense, cost=lp.cost, matrix=lp.matrix, offset=lp.offset, **sides
                )
            )
            assert base.objective is not None and again.objective is not None
            derivative = (again.objective - base.objective) / 0.01
            assert base.row_duals[row] == pytest.approx(derivative, abs=1e-6)


@pytest.mark.parametrize("sense", ["max", "min"])
def test_strong_duality_and_the_sign_table(sense: str) -> None:
    rng = np.random.default_rng(7)
    turn = 1.0 if sense == "max" else -1.0
    for _ in range(25):
        m, n = rng.integers(1, 7), rng.integers(1, 9)
        matrix = rng.integers(-4, 5, (m, n)) * (rng.random((m, n)) < 0.7)
        inside = rng.integers(-3, 4, n).astype(float)  # a feasible point
        activity = matrix @ inside
        kind = rng.integers(0, 4, m)  # <=, >=, =, two-sided
        low = np.where(kind == 0, -INF, activity - np.where(kind == 2, 0, rng.integers(0, 4, m)))
        high = np.where(kind == 1, INF, activity + np.where(kind == 2, 0, rng.integers(0, 4, m)))
        lower, upper = inside - rng.integers(0, 5, n), inside + rng.integers(0, 5, n)
        lp = program(
            sense, rng.normal(size=n), matrix, low, high, lower=lower, upper=upper, offset=2.5
        )
        result = solve(lp)
        assert result.is_optimal and result.x is not None
        total = lp.offset
        for duals, values, below, above in (
            (result.row_duals, lp.matrix @ result.x, low, high),
            (result.reduced_costs, result.x, lower, upper),
        ):
            active = np.abs(duals) > 1e-7
            side = np.where(turn * duals > 0, above, below)
            np.testing.assert_allclose(values[active], side[active], atol=1e-6)
            total += float(duals[active] @ side[active])
        assert result.objective == pytest.approx(total, abs=1e-6)
        np.testing.assert_allclose(
            lp.matrix.T @ result.row_duals + result.reduced_costs, lp.cost, atol=1e-7
        )


def test_duals_are_those_of_an_optimal_lp_only() -> None:
    with pytest.raises(NoDuals, match="relaxed"):
        solve(INTEGER).row_duals  # noqa: B018
    with pytest.raises(NoDuals, match="Infeasible"):
        solve(program("max", [1], [[1], [1]], [2, -INF], [INF, 1])).reduced_costs  # noqa: B018
    np.testing.assert_allclose(solve(INTEGER.relaxed()).row_duals, [0.75, 0.5])


@pytest.mark.parametrize(
    ("lp", "status"),
    [
        (program("max", [1], [[1], [1]], [2, -INF], [INF, 1]), "infeasible"),
        (program("max", [1], [[2]], 1, 1, integer=True), "infeasible"),  # 2x = 1
        (program("max", [1], [[1]], 2, INF), "unbounded"),
        (program("min", [1], [[1]], -INF, 2, lower=-INF), "unbounded"),
        # HiGHS says "unbounded or infeasible" of the integer programs below.
        (program("max", [1], [[1]], 2, INF, integer=True), "unbounded"),
        (program("max", [1, 1], [[1, -1]], 0.5, INF, integer=True), "unbounded"),
        # 2a - 2b = 1 has no integer solution, though the relaxation is unbounded in c.
        (
            program("max", [1, 1, 1], [[2, -2, 0], [0, 0, 1]], [1, 0], [1, INF], integer=True),
            "infeasible",
        ),
        # An unbounded direction in a program whose rows contradict each other.
        (program("max", [1, 1], [[1, -1], [1, -1]], [2, -INF], [INF, 1]), "infeasible"),
        (program("max", [1], [[1]], 2, 1), "infeasible"),  # crossing sides
        (program("max", [1], [[1]], 0, 1, lower=0.2, upper=0.8, integer=True), "infeasible"),
        (program("min", [], np.zeros((1, 0)), 1, 1), "infeasible"),  # HiGHS: "model empty"
    ],
)
def test_programs_without_an_optimum(lp: LinearProgram, status: str) -> None:
    for presolve in (True, False):
        result = solve(lp, HighsOptions(presolve=presolve))
        assert (result.status, result.objective, result.bound) == (status, None, None)
        assert result.x is None and not result.is_optimal and result.gap is None
        assert result.message


def test_programs_without_rows_or_columns() -> None:
    assert solve(program("max", [2], np.zeros((0, 1)), [], [], upper=1.5)).objective == 3.0
    empty = solve(program("min", [], np.zeros((1, 0)), 0, 1, offset=4))
    assert (empty.status, empty.objective, empty.bound) == ("optimal", 4.0, 4.0)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"cost": [1, np.nan]}, r"cost\[1\]"),
        ({"cost": [INF, 1]}, r"cost\[0\]"),
        ({"cost": [1e20, 1]}, r"cost\[0\]"),
        ({"matrix": [[1, 1], [np.nan, 3]]}, "row second, column a"),
        ({"matrix": [[1, 1], [0, INF]]}, "row second, column b"),
        ({"matrix": [[1, 1e-12], [1, 3]]}, "row first, column b"),
        ({"row_upper": [4, np.nan]}, r"row_upper\[1\]"),
        ({"row_lower": INF}, r"row_lower\[0\]"),
        ({"upper": [1e21, 1]}, r"upper\[0\]"),
        ({"lower": np.nan}, r"lower\[0\]"),
        ({"offset": np.nan}, "offset"),
        ({"integer": [True, np.nan]}, r"integer\[1\]"),
        ({"cost": [1, 2, 3]}, "shape"),
        ({"sense": "maximise"}, "sense"),
        ({"row_names": ["one"]}, "row_names"),
    ],
)
def test_numbers_that_highs_would_take_amiss_are_refused(change: dict, named: str) -> None:
    fields = {
        "sense": "max",
        "cost": [3, 2],
        "matrix": [[1, 1], [1, 3]],
        "row_upper": [4, 6],
        "column_names": ["a", "b"],
        "row_names": ["first", "second"],
    }
    with pytest.raises(InputError, match=named):
        LinearProgram(**(fields | change))


@pytest.mark.parametrize(
    "wrong",
    [
        {"time_limit": 0},
        {"time_limit": np.nan},
        {"node_limit": 0},
        {"work_limit": 0},
        {"mip_rel_gap": -1},
        {"mip_rel_gap": np.nan},
        {"threads": 0},
        {"seed": -1},
        {"extra": {"threads": 2}},
        {"extra": {"simplex_iteration_limit": 5}},
        {"extra": {"mip_abs_gap": np.nan}},
    ],
)
def test_options_out_of_range_are_refused(wrong: dict) -> None:
    with pytest.raises(InputError):
        HighsOptions(**wrong)


def test_options_that_do_not_fit_the_program() -> None:
    for extra in ({"solver": "ipm"}, {"solver": "simplex"}, {"solve_relaxation": True}):
        with pytest.raises(InputError):
            solve(INTEGER, HighsOptions(extra=extra))
    interior = solve(MAXIMISATION, HighsOptions(extra={"solver": "ipm"}))
    assert interior.objective == pytest.approx(13)
    for extra in ({"no_such_option": 1}, {"mip_min_logging_interval": "wide"}):
        result = solve(INTEGER, HighsOptions(extra=extra))
        assert (result.status, result.x) == ("failed", None)
        assert next(iter(extra)) in result.message


def test_the_matrix_is_copied_and_canonical() -> None:
    given = sparse.csr_array(
        (np.array([1.0, 1.0, 0.0]), np.array([0, 0, 1]), np.array([0, 3])), shape=(1, 2)
    )
    lp = program("max", [1, 0], given, -INF, 3)
    given.data[:] = 9
    assert lp.matrix.toarray().tolist() == [[2, 0]] and lp.matrix.nnz == 1
    with pytest.raises(ValueError, match="read-only"):
        lp.cost[0] = 2


def test_node_limit_start_and_repeatability() -> None:
    lp, short = knapsacks(25, 6), HighsOptions(node_limit=1)
    best = solve(lp, HighsOptions(mip_rel_gap=0))
    first, second = solve(lp, short), solve(lp, short)
    assert first.status == "feasible" and "limit on nodes" in first.message
    assert best.objective is not None and first.objective is not None and first.bound is not None
    assert first.objective < best.objective <= first.bound
    assert (first.objective, first.bound) == (second.objective, second.bound)
    assert solve(lp, short, start=best.x).objective == best.objective
    partial = np.where(np.arange(25) < 20, best.x, np.nan)
    assert solve(lp, short, start=partial).objective == best.objective


def test_a_start_that_highs_would_drop_is_refused() -> None:
    for start in ([4.0, 1.0], [3.0, 0.5], [1.0]):
        with pytest.raises(InputError, match="start"):
            solve(INTEGER, start=np.array(start))
    with pytest.raises(InputError, match="start"):
        solve(MAXIMISATION, start=np.zeros(2))


def test_log_goes_where_it_is_asked_and_nowhere_else(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    solve(INTEGER, log=(stream := io.StringIO()))
    solve(INTEGER, log=tmp_path / "highs.log")
    solve(INTEGER, log=str(tmp_path / "child.log"), in_child=True)
    for text in (stream.getvalue(), *(p.read_text() for p in sorted(tmp_path.iterdir()))):
        assert "MIP has 2 rows" in text
    assert capfd.readouterr() == ("", "")


def test_another_thread_count_in_the_process_does_not_stop_us() -> None:
    highspy.Highs.resetGlobalScheduler(True)
    other = highspy.Highs()
    other.setOptionValue("output_flag", False)
    other.setOptionValue("threads", 2)
    other.addVar(0, 1)
    assert other.run() == highspy.HighsStatus.kOk
    assert solve(INTEGER).objective == 20.0


def test_two_threads_of_a_process_may_solve() -> None:
    results: list[float | None] = []
    lp = knapsacks(25, 6)
    threads = [
        threading.Thread(target=lambda: results.append(solve(lp).objective)) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(results) == 2 and results[0] == results[1] is not None


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs POSIX signals")
@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_a_milp_in_this_process() -> None:
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        solve(knapsacks(60, 10))
    assert solve(INTEGER).objective == 20.0
