"""Statistics of paired comparisons, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from benchmarks.study.statistics import bootstrap_interval, compare_first, grouped_trend


@pytest.mark.parametrize("count", [2, 3, 30])
def test_the_interval_is_that_of_scipy(count: int) -> None:
    data = np.random.default_rng(count).lognormal(size=count)
    known = stats.bootstrap(
        (data,), np.mean, n_resamples=2000, method="percentile", rng=np.random.default_rng(0)
    ).confidence_interval
    assert bootstrap_interval(data) == pytest.approx((known.low, known.high), rel=1e-12)


def test_compare_first_by_hand() -> None:
    frame = pd.DataFrame(
        {
            "seed": [0, 0, 1, 1, 2, 2],
            "policy": ["a", "b"] * 3,
            "value": [3.0, 1.0, 5.0, 4.0, 2.0, np.nan],
        }
    )
    (row,) = compare_first(frame, value="value", groups=[], first="a", sense="max").itertuples()
    # Differences 2 and 1; seed 2 has no pair.
    assert (row.other, row.gain, row.pairs, row.wins, row.outcome) == ("b", 1.5, 2, 2, "better")
    assert 1.0 <= row.low <= row.high <= 2.0
    (row,) = compare_first(frame, value="value", groups=[], first="a", sense="min").itertuples()
    assert (row.gain, row.wins, row.outcome) == (-1.5, 0, "worse")
    (row,) = compare_first(frame[2:], value="value", groups=[], first="a", sense="max").itertuples()
    assert row.outcome == "unknown"


def test_grouped_trend_sees_what_groups_hide() -> None:
    # In each group y falls with x; between the groups both rise together.
    frame = pd.DataFrame(
        {
            "x": [1, 2, 3, 4, 11, 12, 13, 14],
            "y": [4, 3, 2, 1, 14, 13, 12, 11],
            "g": ["a"] * 4 + ["b"] * 4,
        }
    )
    rho, p = grouped_trend(frame, x="x", y="y", group="g")
    assert rho == pytest.approx(-1.0)
    assert p < 0.05  # 2 of 576 pairs of orders are as extreme
    assert np.isnan(grouped_trend(frame.assign(x=1), x="x", y="y", group="g")).all()
