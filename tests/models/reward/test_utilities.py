"""The utilities (27): values by hand, concave and 0 at 0, derivatives that are derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.reward.utilities import KINDS, derivative, slope_at_zero, value

codes = st.integers(0, len(KINDS) - 1)
alphas = st.floats(1e-3, 1e3)
amounts = st.floats(0, 1e6)

# f(3), f'(3) and f'(0) for alpha = 2:
# linear 2 * 3, 2, 2; log 2 ln 4, 2 / 4, 2; reciprocal 1/2 - 1/5, 1/25, 1/4;
# poly 2 sqrt 4 - 2, 2 / (2 * 2), 2 / 2.
BY_HAND = {
    "linear": (6.0, 2.0, 2.0),
    "log": (2 * np.log(4.0), 0.5, 2.0),
    "reciprocal": (0.3, 0.04, 0.25),
    "poly": (2.0, 0.5, 1.0),
}


@pytest.mark.parametrize("name", KINDS)
def test_by_hand(name: str) -> None:
    code, alpha, y = np.int8(KINDS.index(name)), np.array(2.0), np.array(3.0)
    found = (value(code, alpha, y), derivative(code, alpha, y), slope_at_zero(code, alpha))
    assert found == pytest.approx(BY_HAND[name], rel=1e-14)


def test_kinds_side_by_side() -> None:
    found = value(np.arange(4, dtype=np.int8), np.full(4, 2.0), np.array([[3.0], [0.0]]))
    assert found.shape == (2, 4)
    assert found[0] == pytest.approx([hand[0] for hand in BY_HAND.values()])
    assert (found[1] == 0.0).all()


@given(codes, alphas, amounts, amounts, st.floats(0, 1))
def test_rising_and_concave_from_0(
    code: int, alpha: float, a: float, b: float, share: float
) -> None:
    low, high = min(a, b), max(a, b)
    middle = share * low + (1 - share) * high
    kind, scale = np.int8(code), np.array(alpha)
    at_low, at_middle, at_high = value(kind, scale, np.array([low, middle, high]))
    slack = 1e-12 * (1 + at_high)
    assert value(kind, scale, np.zeros(())) == 0.0
    assert 0.0 <= at_low <= at_high + slack
    assert at_middle >= share * at_low + (1 - share) * at_high - slack
    slopes = derivative(kind, scale, np.array([low, high]))
    assert slope_at_zero(kind, scale) >= slopes[0] * (1 - 1e-12) >= slopes[1] * (1 - 2e-12) >= 0.0
    # The tangent at any point lies above: what every supergradient bound rests on.
    assert at_high <= at_low + slopes[0] * (high - low) + slack


@given(codes, st.floats(0.1, 10), st.floats(0.1, 1e3))
def test_derivative_is_the_slope(code: int, alpha: float, y: float) -> None:
    step = 1e-4 * y
    kind, scale = np.int8(code), np.array(alpha)
    below, above = value(kind, scale, np.array([y - step, y + step]))
    slope = float(derivative(kind, scale, np.array(y)))
    assert (above - below) / (2 * step) == pytest.approx(slope, rel=1e-5)


def test_no_digits_are_lost_near_0() -> None:
    # f(y) = f'(0) y up to a relative y for tiny y, of every kind.
    kind, alpha = np.arange(4, dtype=np.int8), np.full(4, 1.3)
    tiny = np.full(4, 1e-13)
    assert value(kind, alpha, tiny) == pytest.approx(slope_at_zero(kind, alpha) * tiny, rel=1e-12)
