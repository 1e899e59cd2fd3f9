"""Main effects: what decides an outcome, and what chance gives; intervals of shares."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from benchmarks.study.effects import main_effects, wilson_interval
from benchmarks.study.grid import Grid

# 3 x 2 x 2 x 2 combinations, each once.
PICKS = pd.DataFrame(
    itertools.product(["one", "two", "three"], "xy", "uv", "st"), columns=["a", "b", "c", "d"]
)


def test_wilson_interval_by_hand() -> None:
    # k = 5 of n = 10: the middle is 1/2, the reach z / 2 / sqrt(n + z^2).
    z = 1.959963984540054
    reach = z / 2 / np.sqrt(10 + z**2)
    assert wilson_interval(5, 10) == pytest.approx((0.5 - reach, 0.5 + reach))
    low, high = wilson_interval(0, 10)
    assert low == 0.0 and high == pytest.approx(z**2 / (10 + z**2))
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_the_choice_that_decides_alone() -> None:
    first, *rest = main_effects(PICKS, PICKS["a"] != "two")
    assert first.choice == "a" and first.decides
    assert first.hits == {"one": (8, 8), "two": (0, 8), "three": (8, 8)}
    assert first.spread == 1.0
    assert all(effect.spread == 0.0 and not effect.decides for effect in rest)


def test_of_two_main_effects_the_larger_comes_first() -> None:
    # Two of three readings of a, and then b: a has spread 1, b 1/3.
    outcome = (PICKS["a"] == "one") | ((PICKS["a"] == "two") & (PICKS["b"] == "x"))
    first, second, *_ = main_effects(PICKS, outcome)
    assert (first.choice, first.spread) == ("a", 1.0)
    assert (second.choice, second.spread) == ("b", pytest.approx(1 / 3))
    assert first.decides and not second.decides


def test_an_interaction_without_main_effect_decides_nothing() -> None:
    effects = main_effects(PICKS, (PICKS["b"] == "x") == (PICKS["c"] == "u"))
    assert all(effect.spread == 0.0 and not effect.decides for effect in effects)


def test_an_outcome_that_never_changes_has_no_effects() -> None:
    assert not any(effect.decides for effect in main_effects(PICKS, PICKS["a"] == "none"))
    assert main_effects(PICKS[["a"]].head(1), pd.Series([True])) == []


@pytest.mark.slow
def test_by_chance_one_claim_in_twenty_names_a_choice() -> None:
    rng = np.random.default_rng(0)
    design = pd.DataFrame(Grid.design(24, 0, a=[1, 2, 3, 4], b=[1, 2], c=[1, 2, 3], d=[1, 2]))
    named = [
        main_effects(design, pd.Series(rng.permutation(24) < 12))[0].decides for _ in range(200)
    ]
    assert np.mean(named) <= 0.09
