"""Statistics of paired comparisons over seeds: intervals, comparisons, trends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from scipy.special import nctdtr, ndtri, stdtrit

_RESAMPLES = 2000
_SHUFFLES = 1999
_LEVEL, _POWER = 0.05, 0.8  # of a t-test that is planned
_MOST_PAIRS = 10**6


def bootstrap_interval(values: Sequence[float] | np.ndarray | pd.Series) -> tuple[float, float]:
    """95 % percentile bootstrap interval of the mean, from a fixed seed.

    NaN for fewer than two values or an infinite one; the value twice if all are equal (where a
    bias-corrected bootstrap would give NaN).
    """
    data = np.asarray(values, dtype=float)
    if len(data) < 2 or not np.isfinite(data).all():
        return float("nan"), float("nan")
    if np.ptp(data) == 0.0:
        return float(data[0]), float(data[0])
    rng = np.random.default_rng(0)
    means = data[rng.integers(0, len(data), (_RESAMPLES, len(data)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def interval_of(values: Sequence[float] | np.ndarray | pd.Series) -> tuple[float, float, str]:
    """Bootstrap interval of a mean, and both in words."""
    low, high = bootstrap_interval(values)
    return low, high, f"{np.mean(values):.4g} [{low:.4g}, {high:.4g}]"


def t_interval(
    values: Sequence[float] | np.ndarray | pd.Series, reach: float | np.ndarray = 0.0
) -> tuple[float, float]:
    """95 % t-interval of the mean; NaN for fewer than two values.

    Where each value is known up to ``reach`` alone, it holds that of all values in reach.
    """
    data, reach = np.broadcast_arrays(np.asarray(values, dtype=float), reach)
    if len(data) < 2:
        return float("nan"), float("nan")
    degrees = len(data) - 1
    deviation = data.std(ddof=1) + np.sqrt((reach**2).sum() / degrees)
    half = reach.mean() + stdtrit(degrees, 0.975) * deviation / np.sqrt(len(data))
    return float(data.mean() - half), float(data.mean() + half)


def pairs_needed(differences: Sequence[float] | np.ndarray | pd.Series) -> int | None:
    """Fewest pairs with which a paired t-test, two-sided at 5 %, has power 0.8.

    Differences are taken to be normal, with mean and deviation of those given: the statistic of n
    pairs then has a noncentral t distribution, with parameter sqrt(n) mean / deviation. None if
    these are not known (fewer than two), the mean is 0, or a million pairs do not suffice.
    """
    data = np.asarray(differences, dtype=float)
    if len(data) < 2 or not np.isfinite(data).all() or data.mean() == 0.0:
        return None
    spread = data.std(ddof=1)
    effect = min(abs(data.mean()) / spread, 100.0) if spread else 100.0  # 2 pairs suffice at 20
    # The normal test needs fewer, by two or so.
    least = ((ndtri(1.0 - _LEVEL / 2) + ndtri(_POWER)) / effect) ** 2
    pairs = max(2, int(min(least, _MOST_PAIRS)))
    while pairs <= _MOST_PAIRS:
        limit, shift = stdtrit(pairs - 1, 1.0 - _LEVEL / 2), effect * np.sqrt(pairs)
        if nctdtr(pairs - 1, shift, limit) - nctdtr(pairs - 1, shift, -limit) <= 1.0 - _POWER:
            return pairs
        pairs += 1
    return None


def compare_first(
    frame: pd.DataFrame,
    *,
    value: str,
    groups: Sequence[str],
    first: str,
    sense: Literal["max", "min"],
) -> pd.DataFrame:
    """Compare one series with every other one, paired by seed, in every group.

    The frame has one value for each group, ``policy`` (the series) and ``seed``; NaN = not known.
    ``sense``: whether a larger or a smaller one is better.

    The result has one row per group and other series: ``group`` and ``who``, the other one and its
    group, in words; ``other``; ``mean_first``, ``mean_other`` and ``gain`` (mean paired difference,
    positive where the first is better), its 95 % bootstrap interval ``low``, ``high``, ``pairs``
    (known on both sides), ``wins`` (of them), and ``outcome``: ``better`` (low > 0), ``worse``
    (high < 0), ``open``, or ``unknown`` (fewer than two pairs).
    """
    records = []
    parts = frame.groupby(list(groups), sort=True) if groups else [((), frame)]
    for key, part in parts:
        wide = part.pivot(index="seed", columns="policy", values=value).astype(float)
        for other in wide.columns.drop(first):
            pair = wide[[first, other]].dropna()
            gain = (pair[first] - pair[other]) * (1.0 if sense == "max" else -1.0)
            low, high = bootstrap_interval(gain)
            outcome = "better" if low > 0 else "worse" if high < 0 else "open"
            records.append(
                {
                    "group": "/".join(map(str, key)),
                    "who": " ".join([str(other), *(f"({place})" for place in key)]),
                    "other": other,
                    "mean_first": pair[first].mean(),
                    "mean_other": pair[other].mean(),
                    "gain": gain.mean(),
                    "low": low,
                    "high": high,
                    "pairs": len(pair),
                    "wins": int((gain > 0).sum()),
                    "outcome": outcome if len(pair) > 1 else "unknown",
                }
            )
    return pd.DataFrame(records)


def grouped_trend(frame: pd.DataFrame, *, x: str, y: str, group: str) -> tuple[float, float]:
    """Rank correlation of two columns within groups, and how likely chance gives one as large.

    The first is the mean over the groups of Spearman's rho; groups in which x or y is constant have
    none and are left out. The second is a two-sided p-value, from permutations of y within the
    groups of a fixed seed. Both are NaN if no group is left.
    """
    ranks = []
    for _, part in frame.groupby(group, sort=True):
        columns = part[[x, y]].rank()
        if (columns.nunique() > 1).all():
            centred = columns - columns.mean()
            ranks.append((centred / np.sqrt((centred**2).sum())).to_numpy())
    if not ranks:
        return float("nan"), float("nan")
    rho = float(np.mean([t[:, 0] @ t[:, 1] for t in ranks]))
    rng = np.random.default_rng(0)
    chance = [
        np.mean([t[:, 0] @ rng.permutation(t[:, 1]) for t in ranks]) for _ in range(_SHUFFLES)
    ]
    hits = int((np.abs(chance) >= abs(rho) - 1e-12).sum())
    return rho, (1 + hits) / (1 + _SHUFFLES)


def slopes(wide: pd.DataFrame) -> np.ndarray:
    """Slope of each row against the numbers that name the columns, per 100 of them.

    It is exactly 0 where a row is constant.
    """
    values = wide.to_numpy(dtype=float)
    # From the first value on, so that what is constant has no round-off.
    risen = (values - values[:, :1]).T
    return np.asarray(100 * np.polyfit(wide.columns.to_numpy(dtype=float), risen, 1)[0])
