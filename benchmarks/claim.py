"""What a claim of a paper is, and how one is judged: paired comparisons over seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from benchmarks.figure import CellStore, compute, find_figure
from benchmarks.table import bootstrap_interval
from models.problem import sub_package

__all__ = [
    "Claim",
    "Evidence",
    "Finding",
    "Judge",
    "against_best",
    "claims_of",
    "compare_first",
    "compared",
    "highest",
    "judged",
    "untestable",
]

Verdict = Literal["reproduced", "not reproduced", "not testable"]


@dataclass(frozen=True)
class Finding:
    """What was measured about a claim.

    Parameters
    ----------
    verdict : str
        ``"reproduced"``, ``"not reproduced"`` or ``"not testable"``.
    measured : str
        The numbers.
    why : str
        What decides, where the numbers alone do not say it.
    """

    verdict: Verdict
    measured: str
    why: str = ""


@dataclass(frozen=True)
class Claim:
    """A statement of a paper that measurements could contradict.

    Parameters
    ----------
    name : str
        Short name.
    source : str
        Figure, theorem or section.
    text : str
        What the paper says.
    test : str
        The statistic and its threshold, fixed before anything is measured.
    judge : callable
        ``(Evidence) -> Finding``; does what ``test`` says.
    """

    name: str
    source: str
    text: str
    test: str
    judge: Callable[[Evidence], Finding]


@dataclass
class Evidence:
    """The data of the figures, computed when a claim asks for it.

    Parameters
    ----------
    size : str
        Of the figures, see :func:`benchmarks.figure.compute`.
    seeds : sequence of int, optional
        Instead of those of the size.
    store : CellStore, optional
        Where finished cells are kept.
    """

    size: str
    seeds: Sequence[int] | None = None
    store: CellStore | None = None
    _frames: dict[str, pd.DataFrame] = field(default_factory=dict)

    def frame(self, figure: str) -> pd.DataFrame:
        """Data of a figure, e.g. ``"utility-3"``."""
        if figure not in self._frames:
            self._frames[figure] = compute(
                find_figure(figure), self.size, self.seeds, store=self.store, progress=True
            )
        return self._frames[figure]


Judge = Callable[[Evidence], Finding]
"""Judges a claim by the data."""


def claims_of(problem_name: str) -> tuple[Claim, ...]:
    """The claims of a problem's paper.

    Raises
    ------
    InputError
        If there is no such problem, or nobody has listed its claims.
    """
    found: tuple[Claim, ...] = sub_package("benchmarks", problem_name, "claims").CLAIMS
    return found


def judged(passed: bool, measured: str, why: str = "") -> Finding:
    """Make a finding from a test that has an outcome."""
    return Finding("reproduced" if passed else "not reproduced", measured, why)


def untestable(why: str) -> Judge:
    """Judge of a claim that cannot be tested here."""
    return lambda evidence: Finding("not testable", "-", why)


def compare_first(
    frame: pd.DataFrame,
    *,
    value: str,
    groups: Sequence[str],
    first: str,
    sense: Literal["max", "min"],
    series: str = "policy",
    unit: str = "seed",
) -> pd.DataFrame:
    """Compare one series with every other one, paired by seed, in every group.

    Parameters
    ----------
    frame : DataFrame
        One value for each group, series and unit; NaN = not known.
    value, series, unit : str
        Columns.
    groups : sequence of str
        Columns of the groups; may be empty.
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
        wide = part.pivot(index=unit, columns=series, values=value).astype(float)
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


def compared(table: pd.DataFrame, groups: Sequence[str], measured: str) -> Finding:
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
        return Finding("not testable", measured, reasons[0])
    return judged(failing.empty, measured, "; ".join(reasons))


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


def highest(
    figure: str,
    *,
    value: str,
    groups: Sequence[str],
    first: str,
    rows: Callable[[pd.DataFrame], pd.DataFrame] | None = None,
) -> Judge:
    """The first series has the highest value in every group of a figure's data.

    Parameters
    ----------
    figure : str
    value, groups, first
        As for :func:`compare_first`.
    rows : callable, optional
        Takes the rows that count.
    """

    def judge(evidence: Evidence) -> Finding:
        frame = evidence.frame(figure)
        frame = frame if rows is None else rows(frame)
        table = compare_first(frame, value=value, groups=groups, first=first, sense="max")
        return compared(table, groups, against_best(table, groups, first, "max"))

    return judge
