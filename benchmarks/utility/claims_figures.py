"""Judges of what the OASiS paper says about its figures; each is a function of their data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchmarks.claim import (
    Evidence,
    Finding,
    Judge,
    against_best,
    compare_first,
    compared,
    highest,
    judged,
)
from benchmarks.table import bootstrap_interval

__all__ = [
    "advantage_grows",
    "advantage_smaller_on_testbed",
    "highest_utility",
    "ratio_in_band",
    "timeliest",
    "underestimate_better",
]

_FIRST = "oasis"
_BAND = (1.05, 1.55)  # what rounds to 1.1 ... 1.5


def highest_utility(figure: str, groups: Sequence[str]) -> Judge:
    """OASiS has the highest total utility in every group."""
    return highest(figure, value="utility", groups=groups, first=_FIRST)


def _advantage(frame: pd.DataFrame, index: Sequence[str]) -> pd.DataFrame:
    """Utility of OASiS and of the best other scheme, run by run."""
    wide = frame.pivot(index=list(index), columns="policy", values="utility")
    best = wide.drop(columns=_FIRST).max(axis=1)
    return pd.DataFrame({"first": wide[_FIRST], "best": best}).reset_index()


def advantage_grows(evidence: Evidence) -> Finding:
    """Slope, over the number of jobs, of the lead of OASiS over the best other scheme."""
    frame = _advantage(evidence.frame("utility-3"), ("jobs", "seed"))
    frame["lead"] = frame["first"] - frame["best"]
    slopes = [
        100 * np.polyfit(part["jobs"], part["lead"], 1)[0] for _, part in frame.groupby("seed")
    ]
    low, high = bootstrap_interval(slopes)
    leads = ", ".join(f"{v:.4g} at {n}" for n, v in frame.groupby("jobs")["lead"].mean().items())
    measured = (
        f"lead over the best other scheme: {leads} jobs; slope {np.mean(slopes):.4g} per 100 jobs "
        f"[{low:.4g}, {high:.4g}]"
    )
    return judged(low > 0, measured)


def timeliest(figure: str, by_kind: bool, column: str, moment: str) -> Judge:
    """OASiS's lateness has the mean closest to zero, or the smallest variance.

    Parameters
    ----------
    figure : str
    by_kind : bool
        Separately for every class of jobs.
    column : str
        ``lateness`` (completed jobs only) or ``lateness_at_t`` (all jobs).
    moment : str
        ``"mean"`` or ``"variance"``.
    """

    def judge(evidence: Evidence) -> Finding:
        frame = evidence.frame(figure)
        groups = ["kind"] if by_kind else []
        values = frame.groupby([*groups, "policy", "seed"])[column]
        each = values.var(ddof=1) if moment == "variance" else values.mean().abs()
        table = compare_first(
            each.rename("value").reset_index(),
            value="value",
            groups=groups,
            first=_FIRST,
            sense="min",
        )
        return compared(table, groups, against_best(table, groups, _FIRST, "min"))

    return judge


def ratio_in_band(evidence: Evidence) -> Finding:
    """Mean ratio at every number of servers and range of priorities, against 1.1 to 1.5."""
    frame = evidence.frame("utility-5")
    means = frame.groupby(["servers", "priority"])[["ratio_lower", "ratio_upper"]].mean()
    inside = (means["ratio_lower"] >= _BAND[0]) & (means["ratio_upper"] < _BAND[1])
    proven = int((frame["offline_status"] == "optimal").sum())
    measured = (
        f"means from {means['ratio_lower'].min():.3f} to {means['ratio_upper'].max():.3f}, "
        f"median {means['ratio_upper'].median():.3f}; {int(inside.sum())} of {len(means)} points "
        f"in the band; worst single run {frame['ratio_upper'].max():.3f}; optimum proven on "
        f"{proven} of {len(frame)} instances"
    )
    return judged(bool(inside.all()), measured)


def underestimate_better(evidence: Evidence) -> Finding:
    """Mean utility below the actual U/L minus that above it, with the most jobs."""
    frame = evidence.frame("utility-6")
    frame = frame[frame["jobs"] == frame["jobs"].max()]
    under = frame[frame["scale"] < 1].groupby("seed")["utility"].mean()
    over = frame[frame["scale"] > 1].groupby("seed")["utility"].mean()
    gain = (under - over).to_numpy()
    low, high = bootstrap_interval(gain)
    exact = frame.loc[frame["scale"] == 1, "utility"].mean()
    measured = (
        f"{frame['jobs'].iat[0]} jobs: {under.mean():.4g} underestimated, {exact:.4g} exact, "
        f"{over.mean():.4g} overestimated; difference {gain.mean():.4g} [{low:.4g}, {high:.4g}], "
        f"positive on {int((gain > 0).sum())} of {len(gain)} seeds"
    )
    return judged(low > 0, measured)


def advantage_smaller_on_testbed(evidence: Evidence) -> Finding:
    """Relative lead over the best other scheme: testbed against Fig. 3's largest point."""
    small = _advantage(evidence.frame("utility-8"), ("seed",))
    large = _advantage(evidence.frame("utility-3"), ("jobs", "seed"))
    large = large[large["jobs"] == large["jobs"].max()]
    ends, pieces = [], []
    for name, part in (("testbed", small), ("simulation", large)):
        lead = (part["first"] / part["best"] - 1).to_numpy()
        ends.append(bootstrap_interval(lead))
        pieces.append(
            f"{name} {100 * lead.mean():.1f} % [{100 * ends[-1][0]:.1f}, {100 * ends[-1][1]:.1f}]"
        )
    measured = "relative lead over the best other scheme: " + ", ".join(pieces)
    if ends[1][1] <= 0:
        return Finding("not reproduced", measured, "there is no lead in the simulation to compare")
    return judged(ends[0][1] < ends[1][0], measured)
