"""Pyomo models through the one adapter: values by component, duals by constraint."""

from __future__ import annotations

import io

import numpy as np
import pyomo.environ as pyo
import pytest

from models.errors import InputError
from solvers.highs import HighsOptions, NoDuals
from solvers.pyomo_bridge import compile_model, solve_model


def two_products(sense: int = pyo.maximize) -> pyo.ConcreteModel:
    """max 3a + 2b + 7, a + b + f <= 5 with f fixed at 1, -2 <= a + 3b <= 6: 19 at (4, 0).

    The first row has dual 3, the second is slack (4 < 6).
    """
    m = pyo.ConcreteModel(name="products")
    m.x = pyo.Var(["a", "b"], domain=pyo.NonNegativeReals)
    m.f = pyo.Var(initialize=1.0)
    m.f.fix(1.0)
    m.unused = pyo.Var(bounds=(2, 5))
    m.hours = pyo.Constraint(expr=m.x["a"] + m.x["b"] + m.f <= 5)
    m.weight = pyo.Constraint(expr=(-2, m.x["a"] + 3 * m.x["b"], 6))
    m.goal = pyo.Objective(expr=3 * m.x["a"] + 2 * m.x["b"] + 7, sense=sense)
    return m


def test_values_and_duals_of_a_maximisation() -> None:
    m = two_products()
    answer = solve_model(m)
    assert (answer.result.status, answer.result.objective, answer.result.bound) == (
        "optimal",
        19.0,
        19.0,
    )
    assert answer.values(m.x) == {"a": 4.0, "b": 0.0}
    assert answer.values(m.f) == {None: 1.0}
    assert answer.values(m.unused) == {None: 2.0}
    assert answer.duals(m.hours) == {None: 3.0}
    assert answer.duals(m.weight) == {None: 0.0}
    assert m.x["a"].value is None  # the model is left alone


def test_duals_of_a_minimisation_and_of_either_side_of_a_range() -> None:
    # min 3a + 2b, a + b >= 4, 6 <= a + 3b <= 9: (1.5, 2.5) = 9.5 at the upper side of the range,
    # where a + b = 4 and a + 3b = 9. Rows' duals y, z: y + z = 3, y + 3z = 2: y = 3.5, z = -0.5.
    m = pyo.ConcreteModel()
    m.a, m.b = pyo.Var(within=pyo.NonNegativeReals), pyo.Var(within=pyo.NonNegativeReals)
    m.need = pyo.Constraint(expr=m.a + m.b >= 4)
    m.range = pyo.Constraint(expr=(6, m.a + 3 * m.b, 9))
    m.cost = pyo.Objective(expr=3 * m.a + 2 * m.b)
    answer = solve_model(m)
    assert answer.result.objective == pytest.approx(9.5)
    assert answer.duals(m.need)[None] == pytest.approx(3.5)
    assert answer.duals(m.range)[None] == pytest.approx(-0.5)
    # Strong duality over the sides that bind: 3.5 * 4 - 0.5 * 9 = 9.5.
    assert compile_model(m).program.row_lower.tolist() == [4.0, 6.0]

    # max a + b instead, a <= 5: (5, 4/3) at the upper side again, worth 1/3 a unit; and
    # min a + 2b with a + 3b >= 6 alone binding at (0, 2): dual 2/3, positive.
    m.cost.deactivate()
    m.most = pyo.Objective(expr=m.a + m.b, sense=pyo.maximize)
    m.a.setub(5)
    assert solve_model(m).duals(m.range)[None] == pytest.approx(1 / 3)
    m.most.deactivate()
    m.need.deactivate()
    m.least = pyo.Objective(expr=m.a + 2 * m.b)
    answer = solve_model(m)
    assert answer.duals(m.range)[None] == pytest.approx(2 / 3)
    assert answer.duals(m.need) == {}


@pytest.mark.parametrize("sense", [pyo.maximize, pyo.minimize])
def test_a_dual_is_the_derivative_whatever_the_form_of_the_constraint(sense: int) -> None:
    """Equality, constants on the left, and >=, each with its right-hand side moved by 0.01."""

    def model(move: tuple[float, float, float]) -> pyo.ConcreteModel:
        m = pyo.ConcreteModel()
        m.x = pyo.Var(range(3), bounds=(0, 10))
        turn = 1 if sense == pyo.maximize else -1
        m.goal = pyo.Objective(expr=turn * (4 * m.x[0] + 3 * m.x[1] - m.x[2]), sense=sense)
        m.c = pyo.Constraint(range(3))
        m.c[0] = m.x[0] + 2 * m.x[1] + 3 == 9 + move[0]
        m.c[1] = 7 + move[1] >= m.x[0] + m.x[1] + m.x[2]
        m.c[2] = m.x[2] >= 2 + move[2]
        return m

    m = model((0, 0, 0))
    base = solve_model(m)
    duals = base.duals(m.c)
    assert all(abs(duals[i]) > 0.1 for i in (0, 2))
    for i in range(3):
        moved = solve_model(model(tuple(0.01 * (i == j) for j in range(3)))).result.objective
        assert moved is not None and base.result.objective is not None
        assert duals[i] == pytest.approx((moved - base.result.objective) / 0.01, abs=1e-6)


