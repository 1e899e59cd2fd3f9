"""Claims of Section 4.1: Figures 2 and 4, performance over time, first step and decay.

A function that gives numbers of a study's frame becomes a test by its decorator, which says what
has to hold of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from benchmarks.reward.statements import FIRST, Differences, Numbers, Says, best, takes_hours
from benchmarks.reward.studies import BASELINES, GENEROUS_OF, REFERENCES, RULES, SETTINGS, STEPS
from benchmarks.study.claim import Claim
from benchmarks.study.frames import along, by_seed, end_of, listed
from benchmarks.study.statistics import interval_of
from benchmarks.study.tests import Above, Below, Best, Moves, Near

__all__ = ["PERFORMANCE"]

_EARLY = 0.01  # of the horizon: "in the beginning"
_DECAYS = (0.995, 0.9999)


def _lead(baseline: str, percent: float) -> Near:
    """Relative lead of OGASched over a policy at the end; none if that earns nothing."""
    what = f"mean relative lead of the average reward at T over {baseline}"

    @partial(Near, what, percent, 2.0, unit="%")
    def test(frame: pd.DataFrame) -> tuple[float, str]:
        wide = by_seed(end_of(frame, "slot"), "average", "policy")
        leads = {rule: 100 * (wide[rule] / wide[baseline] - 1) for rule in RULES}
        texts = [f"{rule} {interval_of(values)[2]} %" for rule, values in leads.items()]
        text = f"over {baseline}: {', '.join(texts)}"
        if (wide[baseline] <= 0).any():
            return np.nan, f"{text}; it earns nothing in some run"
        return float(leads[FIRST].mean()), text

    return test


@partial(
    Moves,
    "accumulated reward of drf and of fairness after 1 % of the slots minus that of ogasched",
    named=False,
)
def _early_edge(frame: pd.DataFrame) -> Differences:
    wide = by_seed(end_of(frame, "slot", _EARLY), "reward", "policy")
    found = {f"{name} - {FIRST}": wide[name] - wide[FIRST] for name in ("drf", "fairness")}
    return found, f"accumulated after 1 % of the slots: {_intervals(found)}"


@partial(
    Moves,
    "average at T minus that after 1 % of the slots, and rise in the first half minus rise in the "
    "second",
    named=False,
)
def _rises_then_flattens(frame: pd.DataFrame) -> Differences:
    own = frame[frame["policy"] == FIRST]
    early, half, end = (
        end_of(own, "slot", share).set_index("seed")["average"] for share in (_EARLY, 0.5, 1.0)
    )
    rise, bend = end - early, (half - early) - (end - half)
    return {"rise": rise, "bend": bend}, (
        f"average reward at the end minus that after 1 % of the slots: {interval_of(rise)[2]}; "
        f"rise in the first half minus rise in the second: {interval_of(bend)[2]}"
    )


@partial(
    Moves,
    "ratio of the averages at T minus that after 1 % of the slots, for each of "
    f"{', '.join(BASELINES)}",
    named=False,
)
def _ratios_rise(frame: pd.DataFrame) -> Differences:
    early, end = (
        by_seed(end_of(frame, "slot", share), "average", "policy") for share in (_EARLY, 1.0)
    )
    found = {name: end[FIRST] / end[name] - early[FIRST] / early[name] for name in BASELINES}
    return found, f"change of the ratio: {_intervals(found)}"


def _intervals(found: dict[str, pd.Series]) -> str:
    return ", ".join(f"{name} {interval_of(values)[2]}" for name, values in found.items())


def _leads(baseline: str, percent: float) -> list[Claim]:
    """How far OGASched is ahead of a baseline, in two readings of it."""
    text = f"OGASched outperforms {baseline.upper()} by {percent} %."
    said = Says(f"fig2-lead-{baseline}", "Fig. 2", text)
    return [
        said.judged("2", _lead(baseline, percent)),
        said.judged("2", _lead(GENEROUS_OF[baseline], percent), "-generous"),
    ]


def _fairness_best(baselines: Sequence[str]) -> Best:
    """FAIRNESS earns more than all other baselines of a reading."""
    return best(baselines[1], baselines, "slot", where="at T")


def _fairness_steady(baselines: Sequence[str]) -> Best:
    """The same wherever contention is at most 1."""

    def mild(frame: pd.DataFrame) -> pd.DataFrame:
        return along(frame, SETTINGS, ("contention",)).query("contention <= 1")

    where = "at every contention up to 1"
    return best(baselines[1], baselines, "contention", where=where, rows=mild)


# ---- Figure 4: first step and decay -------------------------------------------------------------


def _swept(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Rewards by seed and initial rate or decay, the other as in Table 1."""
    other, fixed = ("factor", STEPS[1]) if column == "initial" else ("initial", STEPS[0])
    return by_seed(frame[frame[other] == fixed], "reward", column)


@partial(Moves, "accumulated reward with eta_0 = 25, difference")
def _decay_below_one(frame: pd.DataFrame) -> Differences:
    swept = _swept(frame, "factor")[[0.9999, 1.0001]]
    more = swept[0.9999] - swept[1.0001]
    return {"": more}, f"mean reward {listed(swept.mean())}; difference {interval_of(more)[2]}"


