"""Claims of Section 4.1 of the OGASched paper: performance, Figures 2 and 4."""

from __future__ import annotations

from benchmarks.claim import Claim
from benchmarks.reward import claim_judges_curves as curves
from benchmarks.reward import claim_judges_steps as steps
from benchmarks.reward import claim_judges_theory as theory
from benchmarks.reward.claims_common import REGISTERED, best, in_both_readings
from benchmarks.reward.figures_common import GENEROUS_OF

__all__ = ["PERFORMANCE"]


def _leads(baseline: str, percent: float) -> list[Claim]:
    """How far OGASched is ahead of a baseline, in two readings of it."""
    return [
        Claim(
            f"fig2-lead-{baseline}{suffix}",
            "Fig. 2",
            f"OGASched outperforms {baseline.upper()} by {percent} %.",
            f"mean relative lead of the average reward at T over {other} within 2 percentage "
            f"points of {percent} %",
            curves.lead(other, percent),
        )
        for suffix, other in (("", baseline), ("-generous", GENEROUS_OF[baseline]))
    ]


PERFORMANCE: tuple[Claim, ...] = (
    *best(
        "fig2-best",
        "Fig. 2",
        "OGASched has a clear advantage over the baselines.",
        "reward-2",
        "slot",
        "average",
    ),
    *_leads("drf", 11.33),
    *_leads("fairness", 7.75),
    *_leads("binpacking", 13.89),
    *_leads("spreading", 13.44),
    Claim(
        "fig2-rises",
        "Fig. 2(a)",
        "The average reward of OGASched rises with time, steeply at first, and later flattens.",
        "average at T minus that after 1 % of the slots, and rise in the first half minus rise in "
        "the second: 95 % bootstrap intervals > 0",
        curves.rises_then_flattens,
    ),
    Claim(
        "fig2-edge",
        "Fig. 2(b)",
        "In the beginning, FAIRNESS and DRF have the slight edge.",
        "accumulated reward after 1 % of the slots: both better than OGASched",
        curves.slight_edge,
    ),
    Claim(
        "fig2-ratio",
        "Fig. 2(c)",
        "The ratios of OGASched to the baselines increase.",
        "ratio of the averages at T minus that after 1 % of the slots: 95 % bootstrap interval > 0 "
        f"for each of {REGISTERED}",
        curves.ratio_rises,
    ),
    *in_both_readings(
        "fig2-fairness",
        "Sec. 4.1",
        "FAIRNESS is the best of the baselines.",
        "accumulated reward at T: better than every other baseline",
        curves.fairness_best_of_baselines,
    ),
    *in_both_readings(
        "sec41-steady",
        "Sec. 4.1",
        "When contention is not fierce, the advantages of FAIRNESS are more steady.",
        "accumulated reward: better than every other baseline at every contention up to 1",
        curves.fairness_steady,
    ),
    Claim(
        "fig2-hour",
        "Fig. 2",
        "OGASched takes one hour for T = 8000.",
        "at least an hour",
        theory.running_time(128, 10, 8000, 1.0),
    ),
    Claim(
        "fig4-poor",
        "Fig. 4",
        "A wrong learning rate or decay can lead to a poor performance.",
        "mean accumulated reward of the worst setting below half of that of the best",
        steps.poor_steps,
    ),
    Claim(
        "fig4-negative",
        "Fig. 4",
        "With a wrong setting the reward is negative in many slots.",
        "for some setting, in at least a tenth of the slots, mean over seeds",
        steps.negative_slots,
    ),
    Claim(
        "fig4-decay",
        "Fig. 4(b)",
        "Decay 0.9999 is better than 1.0001.",
        "accumulated reward with eta_0 = 25, difference: 95 % bootstrap interval > 0",
        steps.decay_below_one,
    ),
    Claim(
        "fig4-range",
        "Fig. 4(b)",
        "The best range for the decay is [0.995, 0.9999].",
        "the decay with the largest mean accumulated reward (eta_0 = 25) lies in it",
        steps.best_decay,
    ),
    Claim(
        "fig4-theory",
        "Sec. 4.1",
        "The best decay does better than the guidance of theory, (26).",
        "accumulated reward of that decay: better than ogasched-literal",
        steps.decay_beats_theory("ogasched-literal"),
    ),
    Claim(
        "fig4-theory-constant",
        "Sec. 4.1",
        "The best decay does better than the guidance of theory.",
        "accumulated reward of that decay: better than ogasched-constant, the step of the proof",
        steps.decay_beats_theory("ogasched-constant"),
    ),
    Claim(
        "eq26-grows",
        "Sec. 4.1",
        "The step (26) becomes larger and larger with time.",
        "mean step of the last tenth of the slots over that of the first, minus 1: 95 % bootstrap "
        "interval > 0",
        theory.steps_grow,
    ),
)
