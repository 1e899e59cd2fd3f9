"""Judges of what the OGASched paper says about sizes, contention and utilities: Figures 3, 6, 7."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchmarks.claim import Evidence, Finding, Judge, judged
from benchmarks.reward.claim_judges_common import FIRST, by_seed, listed
from benchmarks.reward.figures_common import BASELINES, along
from benchmarks.table import bootstrap_interval, interval_of

__all__ = [
    "lead_changes",
    "lead_peaks_inside",
    "linear_far_above",
    "penalty_grows_slowly",
    "ports_matter_less",
]

_SLOW = 0.5  # "slowly": no more than with the square root


def _leads(evidence: Evidence, column: str, baselines: Sequence[str]) -> pd.DataFrame:
    """OGASched over the best baseline, by seed and setting; NaN where that earns nothing."""
    part = along(evidence.frame("reward-3"), column)
    wide = part.pivot(index=[column, "seed"], columns="policy", values="reward")
    best = wide[list(baselines)].max(axis=1)
    return (wide[FIRST] / best.where(best > 0)).unstack(column)


def lead_peaks_inside(baselines: Sequence[str]) -> Judge:
    """The ratio to the best baseline is largest at an inner number of servers."""

    def judge(evidence: Evidence) -> Finding:
        leads = _leads(evidence, "servers", baselines)
        means = leads.mean()
        top = means.idxmax()
        ends = (leads.columns[0], leads.columns[-1])
        measured = f"ratio to the best baseline: {listed(means)}"
        if top in ends:
            return Finding("not reproduced", measured, f"largest at an end, {top:g}")
        shown = [bootstrap_interval(leads[top] - leads[end])[0] > 0 for end in ends]
        return judged(all(shown), measured)

    return judge


def lead_changes(baselines: Sequence[str]) -> Judge:
    """The ratio to the best baseline is smaller at the most contention than at 1."""

    def judge(evidence: Evidence) -> Finding:
        leads = _leads(evidence, "contention", baselines)
        low, _, text = interval_of(leads[1.0] - leads[leads.columns[-1]])
        return judged(
            low > 0,
            f"ratio to the best baseline by contention: {listed(leads.mean())}; at 1 minus at "
            f"{leads.columns[-1]:g}: {text}",
        )

    return judge


def ports_matter_less(evidence: Evidence) -> Finding:
    """The reward's exponent in |L| is smaller than that in |R|."""
    frame = evidence.frame("reward-3")
    slopes = []
    for column in ("ports", "servers"):
        part = along(frame, column)
        wide = by_seed(part[part["policy"] == FIRST], "reward", column)
        place = np.log(wide.columns.to_numpy(dtype=float))
        slopes.append(np.polyfit(place, np.log(wide.to_numpy()).T, 1)[0])
    low, _, text = interval_of(np.abs(slopes[1]) - np.abs(slopes[0]))
    return judged(
        low > 0,
        f"exponent in |L| {slopes[0].mean():.3f}, in |R| {slopes[1].mean():.3f}; difference of the "
        f"sizes {text}",
    )


def penalty_grows_slowly(evidence: Evidence) -> Finding:
    """The penalty of OGASched rises with contention, with an exponent below 1/2."""
    frame = evidence.frame("reward-6")
    frame = frame[frame["policy"] == FIRST]
    wide = {name: by_seed(frame, name, "contention") for name in ("gain", "penalty")}
    place = np.log(wide["penalty"].columns.to_numpy(dtype=float))
    slope = np.polyfit(place, np.log(wide["penalty"].to_numpy()).T, 1)[0]
    low, high, text = interval_of(slope)
    means = "; ".join(f"{name} {listed(table.mean())}" for name, table in wide.items())
    return judged(low > 0 and high < _SLOW, f"{means}; exponent of the penalty {text}")


def linear_far_above(evidence: Evidence) -> Finding:
    """With linear utilities every policy earns more than twice what it earns with others."""
    frame = evidence.frame("reward-7")
    failing, pieces = [], []
    for policy in (FIRST, *BASELINES):
        wide = by_seed(frame[frame["policy"] == policy], "reward", "utilities")
        for kind in wide.columns.drop("linear"):
            if not bootstrap_interval(wide["linear"] - 2 * wide[kind])[0] > 0:
                failing.append(f"{policy} ({kind})")
        means = ", ".join(f"{kind} {mean:.4g}" for kind, mean in wide.mean().items())
        pieces.append(f"{policy}: {means}")
    return judged(
        not failing, "; ".join(pieces), f"not for {', '.join(failing)}" if failing else ""
    )
