"""The checkable claims of the OGASched paper.

Every test was written down before its claim was measured at the default size; *better* means what
:mod:`benchmarks.study.tests` says. Unless a claim says otherwise, OGASched is ``ogasched``, with
the steps of the paper's experiments (25, decay 0.9999). What is said of it as the best policy is
also judged of ``ogasched-constant``, with the step of Theorem 1, under a name with ``-constant``.
Names with ``-generous`` take the baselines in their generous reading
(:data:`benchmarks.reward.studies.GENEROUS`); these were added, with the same tests, after the
first reading had been measured.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.reward import performance, theory
from benchmarks.study.claim import Claim

__all__ = ["CLAIMS"]

# In the order of the paper's sections: name, source, and what the paper says.
_SAID = """
prop1-concave, Proposition 1: The reward of a slot is a concave function of the allocation.
alg1-projection, Alg. 1: Lines 6 to 31 compute the Euclidean projection.
alg1-time, Sec. 1, 3.2: The parallel sub-procedures have a complexity of O(log K).
eq19-regular, below (19): In a right d-regular graph the sum over l and R_l has d |L| terms.
eq22-gradient, (22): The squared norm of every gradient is at most (22).
eq16-inequality, (15), (16): The sum of eta g (y* - y) is at most |y1 - y*|^2 / 2 + sum of \
eta^2 |g|^2 / 2.
thm1-bound, Theorem 1: The regret of OGASched is at most (14).
eq26-bound, (26): With the step (26) the accumulated reward has a lower bound, that of Theorem 1.
thm1-T, Theorem 1: The regret of OGASched grows sublinearly with T.
thm1-L, Theorem 1: The regret of OGASched grows sublinearly with |L|.
sec35-gang, Sec. 3.5: With gang scheduling a similar algorithm retains a sublinear regret.
fig2-best, Fig. 2: OGASched has a clear advantage over the baselines.
fig2-lead-drf, Fig. 2: OGASched outperforms DRF by 11.33 %.
fig2-lead-fairness, Fig. 2: OGASched outperforms FAIRNESS by 7.75 %.
fig2-lead-binpacking, Fig. 2: OGASched outperforms BINPACKING by 13.89 %.
fig2-lead-spreading, Fig. 2: OGASched outperforms SPREADING by 13.44 %.
fig2-rises, Fig. 2(a): The average reward of OGASched rises with time, steeply at first, and \
later flattens.
fig2-edge, Fig. 2(b): In the beginning, FAIRNESS and DRF have the slight edge.
fig2-ratio, Fig. 2(c): The ratios of OGASched to the baselines increase.
fig2-fairness, Sec. 4.1: FAIRNESS is the best of the baselines.
sec41-steady, Sec. 4.1: When contention is not fierce, the advantages of FAIRNESS are more steady.
fig2-hour, Fig. 2: OGASched takes one hour for T = 8000.
fig4-poor, Fig. 4: A wrong learning rate or decay can lead to a poor performance.
fig4-negative, Fig. 4: With a wrong setting the reward is negative in many slots.
fig4-decay, Fig. 4(b): Decay 0.9999 is better than 1.0001.
fig4-range, Fig. 4(b): The best range for the decay is [0.995, 0.9999].
fig4-theory, Sec. 4.1: The best decay does better than the guidance of theory, (26).
fig4-theory-constant, Sec. 4.1: The best decay does better than the guidance of theory.
eq26-grows, Sec. 4.1: The step (26) becomes larger and larger with time.
fig3a-best, Fig. 3(a): OGASched leads whatever the number of instances.
fig3a-rises, Fig. 3(a): All rewards grow with the number of instances.
fig3a-lead, Fig. 3(a): The superiority of OGASched first increases with |R|, then decreases.
fig3b-best, Fig. 3(b): OGASched leads whatever the number of job types.
fig3b-weaker, Fig. 3(b): |L| has a weaker impact on the performance of OGASched than |R|.
sec42-R, Sec. 4.2: The regret grows linearly with |R|.
fig3c-best, Fig. 3(c): OGASched performs best at every contention level.
fig3c-rise, Fig. 3(c): From contention 0.1 to 1 all rewards increase.
fig3c-fall, Fig. 3(c): Beyond contention 1 the rewards fall.
fig3c-lead, Fig. 3(c): Beyond contention 1 the superiority of OGASched is reduced.
fig6-slowly, Fig. 6: The penalty of OGASched increases with contention, slowly.
fig7-linear, Fig. 7: Rewards with poly, log and reciprocal utilities are significantly less than \
with linear.
fig7-best, Fig. 7: OGASched is the best with all kinds of utilities, even with all reciprocal.
tab2-slots, Table 2: OGASched always performs the best, whatever the horizon.
tab2-probability, Table 2: OGASched always performs the best, whatever the arrival probability.
tab2-density, Table 2: OGASched always performs the best, whatever the graph density.
tab2-lead-drf, Table 2: OGASched outperforms DRF by 16, 25 and 4 % in the columns of the default.
tab2-lead-fairness, Table 2: OGASched outperforms FAIRNESS by 12, 19 and 2 %.
tab2-lead-binpacking, Table 2: OGASched outperforms BINPACKING by 18, 24 and 5 %.
tab2-lead-spreading, Table 2: OGASched outperforms SPREADING by 17, 24 and 5 %.
tab2-longer, Table 2: The average reward of OGASched has a positive correlation with T.
tab2-arrivals, Table 2: A higher arrival probability increases the rewards, up to 0.7.
tab2-crowded, Table 2: From rho = 0.7 to 0.9 the reward of OGASched falls.
tab2-denser, Table 2: A denser graph increases the rewards.
tab2-values, Table 2: The average reward of a slot is 1,246 to 3,127.
fig5-best, Fig. 5: The superiority of OGASched is preserved in large-scale scenarios.
fig5-hours, Fig. 5: OGASched takes 15 hours for T = 10000 at a large scale.
"""

_TESTS = {**theory.TESTS, **performance.TESTS}
_JUDGED = {name: (study, tests) for (study, name), tests in _TESTS.items()}

CLAIMS: tuple[Claim, ...] = tuple(
    Claim(name + suffix, source, text, test, (f"reward-{study}",) if study else ())
    for head, text in (line.split(": ", 1) for line in _SAID.strip().splitlines())
    for name, source in [head.split(", ", 1)]
    for study, tests in [_JUDGED[name]]
    for suffix, test in (tests if isinstance(tests, Mapping) else {"": tests}).items()
)
"""In the order of the paper's sections."""
