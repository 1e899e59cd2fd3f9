"""What the judges of the OGASched paper's figures share, and those that serve several figures."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchmarks.claim import Evidence, Finding, Judge, highest, judged
from benchmarks.reward.figures_common import BASELINES, GENEROUS, along
from benchmarks.table import bootstrap_interval

__all__ = [
    "FIRST",
    "READINGS",
    "best_everywhere",
    "by_seed",
    "end_of",
    "listed",
    "moves",
]

FIRST = "ogasched"
"""The policy that claims are about, unless they say otherwise."""

READINGS = {"": BASELINES, "-generous": GENEROUS}
"""The baselines in two readings, by what is added to the name of a claim."""


def by_seed(frame: pd.DataFrame, value: str, column: str) -> pd.DataFrame:
    """One row per seed, one column per value of a column."""
    return frame.pivot(index="seed", columns=column, values=value).astype(float)


def end_of(frame: pd.DataFrame, share: float = 1.0) -> pd.DataFrame:
    """Points of curves after this share of the slots, or the first ones after it."""
    slots = frame["slot"].unique()
    return frame[frame["slot"] == slots[slots >= share * slots.max()].min()]


def listed(means: pd.Series) -> str:
    """Means by the value of a setting, in words."""
    return ", ".join(f"{name:g}: {mean:.4g}" for name, mean in means.items())


def best_everywhere(
    figure: str, column: str, rule: str, value: str, baselines: Sequence[str] = BASELINES
) -> Judge:
    """One step rule is better than every baseline at every value of a setting.

    ``column`` is ``"slot"`` for the ends of curves, a setting that is varied, or
    ``"utilities"``, which is all that Figure 7 varies.
    """

    def rows(frame: pd.DataFrame) -> pd.DataFrame:
        part = end_of(frame) if column == "slot" else along(frame, column)
        return part[part["policy"].isin((rule, *baselines))]

    return highest(figure, value=value, groups=[column], first=rule, rows=rows)


def moves(
    figure: str,
    column: str,
    value: str,
    *,
    least: float = 0.0,
    most: float = np.inf,
    ends: bool = False,
    sign: float = 1.0,
    policies: Sequence[str] | None = None,
) -> Judge:
    """A value rises (sign 1) or falls (-1) with a setting, for all policies.

    Parameters
    ----------
    figure, column, value : str
    least, most : float
        Range of the setting.
    ends : bool
        Compare the ends of the range only, not every two neighbours.
    sign : float
    policies : sequence of str, optional
        By default those of the paper: OGASched with its steps, and the baselines.
    """

    def judge(evidence: Evidence) -> Finding:
        frame = along(evidence.frame(figure), column)
        frame = frame[frame[column].between(least, most)]
        pieces, failing = [], []
        for policy in policies or (FIRST, *BASELINES):
            wide = by_seed(frame[frame["policy"] == policy], value, column)
            steps = list(wide.columns)
            pairs = [(steps[0], steps[-1])] if ends else list(itertools.pairwise(steps))
            for one, two in pairs:
                if not bootstrap_interval(sign * (wide[two] - wide[one]))[0] > 0:
                    failing.append(f"{policy} ({one:g} to {two:g})")
            means = "/".join(f"{mean:.4g}" for mean in wide.mean())
            pieces.append(f"{policy} {means}")
        at = "/".join(f"{step:g}" for step in steps)
        return judged(
            not failing,
            f"{column} {at}: {'; '.join(pieces)}",
            f"not shown for {', '.join(failing)}" if failing else "",
        )

    return judge
