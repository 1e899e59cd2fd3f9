"""Judges of what the OGASched paper says about learning rate and decay, Figure 4."""

from __future__ import annotations

import pandas as pd

from benchmarks.claim import Evidence, Finding, Judge, judged
from benchmarks.reward.claim_judges_common import by_seed, listed
from benchmarks.reward.figures_steps import REFERENCES, TABLE_1
from benchmarks.table import interval_of

__all__ = [
    "best_decay",
    "decay_beats_theory",
    "decay_below_one",
    "negative_slots",
    "poor_steps",
]

_POOR = 0.5  # "poor": less than half of the best
_MANY = 0.1  # "many slots": a tenth
_DECAYS = (0.995, 0.9999)


def _swept(evidence: Evidence, column: str) -> pd.DataFrame:
    """Rewards by seed and initial rate or decay, the other as in Table 1."""
    frame = evidence.frame("reward-4")
    other, fixed = ("factor", TABLE_1[1]) if column == "initial" else ("initial", TABLE_1[0])
    return by_seed(frame[frame[other] == fixed], "reward", column)


def decay_below_one(evidence: Evidence) -> Finding:
    """Decay 0.9999 against 1.0001, both with the initial rate of Table 1."""
    swept = _swept(evidence, "factor")
    low, _, text = interval_of(swept[0.9999] - swept[1.0001])
    means = swept[[0.9999, 1.0001]].mean()
    return judged(low > 0, f"mean reward {listed(means)}; difference {text}")


def best_decay(evidence: Evidence) -> Finding:
    """The decay with the largest mean reward lies in the range."""
    means = _swept(evidence, "factor").mean()
    return judged(
        bool(_DECAYS[0] <= means.idxmax() <= _DECAYS[1]),
        f"mean reward by decay {listed(means)}; best {means.idxmax():g}",
    )


def decay_beats_theory(reference: str) -> Judge:
    """The best decay earns more than a step of the theory."""

    def judge(evidence: Evidence) -> Finding:
        swept = _swept(evidence, "factor")
        frame = evidence.frame("reward-4")
        rest = {
            name: frame[frame["policy"] == name].set_index("seed")["reward"] for name in REFERENCES
        }
        best = swept.mean().idxmax()
        low, _, text = interval_of(swept[best] - rest[reference])
        others = ", ".join(f"{name} {values.mean():.4g}" for name, values in rest.items())
        return judged(
            low > 0,
            f"decay {best:g} {swept[best].mean():.4g}, decay {TABLE_1[1]:g} "
            f"{swept[TABLE_1[1]].mean():.4g}, {others}; best decay - {reference} {text}",
        )

    return judge


def poor_steps(evidence: Evidence) -> Finding:
    """The worst setting of Fig. 4 earns less than half of the best."""
    means = pd.concat(
        [
            _swept(evidence, column).mean().rename(lambda value, word=word: f"{word} {value:g}")
            for column, word in (("initial", "eta_0"), ("factor", "decay"))
        ]
    )
    return judged(
        bool(means.min() < _POOR * means.max()),
        f"worst {means.idxmin()}: {means.min():.4g}, best {means.idxmax()}: {means.max():.4g}",
    )


def negative_slots(evidence: Evidence) -> Finding:
    """Some setting of Fig. 4 has a negative reward in a tenth of its slots."""
    frame = evidence.frame("reward-4").dropna(subset=["initial"])
    shares = frame.groupby(["initial", "factor"])["negative"].mean()
    initial, factor = shares.idxmax()
    return judged(
        bool(shares.max() >= _MANY),
        f"most with eta_0 {initial:g}, decay {factor:g}: {100 * shares.max():.1f} % of the slots"
        if shares.max() > 0
        else "no slot with a negative reward under any setting",
    )
