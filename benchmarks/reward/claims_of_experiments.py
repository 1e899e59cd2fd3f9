"""Claims of Section 4 of the OGASched paper: its experiments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.claim import Claim, Judge, untestable
from benchmarks.reward import claims_curves as curves
from benchmarks.reward import claims_steps as steps
from benchmarks.reward import claims_sweeps as sweeps
from benchmarks.reward import claims_theory as theory
from benchmarks.reward.claims_common import FIRST, READINGS, best_everywhere, moves
from benchmarks.reward.figures_common import GENEROUS_OF, RULES

__all__ = ["EXPERIMENTS"]

_BETTER = "better than {} (95 % bootstrap interval of the paired difference > 0)"
_LISTED = {suffix: ", ".join(names) for suffix, names in READINGS.items()}
_EVERY = "every two neighbouring values: 95 % bootstrap interval of the paired difference"


def _best(name: str, source: str, text: str, figure: str, column: str, value: str) -> list[Claim]:
    """That OGASched is the best: two step rules, two readings of the baselines."""
    at = "at the end" if column == "slot" else f"at every value of {column}"
    return [
        Claim(
            name + rule.removeprefix("ogasched") + suffix,
            source,
            text,
            f"{value} reward of {rule}: {_BETTER.format(_LISTED[suffix])}, {at}",
            best_everywhere(
                figure, column, rule, value.replace("accumulated", "reward"), baselines
            ),
        )
        for rule in RULES
        for suffix, baselines in READINGS.items()
    ]


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


def _in_both_readings(
    name: str, source: str, text: str, test: str, judge: Callable[[Sequence[str]], Judge]
) -> list[Claim]:
    """A claim about the baselines, judged of each reading of them."""
    return [
        Claim(
            name + suffix,
            source,
            text,
            f"{test}; baselines {_LISTED[suffix]}",
            judge(baselines),
        )
        for suffix, baselines in READINGS.items()
    ]


EXPERIMENTS: tuple[Claim, ...] = (
    *_best(
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
        "for every baseline",
        curves.ratio_rises,
    ),
    *_in_both_readings(
        "fig2-fairness",
        "Sec. 4.1",
        "FAIRNESS is the best of the baselines.",
        "accumulated reward at T: better than every other baseline",
        curves.fairness_best_of_baselines,
    ),
    *_in_both_readings(
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
    *_best(
        "fig3a-best",
        "Fig. 3(a)",
        "OGASched leads whatever the number of instances.",
        "reward-3",
        "servers",
        "accumulated",
    ),
    Claim(
        "fig3a-rises",
        "Fig. 3(a)",
        "All rewards grow with the number of instances.",
        f"accumulated reward of every policy, {_EVERY} > 0",
        moves("reward-3", "servers", "reward"),
    ),
    *_in_both_readings(
        "fig3a-lead",
        "Fig. 3(a)",
        "The superiority of OGASched first increases with |R|, then decreases.",
        "ratio to the best baseline of the seed largest at an inner |R|, and better there than at "
        "both ends",
        sweeps.lead_peaks_inside,
    ),
    *_best(
        "fig3b-best",
        "Fig. 3(b)",
        "OGASched leads whatever the number of job types.",
        "reward-3",
        "ports",
        "accumulated",
    ),
    Claim(
        "fig3b-weaker",
        "Fig. 3(b)",
        "|L| has a weaker impact on the performance of OGASched than |R|.",
        "size of the slope of log reward against log |R| minus that against log |L| (at the same "
        "density): 95 % bootstrap interval > 0",
        sweeps.ports_matter_less,
    ),
    *_best(
        "fig3c-best",
        "Fig. 3(c)",
        "OGASched performs best at every contention level.",
        "reward-3",
        "contention",
        "accumulated",
    ),
    *_in_both_readings(
        "fig3c-rise",
        "Fig. 3(c)",
        "From contention 0.1 to 1 all rewards increase.",
        f"accumulated reward of every policy, {_EVERY} > 0",
        lambda baselines: moves(
            "reward-3", "contention", "reward", most=1.0, policies=(FIRST, *baselines)
        ),
    ),
    *_in_both_readings(
        "fig3c-fall",
        "Fig. 3(c)",
        "Beyond contention 1 the rewards fall.",
        "accumulated reward of every policy at the most contention minus that at 1: 95 % "
        "bootstrap interval < 0",
        lambda baselines: moves(
            "reward-3",
            "contention",
            "reward",
            least=1.0,
            ends=True,
            sign=-1.0,
            policies=(FIRST, *baselines),
        ),
    ),
    *_in_both_readings(
        "fig3c-lead",
        "Fig. 3(c)",
        "Beyond contention 1 the superiority of OGASched is reduced.",
        "ratio to the best baseline of the seed at contention 1 minus that at the most: 95 % "
        "bootstrap interval > 0",
        sweeps.lead_changes,
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
    *_best(
        "fig5-best",
        "Fig. 5",
        "The superiority of OGASched is preserved in large-scale scenarios.",
        "reward-5",
        "slot",
        "average",
    ),
    Claim(
        "fig5-hours",
        "Fig. 5",
        "OGASched takes 15 hours for T = 10000 at a large scale.",
        "at least 15 hours",
        theory.running_time(1024, 100, 10000, 15.0),
    ),
    Claim(
        "fig6-slowly",
        "Fig. 6",
        "The penalty of OGASched increases with contention, slowly.",
        "slope of log penalty against log contention: 95 % bootstrap interval within (0, 0.5)",
        sweeps.penalty_grows_slowly,
    ),
    Claim(
        "fig7-linear",
        "Fig. 7",
        "Rewards with poly, log and reciprocal utilities are significantly less than with linear.",
        "accumulated reward of every policy with linear utilities minus twice that with each other "
        "kind: 95 % bootstrap interval > 0",
        sweeps.linear_far_above,
    ),
    *_best(
        "fig7-best",
        "Fig. 7",
        "OGASched is the best with all kinds of utilities, even with all reciprocal.",
        "reward-7",
        "utilities",
        "accumulated",
    ),
    *(
        claim
        for column, text in (
            ("slots", "whatever the horizon"),
            ("probability", "whatever the arrival probability"),
            ("density", "whatever the graph density"),
        )
        for claim in _best(
            f"tab2-{column}",
            "Table 2",
            f"OGASched always performs the best, {text}.",
            "reward-table-2",
            column,
            "average",
        )
    ),
    Claim(
        "tab2-longer",
        "Table 2",
        "The average reward of OGASched has a positive correlation with T.",
        "average reward at the longest horizon minus that at the shortest: 95 % bootstrap interval "
        "> 0",
        moves("reward-table-2", "slots", "average", ends=True, policies=("ogasched",)),
    ),
    Claim(
        "tab2-arrivals",
        "Table 2",
        "A higher arrival probability increases the rewards, up to 0.7.",
        f"average reward of every policy, {_EVERY} > 0",
        moves("reward-table-2", "probability", "average", most=0.7),
    ),
    Claim(
        "tab2-crowded",
        "Table 2",
        "From rho = 0.7 to 0.9 the reward of OGASched falls.",
        "average reward at 0.9 minus that at 0.7: 95 % bootstrap interval < 0",
        moves(
            "reward-table-2",
            "probability",
            "average",
            least=0.7,
            sign=-1.0,
            policies=("ogasched",),
        ),
    ),
    Claim(
        "tab2-denser",
        "Table 2",
        "A denser graph increases the rewards.",
        f"average reward of every policy, {_EVERY} > 0",
        moves("reward-table-2", "density", "average"),
    ),
    Claim(
        "tab2-values",
        "Table 2",
        "The average reward of a slot is 1,246 to 3,127.",
        "none",
        untestable("capacities and requests, with their units, are not given"),
    ),
)
