"""Statistics of paired comparisons over seeds: intervals, comparisons, trends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.study.claim import Verdict

__all__ = [
    "against_best",
    "bootstrap_interval",
    "compare_first",
    "compared",
    "grouped_trend",
    "interval_of",
    "slopes",
]

_RESAMPLES = 2000
_SHUFFLES = 1999


def bootstrap_interval(
    values: Sequence[float] | np.ndarray, *, level: float = 0.95
) -> tuple[float, float]:
    """Percentile bootstrap interval of the mean, from a fixed seed.

    Returns
    -------
    tuple of float
        ``(nan, nan)`` for fewer than two values or an infinite one; the value twice if all
        are equal (where a bias-corrected bootstrap would give NaN).
    """
    data = np.asarray(values, dtype=float)
    if len(data) < 2 or not np.isfinite(data).all():
        return float("nan"), float("nan")
    if np.ptp(data) == 0.0:
        return float(data[0]), float(data[0])
    result = stats.bootstrap(
        (data,),
        np.mean,
        confidence_level=level,
        n_resamples=_RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    return float(result.confidence_interval.low), float(result.confidence_interval.high)


def interval_of(values: Sequence[float] | np.ndarray) -> tuple[float, float, str]:
    """Bootstrap interval of a mean, and both in words."""
    low, high = bootstrap_interval(values)
    return low, high, f"{np.mean(values):.4g} [{low:.4g}, {high:.4g}]"


def compare_first(
    frame: pd.DataFrame,
    *,
    value: str,
    groups: Sequence[str],
    first: str,
    sense: Literal["max", "min"],
) -> pd.DataFrame:
    """Compare one series with every other one, paired by seed, in every group.

    Parameters
    ----------
    frame : DataFrame
        One value for each group, ``policy`` (the series) and ``seed``; NaN = not known.
    value, groups : str, sequence of str
        Columns.
    first : str
        The series that is compared with the others.
    sense : {"max", "min"}
        Whether a larger or a smaller value is better.

    Returns
    -------
    DataFrame
        One row per group and other series: the groups, ``other``, ``mean_first``,
        ``mean_other``, ``gain`` (mean paired difference, positive where the first is better),
        its 95 % bootstrap interval ``low``, ``high``, ``pairs`` (known on both sides),
        ``wins`` (of them), and ``outcome``: ``better`` (low > 0), ``worse`` (high < 0),
        ``open``, or ``unknown`` (fewer than two pairs).
    """
    records = []
    sign = 1.0 if sense == "max" else -1.0
    parts = frame.groupby(list(groups), sort=True) if groups else [((), frame)]
    for key, part in parts:
        wide = part.pivot(index="seed", columns="policy", values=value).astype(float)
        for other in wide.columns.drop(first):
            pair = wide[[first, other]].dropna()
            gain = sign * (pair[first] - pair[other]).to_numpy()
            low, high = bootstrap_interval(gain)
            if len(gain) < 2:
                outcome = "unknown"
            else:
                outcome = "better" if low > 0 else "worse" if high < 0 else "open"
            records.append(
                {
                    **dict(zip(groups, key, strict=True)),
                    "other": other,
                    "mean_first": pair[first].mean(),
                    "mean_other": pair[other].mean(),
                    "gain": gain.mean() if len(gain) else np.nan,
                    "low": low,
                    "high": high,
                    "pairs": len(pair),
                    "wins": int((gain > 0).sum()),
                    "outcome": outcome,
                }
            )
    return pd.DataFrame(records)


def compared(table: pd.DataFrame, groups: Sequence[str]) -> tuple[Verdict, str]:
    """Verdict on a table of :func:`compare_first`.

    Reproduced if the first series is better than every other one in every group. Not testable
    if nothing speaks against it, but somewhere fewer than two seeds can be compared.
    """
    failing = table[table["outcome"] != "better"]
    words = {
        "worse": "worse than",
        "open": "not shown to be better than",
        "unknown": "too few seeds to compare with",
    }
    reasons = []
    for outcome, phrase in words.items():
        rows = failing[failing["outcome"] == outcome]
        if len(rows):
            cases = [
                " ".join([str(row["other"]), *(f"({row[name]})" for name in groups)])
                for _, row in rows.iterrows()
            ]
            reasons.append(f"{phrase} {', '.join(cases)}")
    if len(failing) and (failing["outcome"] == "unknown").all():
        return "not testable", reasons[0]
    return "reproduced" if failing.empty else "not reproduced", "; ".join(reasons)


def against_best(
    table: pd.DataFrame, groups: Sequence[str], first: str, sense: Literal["max", "min"]
) -> str:
    """Mean of the first series and of the best other one, group by group, in words."""
    pieces = []
    for key, part in table.groupby(list(groups), sort=True) if groups else [((), table)]:
        label = f"{'/'.join(str(k) for k in key)}: " if groups else ""
        known = part.dropna(subset=["mean_other", "mean_first"])
        if known.empty:
            pieces.append(f"{label}nothing to compare")
            continue
        row = known.sort_values("mean_other", ascending=sense == "min", kind="stable").iloc[0]
        pieces.append(
            f"{label}{first} {row['mean_first']:.4g}, best other {row['other']} "
            f"{row['mean_other']:.4g} (better on {row['wins']} of {row['pairs']} seeds)"
        )
    return "; ".join(pieces)


def grouped_trend(frame: pd.DataFrame, *, x: str, y: str, group: str) -> tuple[float, float]:
    """Rank correlation within groups (columns), and how likely chance gives one as large.

    Returns
    -------
    rho : float
        Mean over the groups of Spearman's rho; groups in which x or y is constant have none
        and are left out. NaN if that leaves no group.
    p : float
        Two-sided p-value, from permutations of y within the groups of a fixed seed; NaN with it.
    """
    ranks = []
    for _, part in frame.groupby(group, sort=True):
        centred = part[[x, y]].rank()
        centred = centred - centred.mean()
        if (centred.abs().sum() > 0).all():
            ranks.append(centred.to_numpy())
    if not ranks:
        return float("nan"), float("nan")

    def rho_of(t: np.ndarray) -> float:
        return float((t[:, 0] @ t[:, 1]) / np.sqrt((t[:, 0] @ t[:, 0]) * (t[:, 1] @ t[:, 1])))

    def mean_rho(tables: Sequence[np.ndarray]) -> float:
        return float(np.mean([rho_of(table) for table in tables]))

    rho = mean_rho(ranks)
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(_SHUFFLES):
        shuffled = [np.column_stack([t[:, 0], rng.permutation(t[:, 1])]) for t in ranks]
        hits += abs(mean_rho(shuffled)) >= abs(rho) - 1e-12
    return rho, (1 + hits) / (1 + _SHUFFLES)


def slopes(wide: pd.DataFrame) -> np.ndarray:
    """Slope of each row against the numbers that name the columns, per 100 of them.

    Parameters
    ----------
    wide : DataFrame
        E.g. a row per seed and a column per value of a setting, at least two.

    Returns
    -------
    ndarray, shape (rows,)
        Exactly 0 where a row is constant.
    """
    values = wide.to_numpy(dtype=float)
    # From the first value on, so that what is constant has no round-off.
    risen = (values - values[:, :1]).T
    return np.asarray(100 * np.polyfit(wide.columns.to_numpy(dtype=float), risen, 1)[0])