@partial(
    Below,
    f"distance from {list(_DECAYS)} of the decay with the largest mean accumulated reward "
    "(eta_0 = 25)",
    0,
    or_equal=True,
)
def _best_decay(frame: pd.DataFrame) -> Numbers:
    means = _swept(frame, "factor").mean()
    at, (low, high) = float(means.idxmax()), _DECAYS
    text = f"mean reward by decay {listed(means)}; best {at:g}"
    return [max(low - at, at - high, 0.0)], text


def _decay_beats(reference: str) -> Moves:
    """The best decay earns more than a step of the theory."""

    @partial(Moves, f"accumulated reward of the best decay minus that of {reference}")
    def test(frame: pd.DataFrame) -> Differences:
        swept = _swept(frame, "factor")
        rest = {
            name: frame[frame["policy"] == name].set_index("seed")["reward"] for name in REFERENCES
        }
        top = swept.mean().idxmax()
        more = swept[top] - rest[reference]
        others = ", ".join(f"{name} {values.mean():.4g}" for name, values in rest.items())
        return {"": more}, (
            f"decay {top:g} {swept[top].mean():.4g}, decay {STEPS[1]:g} "
            f"{swept[STEPS[1]].mean():.4g}, {others}; best decay - {reference} "
            f"{interval_of(more)[2]}"
        )

    return test


@partial(Below, "mean accumulated reward of the worst setting over that of the best", 0.5)
def _poor_steps(frame: pd.DataFrame) -> Numbers:
    swept = {
        word: _swept(frame, name) for word, name in (("eta_0", "initial"), ("decay", "factor"))
    }
    means = pd.Series(
        {f"{word} {at:g}": mean for word, by in swept.items() for at, mean in by.mean().items()}
    )
    return [means.min() / means.max()], (
        f"worst {means.idxmin()}: {means.min():.4g}, best {means.idxmax()}: {means.max():.4g}"
    )


@partial(
    Above,
    "share of the slots with a negative reward, mean over seeds,",
    0.1,
    or_equal=True,
    where="for some setting",
)
def _negative_slots(frame: pd.DataFrame) -> Numbers:
    shares = frame.dropna(subset=["initial"]).groupby(["initial", "factor"])["negative"].mean()
    most, (initial, factor) = shares.max(), shares.idxmax()
    if most == 0:
        return [0.0], "no slot with a negative reward under any setting"
    return [most], f"most with eta_0 {initial:g}, decay {factor:g}: {100 * most:.1f} % of the slots"


@partial(Moves, "mean step of the last tenth of the slots over that of the first, minus 1")
def _growing_steps(frame: pd.DataFrame) -> Differences:
    low, high, _ = interval_of(frame["growth"])
    return {"": frame["growth"]}, (
        f"mean step of the last tenth over that of the first, minus 1: {frame['growth'].mean():.3g}"
        f" [{low:.3g}, {high:.3g}], {len(frame)} seeds"
    )


# ---- claims -------------------------------------------------------------------------------------

PERFORMANCE: tuple[Claim, ...] = (
    *Says("fig2-best", "Fig. 2", "OGASched has a clear advantage over the baselines.").of_the_best(
        "2", "slot", "average"
    ),
    *_leads("drf", 11.33),
    *_leads("fairness", 7.75),
    *_leads("binpacking", 13.89),
    *_leads("spreading", 13.44),
    Says(
        "fig2-rises",
        "Fig. 2(a)",
        "The average reward of OGASched rises with time, steeply at first, and later flattens.",
    ).judged("2", _rises_then_flattens),
    Says(
        "fig2-edge", "Fig. 2(b)", "In the beginning, FAIRNESS and DRF have the slight edge."
    ).judged("2", _early_edge),
    Says("fig2-ratio", "Fig. 2(c)", "The ratios of OGASched to the baselines increase.").judged(
        "2", _ratios_rise
    ),
    *Says("fig2-fairness", "Sec. 4.1", "FAIRNESS is the best of the baselines.").in_both_readings(
        "2", _fairness_best
    ),
    *Says(
        "sec41-steady",
        "Sec. 4.1",
        "When contention is not fierce, the advantages of FAIRNESS are more steady.",
    ).in_both_readings("3", _fairness_steady),
    Says("fig2-hour", "Fig. 2", "OGASched takes one hour for T = 8000.").judged(
        "times", takes_hours(10, 8000, 1.0)
    ),
    Says(
        "fig4-poor", "Fig. 4", "A wrong learning rate or decay can lead to a poor performance."
    ).judged("4", _poor_steps),
    Says(
        "fig4-negative", "Fig. 4", "With a wrong setting the reward is negative in many slots."
    ).judged("4", _negative_slots),
    Says("fig4-decay", "Fig. 4(b)", "Decay 0.9999 is better than 1.0001.").judged(
        "4", _decay_below_one
    ),
    Says("fig4-range", "Fig. 4(b)", "The best range for the decay is [0.995, 0.9999].").judged(
        "4", _best_decay
    ),
    Says(
        "fig4-theory", "Sec. 4.1", "The best decay does better than the guidance of theory, (26)."
    ).judged("4", _decay_beats("ogasched-literal")),
    Says(
        "fig4-theory-constant",
        "Sec. 4.1",
        "The best decay does better than the guidance of theory.",
    ).judged("4", _decay_beats("ogasched-constant")),
    Says("eq26-grows", "Sec. 4.1", "The step (26) becomes larger and larger with time.").judged(
        "gradients", _growing_steps
    ),
)
"""Section 4.1."""