def test_integer_model_has_values_and_no_duals() -> None:
    # max 5a + 4b, 6a + 4b <= 24, a + 2b <= 6, integer: 20 at (4, 0); b binary changes nothing.
    m = pyo.ConcreteModel()
    m.a, m.b = pyo.Var(domain=pyo.NonNegativeIntegers), pyo.Var(domain=pyo.Binary)
    m.c = pyo.ConstraintList()
    m.c.add(6 * m.a + 4 * m.b <= 24)
    m.c.add(m.a + 2 * m.b <= 6)
    m.goal = pyo.Objective(expr=5 * m.a + 4 * m.b, sense=pyo.maximize)
    log = io.StringIO()
    answer = solve_model(m, log=log)
    assert answer.result.objective == 20.0 and "MIP" in log.getvalue()
    assert (answer.values(m.a), answer.values(m.b)) == ({None: 4.0}, {None: 0.0})
    with pytest.raises(NoDuals):
        answer.duals(m.c)

    m.a.value, m.b.value = 4, 0
    assert solve_model(m, warm_start=True).result.objective == 20.0
    m.b.value = None  # left to HiGHS
    assert solve_model(m, warm_start=True).result.objective == 20.0
    m.a.value, m.b.value = 5, 0
    with pytest.raises(InputError, match=r"start: row c\[1\]"):
        solve_model(m, warm_start=True)


def test_time_limited_model_is_solved_in_a_child() -> None:
    m = two_products()
    m.x.domain = pyo.NonNegativeIntegers
    answer = solve_model(m, HighsOptions(time_limit=10))
    assert answer.result.is_optimal and answer.values(m.x) == {"a": 4.0, "b": 0.0}


def test_models_without_an_optimum() -> None:
    m = two_products()
    m.hours.deactivate()
    m.weight.deactivate()
    assert solve_model(m).result.status == "unbounded"
    m.weight.activate()
    m.more = pyo.Constraint(expr=m.x["a"] >= 7)
    answer = solve_model(m)
    assert answer.result.status == "infeasible"
    with pytest.raises(ValueError, match="infeasible"):
        answer.values(m.x)
    with pytest.raises(NoDuals):
        answer.duals(m.weight)
    m.more.deactivate()
    m.false = pyo.Constraint(expr=m.f <= 0)  # f is fixed at 1: no variable is left
    answer = solve_model(m)
    assert answer.result.status == "infeasible" and "false" in answer.result.message


def test_a_true_constraint_without_variables_has_dual_zero() -> None:
    m = two_products()
    m.true = pyo.Constraint(expr=m.f <= 3)
    assert solve_model(m).duals(m.true) == {None: 0.0}


def test_models_that_are_refused() -> None:
    m = two_products()
    m.second = pyo.Objective(expr=m.x["a"])
    with pytest.raises(InputError, match="products: 2 active objectives"):
        solve_model(m)
    m.second.deactivate()
    m.s = pyo.Var(domain=pyo.Set(initialize=[0, 2, 5]))
    m.step = pyo.Constraint(expr=m.s + m.x["a"] <= 4)
    with pytest.raises(InputError, match="s: domain"):
        solve_model(m)
    m.step.deactivate()
    m.nan = pyo.Constraint(expr=float("nan") * m.x["a"] + m.x["b"] <= 4)
    with pytest.raises((InputError, ValueError), match="nan"):
        solve_model(m)


def test_components_of_another_model_are_refused() -> None:
    answer = solve_model(two_products())
    other = two_products()
    with pytest.raises(InputError, match="x is not a component"):
        answer.values(other.x)
    with pytest.raises(InputError, match="hours is not a component"):
        answer.duals(other.hours)


def test_random_lps_obey_strong_duality() -> None:
    rng = np.random.default_rng(11)
    for case in range(10):
        m = pyo.ConcreteModel()
        n, rows = 4, 3
        matrix, inside = rng.integers(-3, 6, (rows, n)), rng.integers(0, 4, n)
        sides = matrix @ inside + rng.integers(0, 3, rows)
        m.x = pyo.Var(range(n), bounds=(0, 4))
        turn = 1 if case % 2 else -1
        m.row = pyo.ConstraintList()
        for coefficients, side in zip(matrix.tolist(), sides.tolist(), strict=True):
            m.row.add(pyo.quicksum(a * m.x[j] for j, a in enumerate(coefficients)) <= side)
        cost = rng.integers(-5, 9, n)
        m.goal = pyo.Objective(
            expr=sum(float(cost[j]) * m.x[j] for j in range(n)),
            sense=pyo.maximize if turn > 0 else pyo.minimize,
        )
        answer = solve_model(m)
        duals = np.array(list(answer.duals(m.row).values()))
        assert (turn * duals >= -1e-9).all()
        # What the rows leave of the costs is earned at the bounds 0 and 4.
        left = cost - matrix.T @ duals
        expected = duals @ sides + 4 * np.where(turn * left > 0, left, 0).sum()
        assert answer.result.objective == pytest.approx(expected, abs=1e-6)
