"""Judges of what the OGASched paper says about Figure 2, and about FAIRNESS."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from benchmarks.claim import Evidence, Finding, Judge, highest, judged
from benchmarks.reward.claim_judges_common import FIRST, by_seed, end_of
from benchmarks.reward.figures_common import BASELINES, RULES, along
from benchmarks.table import interval_of

__all__ = [
    "fairness_best_of_baselines",
    "fairness_steady",
    "lead",
    "ratio_rises",
    "rises_then_flattens",
    "slight_edge",
]

_BAND = 0.02  # of a lead: within 2 percentage points
_EARLY = 0.01  # of the horizon: "in the beginning"


def lead(baseline: str, percent: float) -> Judge:
    """Relative lead of OGASched over a policy at the end of Fig. 2, against a percentage."""

    def judge(evidence: Evidence) -> Finding:
        wide = by_seed(end_of(evidence.frame("reward-2")), "average", "policy")
        texts = []
        for rule in RULES:
            leads = 100 * (wide[rule] / wide[baseline] - 1)
            texts.append(f"{rule} {interval_of(leads)[2]} %")
        measured = f"over {baseline}: {', '.join(texts)}"
        if (wide[baseline] <= 0).any():
            return Finding("not reproduced", measured, "the baseline earns nothing in some run")
        mean = float((wide[FIRST] / wide[baseline] - 1).mean())
        return judged(abs(mean - percent / 100) <= _BAND, measured)

    return judge


def slight_edge(evidence: Evidence) -> Finding:
    """DRF and FAIRNESS have earned more than OGASched after 1 % of the slots."""
    wide = by_seed(end_of(evidence.frame("reward-2"), _EARLY), "reward", "policy")
    texts, shown = [], []
    for baseline in ("drf", "fairness"):
        low, _, text = interval_of(wide[baseline] - wide[FIRST])
        shown.append(low > 0)
        texts.append(f"{baseline} - {FIRST} {text}")
    return judged(all(shown), f"accumulated after 1 % of the slots: {', '.join(texts)}")


def rises_then_flattens(evidence: Evidence) -> Finding:
    """The average reward rises, and more in the first half of the slots than in the second."""
    frame = evidence.frame("reward-2")
    frame = frame[frame["policy"] == FIRST]
    early, half, end = (
        end_of(frame, share).set_index("seed")["average"] for share in (_EARLY, 0.5, 1.0)
    )
    low, _, rise = interval_of(end - early)
    low_bend, _, bend = interval_of((half - early) - (end - half))
    return judged(
        low > 0 and low_bend > 0,
        f"average reward at the end minus that after 1 % of the slots: {rise}; rise in the first "
        f"half minus rise in the second: {bend}",
    )


def ratio_rises(evidence: Evidence) -> Finding:
    """The ratio of the averages is larger at the end than after 1 % of the slots."""
    frame = evidence.frame("reward-2")
    early, end = (by_seed(end_of(frame, share), "average", "policy") for share in (_EARLY, 1.0))
    texts, shown = [], []
    for baseline in BASELINES:
        gain = end[FIRST] / end[baseline] - early[FIRST] / early[baseline]
        low, _, text = interval_of(gain)
        shown.append(low > 0)
        texts.append(f"{baseline} {text}")
    return judged(all(shown), f"change of the ratio: {', '.join(texts)}")


def fairness_best_of_baselines(baselines: Sequence[str]) -> Judge:
    """FAIRNESS earns more than every other baseline in Fig. 2."""

    def rows(frame: pd.DataFrame) -> pd.DataFrame:
        end = end_of(frame)
        return end[end["policy"].isin(baselines)]

    (first,) = (name for name in baselines if name.startswith("fairness"))
    return highest("reward-2", value="reward", groups=["slot"], first=first, rows=rows)


def fairness_steady(baselines: Sequence[str]) -> Judge:
    """FAIRNESS earns more than every other baseline wherever contention is at most 1."""

    def rows(frame: pd.DataFrame) -> pd.DataFrame:
        part = along(frame, "contention")
        return part[(part["contention"] <= 1.0) & part["policy"].isin(baselines)]

    (first,) = (name for name in baselines if name.startswith("fairness"))
    return highest("reward-3", value="reward", groups=["contention"], first=first, rows=rows)
