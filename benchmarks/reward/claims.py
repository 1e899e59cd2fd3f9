"""The checkable claims of the OGASched paper.

Every test was written down before its claim was measured at the default size. *Better* means
throughout: the 95 % bootstrap interval of the mean paired difference over seeds lies above 0.
Unless a claim says otherwise, OGASched is ``ogasched``, with the steps of the paper's experiments
(25, decay 0.9999). What is said of it as the best policy is also judged of
``ogasched-constant``, with the step of Theorem 1, under a name with ``-constant``.

Names with ``-generous`` take the baselines in their generous reading
(:data:`benchmarks.reward.studies.GENEROUS`), since the paper does not say how much of all servers
together they give a job. These were added, with the same tests, after the first reading had been
measured.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from benchmarks.reward import comparisons as compare
from benchmarks.reward import theory
from benchmarks.reward.comparisons import FIRST, changes
from benchmarks.reward.studies import BASELINES, GENEROUS, GENEROUS_OF, RULES
from benchmarks.study.claim import Claim, Test
from benchmarks.study.tests import NotTestable

__all__ = ["CLAIMS"]

_READINGS = {"": BASELINES, "-generous": GENEROUS}
"""The baselines in two readings, by what is added to the name of a claim."""


class _Says(NamedTuple):
    """What the paper says, to be judged once or more."""

    name: str
    source: str
    text: str

    def judged(self, study: str, test: Test, suffix: str = "") -> Claim:
        """Judge it by one study."""
        return Claim(self.name + suffix, self.source, self.text, test, (f"reward-{study}",))

    def in_both_readings(self, study: str, test: Callable[[tuple[str, ...]], Test]) -> list[Claim]:
        """Judge it of each reading of the baselines."""
        return [self.judged(study, test(names), suffix) for suffix, names in _READINGS.items()]

    def of_the_best(self, study: str, column: str, value: str = "reward") -> list[Claim]:
        """Judge that OGASched is the best: two step rules, two readings of the baselines."""
        return [
            self.judged(
                study,
                compare.best(column, value, rule, others),
                rule.removeprefix(FIRST) + suffix,
            )
            for rule in RULES
            for suffix, others in _READINGS.items()
        ]

    def not_testable(self, why: str) -> Claim:
        """Say why it cannot be judged here."""
        return Claim(*self, NotTestable(why))


def _lead(baseline: str, percent: float) -> list[Claim]:
    """How far OGASched is ahead of a baseline, in two readings of it."""
    text = f"OGASched outperforms {baseline.upper()} by {percent} %."
    said = _Says(f"fig2-lead-{baseline}", "Fig. 2", text)
    return [
        said.judged("2", compare.lead(baseline, percent)),
        said.judged("2", compare.lead(GENEROUS_OF[baseline], percent), "-generous"),
    ]


def _sublinear(axis: str, symbol: str, more: str = "") -> list[Claim]:
    text = f"The regret of OGASched grows sublinearly with {symbol}."
    said = _Says(f"thm1-{symbol.strip('|')}", "Theorem 1", text)
    return [
        said.judged("regret", theory.sublinear(axis, rule, symbol + more), suffix)
        for rule, suffix in (("ogasched-constant", ""), ("ogasched", "-decay"))
    ]


_THEORY: tuple[Claim, ...] = (
    _Says(
        "prop1-concave",
        "Proposition 1",
        "The reward of a slot is a concave function of the allocation.",
    ).judged("concavity", theory.CONCAVE),
    _Says("alg1-projection", "Alg. 1", "Lines 6 to 31 compute the Euclidean projection.").judged(
        "projections", theory.PROJECTION
    ),
    _Says(
        "alg1-time", "Sec. 1, 3.2", "The parallel sub-procedures have a complexity of O(log K)."
    ).not_testable(
        "an asymptotic statement about Alg. 1 in parallel; the projection here is another"
    ),
    _Says(
        "eq19-regular",
        "below (19)",
        "In a right d-regular graph the sum over l and R_l has d |L| terms.",
    ).judged("edges", theory.REGULAR_GRAPH),
    _Says("eq22-gradient", "(22)", "The squared norm of every gradient is at most (22).").judged(
        "gradients", theory.GRADIENTS
    ),
    _Says(
        "eq16-inequality",
        "(15), (16)",
        "The sum of eta g (y* - y) is at most |y1 - y*|^2 / 2 + sum of eta^2 |g|^2 / 2.",
    ).judged("regret", theory.INEQUALITY),
    _Says("thm1-bound", "Theorem 1", "The regret of OGASched is at most (14).").judged(
        "regret", theory.bounded("ogasched-constant")
    ),
    _Says(
        "eq26-bound",
        "(26)",
        "With the step (26) the accumulated reward has a lower bound, that of Theorem 1.",
    ).judged("regret", theory.bounded("ogasched-literal")),
    *_sublinear("slots", "T"),
    *_sublinear("ports", "|L|", ", every port with as many servers,"),
    _Says(
        "sec35-gang",
        "Sec. 3.5",
        "With gang scheduling a similar algorithm retains a sublinear regret.",
    ).not_testable("the paper omits the design; the one here is another"),
)
"""Sections 2 and 3."""

_PERFORMANCE: tuple[Claim, ...] = (
    *_Says("fig2-best", "Fig. 2", "OGASched has a clear advantage over the baselines.").of_the_best(
        "2", "slot", "average"
    ),
    *_lead("drf", 11.33),
    *_lead("fairness", 7.75),
    *_lead("binpacking", 13.89),
    *_lead("spreading", 13.44),
    _Says(
        "fig2-rises",
        "Fig. 2(a)",
        "The average reward of OGASched rises with time, steeply at first, and later flattens.",
    ).judged("2", compare.RISES_THEN_FLATTENS),
    _Says(
        "fig2-edge", "Fig. 2(b)", "In the beginning, FAIRNESS and DRF have the slight edge."
    ).judged("2", compare.EARLY_EDGE),
    _Says("fig2-ratio", "Fig. 2(c)", "The ratios of OGASched to the baselines increase.").judged(
        "2", compare.RATIOS_RISE
    ),
    *_Says("fig2-fairness", "Sec. 4.1", "FAIRNESS is the best of the baselines.").in_both_readings(
        "2", compare.fairness_best
    ),
    *_Says(
        "sec41-steady",
        "Sec. 4.1",
        "When contention is not fierce, the advantages of FAIRNESS are more steady.",
    ).in_both_readings("3", compare.fairness_steady),
    _Says("fig2-hour", "Fig. 2", "OGASched takes one hour for T = 8000.").judged(
        "times", theory.takes_hours(10, 8000, 1.0)
    ),
    _Says(
        "fig4-poor", "Fig. 4", "A wrong learning rate or decay can lead to a poor performance."
    ).judged("4", compare.POOR_STEPS),
    _Says(
        "fig4-negative", "Fig. 4", "With a wrong setting the reward is negative in many slots."
    ).judged("4", compare.NEGATIVE_SLOTS),
    _Says("fig4-decay", "Fig. 4(b)", "Decay 0.9999 is better than 1.0001.").judged(
        "4", compare.DECAY_BELOW_ONE
    ),
    _Says("fig4-range", "Fig. 4(b)", "The best range for the decay is [0.995, 0.9999].").judged(
        "4", compare.BEST_DECAY
    ),
    _Says(
        "fig4-theory", "Sec. 4.1", "The best decay does better than the guidance of theory, (26)."
    ).judged("4", compare.decay_beats("ogasched-literal")),
    _Says(
        "fig4-theory-constant",
        "Sec. 4.1",
        "The best decay does better than the guidance of theory.",
    ).judged("4", compare.decay_beats("ogasched-constant")),
    _Says("eq26-grows", "Sec. 4.1", "The step (26) becomes larger and larger with time.").judged(
        "gradients", theory.GROWING_STEPS
    ),
)
"""Section 4.1."""

_SWEEPS: tuple[Claim, ...] = (
    *_Says(
        "fig3a-best", "Fig. 3(a)", "OGASched leads whatever the number of instances."
    ).of_the_best("3", "servers"),
    _Says("fig3a-rises", "Fig. 3(a)", "All rewards grow with the number of instances.").judged(
        "3", changes("servers")
    ),
    *_Says(
        "fig3a-lead",
        "Fig. 3(a)",
        "The superiority of OGASched first increases with |R|, then decreases.",
    ).in_both_readings("3", compare.lead_peaks_inside),
    *_Says(
        "fig3b-best", "Fig. 3(b)", "OGASched leads whatever the number of job types."
    ).of_the_best("3", "ports"),
    _Says(
        "fig3b-weaker",
        "Fig. 3(b)",
        "|L| has a weaker impact on the performance of OGASched than |R|.",
    ).judged("3", compare.PORTS_MATTER_LESS),
    _Says("sec42-R", "Sec. 4.2", "The regret grows linearly with |R|.").judged(
        "regret", theory.LINEAR_IN_SERVERS
    ),
    *_Says(
        "fig3c-best", "Fig. 3(c)", "OGASched performs best at every contention level."
    ).of_the_best("3", "contention"),
    *_Says(
        "fig3c-rise", "Fig. 3(c)", "From contention 0.1 to 1 all rewards increase."
    ).in_both_readings("3", lambda names: changes("contention", policies=(FIRST, *names), most=1)),
    *_Says("fig3c-fall", "Fig. 3(c)", "Beyond contention 1 the rewards fall.").in_both_readings(
        "3",
        lambda names: changes(
            "contention", policies=(FIRST, *names), least=1, ends=True, falls=True
        ),
    ),
    *_Says(
        "fig3c-lead", "Fig. 3(c)", "Beyond contention 1 the superiority of OGASched is reduced."
    ).in_both_readings("3", compare.lead_falls),
    _Says(
        "fig6-slowly", "Fig. 6", "The penalty of OGASched increases with contention, slowly."
    ).judged("6", compare.PENALTY_GROWS_SLOWLY),
    _Says(
        "fig7-linear",
        "Fig. 7",
        "Rewards with poly, log and reciprocal utilities are significantly less than with linear.",
    ).judged("7", compare.LINEAR_FAR_ABOVE),
    *_Says(
        "fig7-best",
        "Fig. 7",
        "OGASched is the best with all kinds of utilities, even with all reciprocal.",
    ).of_the_best("7", "utilities"),
    *_Says(
        "tab2-slots", "Table 2", "OGASched always performs the best, whatever the horizon."
    ).of_the_best("table-2", "slots", "average"),
    *_Says(
        "tab2-probability",
        "Table 2",
        "OGASched always performs the best, whatever the arrival probability.",
    ).of_the_best("table-2", "probability", "average"),
    *_Says(
        "tab2-density", "Table 2", "OGASched always performs the best, whatever the graph density."
    ).of_the_best("table-2", "density", "average"),
    _Says(
        "tab2-longer",
        "Table 2",
        "The average reward of OGASched has a positive correlation with T.",
    ).judged("table-2", changes("slots", "average", (FIRST,), ends=True)),
    _Says(
        "tab2-arrivals",
        "Table 2",
        "A higher arrival probability increases the rewards, up to 0.7.",
    ).judged("table-2", changes("probability", "average", most=0.7)),
    _Says("tab2-crowded", "Table 2", "From rho = 0.7 to 0.9 the reward of OGASched falls.").judged(
        "table-2", changes("probability", "average", (FIRST,), least=0.7, falls=True)
    ),
    _Says("tab2-denser", "Table 2", "A denser graph increases the rewards.").judged(
        "table-2", changes("density", "average")
    ),
    _Says("tab2-values", "Table 2", "The average reward of a slot is 1,246 to 3,127.").not_testable(
        "capacities and requests, with their units, are not given"
    ),
    *_Says(
        "fig5-best",
        "Fig. 5",
        "The superiority of OGASched is preserved in large-scale scenarios.",
    ).of_the_best("5", "slot", "average"),
    _Says("fig5-hours", "Fig. 5", "OGASched takes 15 hours for T = 10000 at a large scale.").judged(
        "times", theory.takes_hours(100, 10000, 15.0)
    ),
)
"""Sections 4.2 and 4.3."""

CLAIMS: tuple[Claim, ...] = (*_THEORY, *_PERFORMANCE, *_SWEEPS)
"""In the order of the paper's sections."""
