"""The fitted exponent of regret, on curves whose exponent is known."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.growth import fit_growth

SIZES = np.array([100, 200, 400, 800])


def noisy(exponent: float, *, seeds: int = 10, noise: float = 0.05) -> np.ndarray:
    """``3 * size^exponent`` with relative noise, one column per seed."""
    rng = np.random.default_rng(1)
    law = 3.0 * SIZES.astype(float) ** exponent
    return law[:, None] * (1.0 + noise * rng.standard_normal((len(SIZES), seeds)))


@pytest.mark.parametrize("exponent", [-0.5, 0.0, 0.5, 1.0, 1.7])
def test_an_exact_power_law_is_found(exponent: float) -> None:
    regret = noisy(exponent, seeds=3, noise=0.0)
    growth = fit_growth(SIZES, regret, regret)
    found = (growth.exponent, growth.low, growth.high)
    assert found == pytest.approx((exponent,) * 3, abs=1e-12)
    assert growth.verdict == ("sublinear" if exponent < 1 else "not sublinear")


@pytest.mark.parametrize(
    ("exponent", "verdict"), [(0.5, "sublinear"), (1.0, "undecided"), (1.5, "not sublinear")]
)
def test_the_interval_holds_the_exponent_and_the_verdict_is_that_of_the_interval(
    exponent: float, verdict: str
) -> None:
    regret = noisy(exponent)
    growth = fit_growth(SIZES, regret, regret)
    assert growth.low < exponent < growth.high
    assert growth.low < growth.exponent < growth.high
    assert growth.verdict == verdict
    assert fit_growth(SIZES, regret, regret) == growth  # the bootstrap has a seed of its own


def test_a_regret_known_as_an_interval_widens_the_exponent() -> None:
    # Two sizes weigh -w, two w; ln 2 apart each. With means between 1 and 1.1 times the law, the
    # extremes differ from the middle by ln(1.1) sum |w| / 2 at most.
    regret = noisy(0.5, noise=0.0)
    exact = fit_growth(SIZES, regret, regret)
    wide = fit_growth(SIZES, regret, 1.1 * regret)
    place = np.log(SIZES) - np.log(SIZES).mean()
    reach = np.log(1.1) * np.abs(place / (place @ place)).sum() / 2
    assert wide.exponent == pytest.approx(exact.exponent)
    assert wide.low == pytest.approx(0.5 - reach)
    assert wide.high == pytest.approx(0.5 + reach)


def test_negative_regret_has_no_exponent() -> None:
    regret = noisy(0.5)
    below = regret.copy()
    below[1] = -1.0
    growth = fit_growth(SIZES, below, below)
    assert (growth.exponent, growth.low, growth.high) == (None, None, None)
    assert (growth.verdict, growth.why) == ("not applicable", "no positive regret at 200")
    # The lower end counts: the interval may hold 0.
    assert fit_growth(SIZES, np.minimum(regret, -1.0), regret).verdict == "not applicable"


def test_regret_about_zero_has_no_interval() -> None:
    # The mean over two seeds is 1, but whoever draws the second seed twice sees -9.
    regret = np.tile([11.0, -9.0], (4, 1))
    growth = fit_growth(SIZES, regret, regret)
    assert growth.exponent == pytest.approx(0.0)
    assert (growth.low, growth.verdict) == (None, "not applicable")
    assert growth.why == "regret is not clearly above 0"


def test_too_little_to_fit() -> None:
    one = noisy(0.5, seeds=1)
    growth = fit_growth(SIZES, one, one)
    assert growth.exponent is not None
    assert (growth.verdict, growth.why) == ("not applicable", "one seed gives no interval")
    two = noisy(0.5)[:2]
    assert fit_growth(SIZES[:2], two, two).why == "fewer than 3 sizes"
