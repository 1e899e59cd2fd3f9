"""The checkable claims of the OASiS paper.

Every test was written down before its claim was measured at the default size. *Better* means
throughout: the 95 % bootstrap interval of the mean paired difference over seeds lies above 0.
"""

from __future__ import annotations

from benchmarks.claim import Claim, untestable
from benchmarks.claim_trend import no_trend
from benchmarks.utility import claims_figures as figures
from benchmarks.utility import claims_theory as theory

__all__ = ["CLAIMS"]

_BETTER = "better than every other scheme (95 % bootstrap interval of the paired difference > 0)"


def _timeliness(figure: str, source: str, by_kind: bool) -> list[Claim]:
    """Closest to zero and smallest variance, in both readings of jobs that do not complete."""
    claims = []
    jobs = "for both classes of jobs" if by_kind else "over all jobs"
    for column, reading, suffix in (
        ("lateness", "completed jobs only", ""),
        ("lateness_at_t", "all jobs, those not completed counted as completing at T", "-all"),
    ):
        for moment, name, words in (
            ("mean", "closest", "is the closest to zero"),
            ("variance", "steadiest", "has the smallest variance"),
        ):
            statistic = "|mean| of the lateness" if moment == "mean" else "variance of the lateness"
            claims.append(
                Claim(
                    name=f"fig{figure[-1]}-{name}{suffix}",
                    source=source,
                    text=f"Completion minus target time with OASiS {words} {jobs}.",
                    test=f"{statistic} per seed, {reading}: {_BETTER}, {jobs}",
                    judge=figures.timeliest(figure, by_kind, column, moment),
                )
            )
    return claims


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "thm1-optimal",
        "Theorem 1",
        "Alg. 2 produces an optimal solution of (27).",
        "cost of Alg. 2 equals that of the best schedule on an instance by hand",
        theory.subroutine_optimal,
    ),
    Claim(
        "thm2-primal",
        "Theorem 2",
        "OASiS computes a feasible solution to problems (1) and (14).",
        "no violation in any run of Figures 3, 5, 6 and 8, by the scorer",
        theory.primal_feasible,
    ),
    Claim(
        "thm2-dual",
        "Theorem 2",
        "OASiS computes a feasible solution to the dual (19).",
        "no job has a payoff above mu_i at the final prices, in any run of Fig. 5",
        theory.dual_feasible,
    ),
    Claim(
        "thm3-time",
        "Theorem 3",
        "OASiS decides each job in O(T N E (H + K) + T N^2 E^2).",
        "none",
        untestable(
            "an asymptotic statement about Alg. 2 as printed; the dynamic programme here is "
            "another one, O(T W N)"
        ),
    ),
    Claim(
        "thm4-ratio",
        "Theorem 4",
        "OASiS is 2 alpha-competitive, alpha = max(1, ln U1/L1, ln U2/L2).",
        "ratio <= 2 alpha on all instances of Fig. 5 and on one by hand",
        theory.competitive_ratio,
    ),
    Claim(
        "appA-first",
        "Appendix A",
        "At the initial prices any job is admitted.",
        "the first job is admitted in every run of Fig. 5",
        theory.first_job_admitted,
    ),
    Claim(
        "appE-dual",
        "Appendix E, (35)",
        "The initial dual objective D_0 is at most half the optimum.",
        "D_0 <= OPT/2 on every instance of Fig. 5",
        theory.initial_dual,
    ),
    Claim(
        "fig3-highest",
        "Fig. 3",
        "OASiS has the highest total utility at every number of jobs.",
        f"total utility: {_BETTER}, at every number of jobs",
        figures.highest_utility("utility-3", ["jobs"]),
    ),
    Claim(
        "fig3-grows",
        "Fig. 3",
        "The lead of OASiS is larger when there are more jobs.",
        "slope of the lead over the best other scheme of the seed against the number of jobs: "
        "95 % bootstrap interval > 0",
        figures.advantage_grows,
    ),
    *_timeliness("utility-4", "Fig. 4", by_kind=True),
    Claim(
        "fig5-band",
        "Fig. 5",
        "The ratio is around 1.1 to 1.5.",
        "mean over seeds in [1.05, 1.55) at every number of servers and range of priorities, "
        "both ends of the certified interval",
        figures.ratio_in_band,
    ),
    Claim(
        "fig5-servers",
        "Fig. 5",
        "There is no clear trend of the ratio with more resources.",
        "mean rank correlation of ratio and servers within the ranges of priorities: |rho| < 0.3 "
        "or p >= 0.05 (permutation)",
        no_trend("utility-5", x="servers", y="ratio_upper", group="priority"),
    ),
    Claim(
        "fig5-ul",
        "Fig. 5",
        "There is no clear trend of the ratio with larger max U/L.",
        "mean rank correlation of ratio and ln max U/L at fixed servers: |rho| < 0.3 or p >= 0.05 "
        "(permutation)",
        no_trend(
            "utility-5",
            x="log_u_over_l",
            y="ratio_upper",
            group="servers",
            caveat="the smallest utility is floored at 1e-6 of the largest, so max U/L differs "
            "from seed to seed but hardly with the range of priorities",
        ),
    ),
    Claim(
        "fig6-under",
        "Fig. 6",
        "Underestimating U/L gives a higher utility than overestimating it when resources are "
        "scarce.",
        "most jobs: mean utility over factors < 1 minus that over factors > 1 (symmetric): 95 % "
        "bootstrap interval > 0",
        figures.underestimate_better,
    ),
    Claim(
        "note4-second",
        "footnote 4",
        "OASiS produces the best schedule of a job in less than a second at T = 100 and 80 "
        "worker/parameter servers.",
        "slowest decision < 1 s, with 80 + 80 servers",
        theory.decision_time,
    ),
    Claim(
        "note4-days",
        "footnote 4",
        "The offline optimum with 10 jobs takes two days to compute.",
        "median time to the proven optimum over 3 seeds, T = 10, 10 + 10 servers, at least a day",
        theory.optimum_time,
    ),
    Claim(
        "fig8-highest",
        "Fig. 8",
        "OASiS has the highest total utility on the testbed.",
        f"total utility on the simulated testbed: {_BETTER}",
        figures.highest_utility("utility-8", []),
    ),
    *_timeliness("utility-9", "Fig. 9", by_kind=False),
    Claim(
        "fig8-smaller",
        "Sec. V-B",
        "The lead of OASiS is smaller on the small testbed than in the large simulation.",
        "relative lead over the best other scheme of the seed: 95 % bootstrap interval on the "
        "testbed below that at the most jobs of Fig. 3",
        figures.advantage_smaller_on_testbed,
    ),
    Claim(
        "testbed-real",
        "Sec. V-B",
        "The prototype on Kubernetes and MXNet outperforms the other schedulers.",
        "none",
        untestable("no such testbed here; Figures 8 and 9 are simulated"),
    ),
)
"""In the order of the paper."""
