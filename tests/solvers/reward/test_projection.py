"""The projection kernel against hand-solved points, exact rational arithmetic and a QP solver."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from solvers.reward.projection import project, project_weighted


def projected(z: list[float], upper: list[float], capacity: float) -> np.ndarray:
    """Projection on one server and device."""
    point = np.array(z, dtype=float)[:, None]
    limit = np.array(upper, dtype=float)[:, None]
    return project(point, limit, np.array([[capacity]]), np.array([0, len(z)]))[:, 0]


def exact(z: np.ndarray, upper: np.ndarray, capacity: float) -> np.ndarray:
    """The projection by rational arithmetic: every breakpoint tried, the piece solved."""
    point = [Fraction(float(v)) for v in z]
    limit = [Fraction(float(v)) for v in upper]
    room = Fraction(float(capacity))

    def clipped(theta: Fraction) -> list[Fraction]:
        return [min(max(v - theta, Fraction(0)), u) for v, u in zip(point, limit, strict=True)]

    theta = Fraction(0)
    if sum(clipped(theta)) > room:
        breaks = sorted({b for v, u in zip(point, limit, strict=True) for b in (v, v - u) if b > 0})
        before = Fraction(0)
        for stop in breaks:  # the sum is linear in between, and 0 after the last
            there = sum(clipped(stop))
            if there <= room:
                here = sum(clipped(before))
                theta = before + (stop - before) * (here - room) / (here - there)
                break
            before = stop
    return np.array([float(v) for v in clipped(theta)])


def random_cases(rng: np.random.Generator, count: int) -> list[tuple]:
    """(z, upper, capacity): ties, zeros, no channel at all, all capped, all below 0, fitting."""
    cases = []
    for number in range(count):
        size = int(rng.integers(0, 12))
        z, upper = rng.normal(2.0, 4.0, size), rng.uniform(0.0, 6.0, size)
        if number % 3 == 0:  # ties, in values and in bounds
            z, upper = np.round(z), np.round(upper)
        if number % 5 == 0:
            upper[rng.random(size) < 0.4] = 0.0
        if number % 7 == 0:
            z = z + 50.0  # all caps active
        if number % 11 == 0:
            z = z - 50.0
        capacity = float(rng.uniform(0.0, 1.2) * max(upper.sum(), 1.0))
        if number % 9 == 0:
            capacity = 0.0
        if number % 13 == 0:
            capacity = float(upper.sum())  # exactly what the bounds take
        cases.append((z, upper, capacity))
    return cases


def test_first_example_of_the_printed_algorithm() -> None:
    # (1, 1) fits into 10 and is its own projection; Alg. 1 as printed gives (5, 5).
    np.testing.assert_array_equal(projected([1, 1], [10, 10], 10), [1, 1])


def test_second_example_of_the_printed_algorithm() -> None:
    # theta = 6: (10 - 6, min(9 - 6, 1)) = (4, 1), sum 5; Alg. 1 as printed gives (3, 2) > (10, 1).
    np.testing.assert_allclose(projected([10, 9], [10, 1], 5), [4, 1], rtol=0, atol=1e-14)


def test_random_cases_equal_rational_arithmetic() -> None:
    rng = np.random.default_rng(0)
    worst = 0.0
    for z, upper, capacity in random_cases(rng, 1000):
        found = projected(z, upper, capacity)
        worst = max(worst, *np.abs(found - exact(z, upper, capacity)), 0.0)
        assert found.sum() <= capacity * (1 + 1e-14)
        assert (found >= 0).all() and (found <= upper).all()
    assert worst <= 1e-12


def least_distance(z: np.ndarray, upper: np.ndarray, capacity: float) -> np.ndarray:
    """The QP by Lawson and Hanson's active-set method: least ``|x|`` with ``rows x >= h``.

    Interior point solvers at a tolerance of 1e-14 are wrong by 5e-5 where a bound is active with
    multiplier 0; an active-set method is exact there, too.
    """
    size = len(z)
    rows = np.vstack([np.eye(size), -np.eye(size), -np.ones((1, size))])
    h = np.concatenate([-z, z - upper, [z.sum() - capacity]])
    matrix = np.vstack([rows.T, h])
    target = np.append(np.zeros(size), 1.0)
    residual = matrix @ nnls(matrix, target, maxiter=1000)[0] - target
    return z - residual[:-1] / residual[-1]


def test_random_cases_equal_a_qp_solver() -> None:
    compared = 0
    for z, upper, capacity in random_cases(np.random.default_rng(1), 1000):
        if len(z):
            found = projected(z, upper, capacity)
            assert np.abs(found - least_distance(z, upper, capacity)).max() <= 1e-8
            compared += 1
    assert compared > 900


@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(0, 1e6)), min_size=1, max_size=8),
    st.floats(0, 1e6),
)
def test_nothing_feasible_is_nearer(pairs: list[tuple[float, float]], capacity: float) -> None:
    z, upper = (np.array(column) for column in zip(*pairs, strict=True))
    found = projected(z, upper, capacity)
    assert (found >= 0).all() and (found <= upper).all()
    assert found.sum() <= capacity + 1e-9 * max(1.0, capacity)
    # (z - y)'(x - y) <= 0 for every feasible x: for the one that maximises the left side, which
    # fills the capacity in the order of z - y.
    push, room, best = z - found, capacity, np.zeros_like(z)
    for i in np.argsort(-push):
        if push[i] > 0:
            best[i] = min(upper[i], room)
            room -= best[i]
    scale = max(1.0, np.abs(z).max()) * max(1.0, np.abs(best).max())
    assert push @ (best - found) <= 1e-9 * scale


def test_a_tiny_capacity_beside_large_numbers_is_kept() -> None:
    found = projected([1e12, 1e12 - 1, 3.0], [1e12, 1e12, 1.0], 1e-3)
    assert found.sum() <= 1e-3 * (1 + 1e-12)


@pytest.mark.parametrize("own_output", [False, True])
def test_devices_and_servers_are_separate(own_output: bool) -> None:
    rng = np.random.default_rng(2)
    start = np.array([0, 3, 3, 8])  # the second server has no channel
    z, upper = rng.normal(3, 3, (8, 4)), rng.uniform(0, 5, (8, 4))
    capacity = rng.uniform(0, 9, (3, 4))
    before = z.copy()
    out = np.empty_like(z) if own_output else None
    found = project(z, upper, capacity, start, out)
    assert found is (out if own_output else z)
    assert np.array_equal(z, before) == own_output
    for r in range(3):
        rows = slice(start[r], start[r + 1])
        for k in range(4):
            one = projected(before[rows, k], upper[rows, k], capacity[r, k])
            np.testing.assert_array_equal(found[rows, k], one)


def test_weighted_projection() -> None:
    # Two channels at 3 and 4 on 5 units: 2 too many. At paces of 1 and 3 they give up 1/2 and 3/2;
    # at 3 and 1, with a request of 2 on the first, as well: what is above it is given up first.
    for pace, upper, found in (
        ([1.0, 3.0], [9.0, 9.0], [2.5, 2.5]),
        ([3.0, 1.0], [2.0, 9.0], [1.5, 3.5]),
    ):
        z = np.array([[3.0], [4.0]])
        limits = np.array([upper]).T, np.array([[5.0]]), np.array([0, 2])
        project_weighted(z, np.array([pace]).T, *limits)
        assert z[:, 0] == pytest.approx(found)


def test_weighted_projection_is_the_nearest_in_its_norm() -> None:
    rng = np.random.default_rng(8)
    start = np.array([0, 4, 4, 9])
    for _ in range(50):
        z, upper = rng.uniform(-2.0, 4.0, (9, 2)), rng.uniform(0.0, 3.0, (9, 2))
        capacity, pace = rng.uniform(0.0, 6.0, (3, 2)), rng.uniform(0.1, 5.0, (9, 2))
        found = z.copy()
        project_weighted(found, pace, upper, capacity, start)
        total = np.add.reduceat(np.vstack([found, np.zeros((1, 2))]), [0, 4], axis=0)
        assert (found >= 0.0).all() and (found <= upper).all()
        assert (total <= capacity[[0, 2]] + 1e-12).all()
        # sum (z - y) (v - y) / pace <= 0 for every feasible v.
        for _ in range(5):
            v = project(rng.uniform(-1.0, 4.0, (9, 2)), upper, capacity, start)
            assert ((z - found) * (v - found) / pace).sum() <= 1e-9
        same = z.copy()
        project_weighted(same, np.full((9, 2), 0.7), upper, capacity, start)
        assert same == pytest.approx(project(z, upper, capacity, start), abs=1e-9)
