"""The fitted exponent of regret, on curves whose exponent is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from benchmarks.growth import Growth, fit_growth
from benchmarks.study.statistics import t_interval

SIZES = np.array([100, 200, 400, 800])
TRIALS = 1000


def fit(regret: np.ndarray) -> Growth:
    return fit_growth(SIZES, regret, regret)


def noisy(exponent: float, *, seeds: int = 10, noise: float = 0.05) -> np.ndarray:
    """``3 * size^exponent`` with relative noise, one column per seed."""
    rng = np.random.default_rng(1)
    law = 3.0 * SIZES.astype(float) ** exponent
    return law[:, None] * (1.0 + noise * rng.standard_normal((len(SIZES), seeds)))


@pytest.mark.parametrize("exponent", [-0.5, 0.0, 0.5, 1.0, 1.7])
def test_an_exact_power_law_is_found(exponent: float) -> None:
    growth = fit(noisy(exponent, seeds=3, noise=0.0))
    found = (growth.exponent, growth.low, growth.high)
    assert found == pytest.approx((exponent,) * 3, abs=1e-12)
    # What stays the same may be a large offset and a small slope.
    verdict = "not below 1" if exponent >= 1.0 else "below 1"
    assert growth.verdict == (f"{verdict} over [100, 800]" if exponent else "undecided")


def test_the_interval_is_that_of_students_t_over_the_exponents_of_the_seeds() -> None:
    regret = noisy(0.5, seeds=4)
    slopes = np.polyfit(np.log(SIZES), np.log(regret), 1)[0]
    growth = fit(regret)
    mean, error = slopes.mean(), stats.sem(slopes)
    assert growth.exponent == pytest.approx(mean)
    assert (growth.low, growth.high) == pytest.approx(stats.t.interval(0.95, 3, mean, error))
    steps = np.log(regret[1:] / regret[:-1]).mean(axis=1) / np.log(2)
    assert growth.local == " ".join(f"{step:.2f}" for step in steps)


@pytest.mark.parametrize(
    ("exponent", "verdict"),
    [(0.5, "below 1 over [100, 800]"), (1.0, "undecided"), (1.5, "not below 1 over [100, 800]")],
)
def test_the_verdict_is_that_of_the_interval(exponent: float, verdict: str) -> None:
    growth = fit(noisy(exponent))
    assert growth.low is not None and growth.high is not None
    assert growth.low < exponent < growth.high
    assert growth.verdict == verdict


@pytest.mark.parametrize("offset", [20.0, 200.0, 5000.0])
def test_a_line_with_an_offset_is_not_below_one(offset: float) -> None:
    # Fitted exponents from 0.92 down to 0.06, the same for all seeds: intervals without width.
    growth = fit(np.repeat(offset + SIZES.astype(float)[:, None], 3, axis=1))
    assert growth.high is not None and growth.high < 0.95 and not growth.is_below_one
    assert growth.local.split() == sorted(growth.local.split())  # rising
    assert (growth.verdict, growth.why) == ("undecided", "a line with an offset is not excluded")


Draw = Callable[[np.random.Generator, tuple[int, int, int]], np.ndarray]


def walk(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Regret ``T`` and the random walk of its slots, the same slots in every horizon."""
    steps = np.sqrt(np.diff(SIZES, prepend=0))[:, None]
    return SIZES[:, None] + 3.0 * np.cumsum(steps * rng.standard_normal(shape), axis=1)


def factors(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """A factor for each size and seed."""
    return SIZES[:, None] * np.exp(0.2 * rng.standard_normal(shape))


def slopes(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """A slope of its own for each seed, and a little noise."""
    slope = np.exp(0.5 * rng.standard_normal((shape[0], 1, shape[2])))
    return SIZES[:, None] * slope * (1.0 + 0.05 * rng.standard_normal(shape))


def offsets(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Lines with offsets of their own."""
    return slopes(rng, shape) + 20.0 * np.exp(rng.standard_normal((shape[0], 1, shape[2])))


@pytest.mark.parametrize("seeds", [3, 5, 20])
@pytest.mark.parametrize("draw", [walk, factors, slopes, offsets])
def test_a_noisy_line_is_hardly_ever_below_one(draw: Draw, seeds: int) -> None:
    cases = draw(np.random.default_rng(seeds), (TRIALS, len(SIZES), seeds))
    found = [fit(case) for case in cases]
    assert sum(one.is_below_one for one in found) <= 0.04 * TRIALS
    if draw is not offsets:  # nor would the interval alone be too short
        assert sum(one.high is not None and one.high < 0.999 for one in found) <= 0.04 * TRIALS


def test_a_root_is_found_below_one_in_spite_of_noise() -> None:
    rng = np.random.default_rng(0)
    cases = np.sqrt(SIZES)[:, None] * (1.0 + 0.02 * rng.standard_normal((200, len(SIZES), 5)))
    assert sum(fit(case).is_below_one for case in cases) > 190


def test_a_regret_known_as_an_interval_widens_the_exponent() -> None:
    # Whatever lies within the ends has an interval within that of the ends.
    rng = np.random.default_rng(2)
    lower = noisy(0.5, seeds=4)
    upper = lower * 1.1
    wide = fit_growth(SIZES, lower, upper)
    assert wide.low is not None and wide.high is not None
    for _ in range(50):
        inside = fit(rng.choice([1.0, 1.1], size=lower.shape) * lower)
        assert inside.low is not None and inside.high is not None
        assert wide.low <= inside.low and inside.high <= wide.high


def test_a_t_interval_by_hand() -> None:
    # Mean 2, deviation 1, and 4.3027 is the quantile of two degrees of freedom.
    reach = 4.302653 / np.sqrt(3)
    assert t_interval([1.0, 2.0, 3.0]) == pytest.approx((2 - reach, 2 + reach), rel=1e-6)
    assert t_interval([2.0, 2.0]) == (2.0, 2.0)
    assert np.isnan(t_interval([1.0])[0])


def test_a_regret_that_may_be_negative_has_no_exponent() -> None:
    regret = noisy(0.5)
    below = regret.copy()
    below[1, 0] = -1.0
    growth = fit(below)
    assert (growth.exponent, growth.low, growth.high) == (None, None, None)
    assert growth.why == "a seed's regret is not above 0 at 200"
    assert growth.verdict == "not applicable"
    # The lower end counts: the interval may hold 0.
    assert fit_growth(SIZES, np.minimum(regret, -1.0), regret).verdict == "not applicable"


def test_a_regret_that_is_not_known_decides_nothing() -> None:
    regret = noisy(0.5)
    regret[3, 0] = np.nan
    assert fit(regret).verdict == "undecided"


def test_too_little_to_fit() -> None:
    growth = fit(noisy(0.5, seeds=1))
    assert growth.exponent is not None
    assert (growth.verdict, growth.why) == ("not applicable", "one seed gives no interval")
    two = noisy(0.5)[:2]
    assert fit_growth(SIZES[:2], two, two).why == "fewer than 3 sizes"
