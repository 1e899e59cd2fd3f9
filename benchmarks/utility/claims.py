"""The checkable claims of the OASiS paper, in its order.

Every test was written down before its claim was measured at the default size. *Better* means
throughout: the 95 % bootstrap interval of the mean paired difference over seeds lies above 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pandas as pd

from benchmarks.study.claim import Claim
from benchmarks.study.tests import Above, Below, Best, Holds, Moves, NoTrend, NotTestable
from benchmarks.utility import theory

__all__ = ["CLAIMS"]

_BEST = partial(Best, first="oasis", others="every other scheme")
_FIG_5 = ("utility-5",)


def _never(what: str, numbers: Callable[..., theory.Numbers], why: str = "", **more: Any) -> Below:
    """No number is above 0; ``why`` is what decides where one is not 0."""
    more["why"] = lambda values: why if values.any() else ""
    return Below(what, 0, numbers, or_equal=True, **more)


def _of_jobs(frame: pd.DataFrame, *, groups: tuple[str, ...], of: str, moment: str) -> pd.DataFrame:
    """Mean or variance of a column over the jobs of each run, as ``value``."""
    values = frame.groupby([*groups, "policy", "seed"])[of]
    each = values.var(ddof=1) if moment == "variance" else values.mean().abs()
    return each.rename("value").reset_index()


def _timeliness(number: int, jobs: str, groups: tuple[str, ...] = ()) -> Iterator[Claim]:
    """Closest to zero and smallest variance, in both readings of jobs that do not complete."""
    for column, reading, suffix in (
        ("lateness", "completed jobs only", ""),
        ("lateness_at_t", "all jobs, those not completed counted as completing at T", "-all"),
    ):
        for moment, statistic, name, words in (
            ("mean", "|mean|", "closest", "is the closest to zero"),
            ("variance", "variance", "steadiest", "has the smallest variance"),
        ):
            what = f"{statistic} of the lateness per seed, {reading}"
            rows = partial(_of_jobs, groups=groups, of=column, moment=moment)
            yield Claim(
                f"fig{number}-{name}{suffix}",
                f"Fig. {number}",
                f"Completion minus target time with OASiS {words} {jobs}.",
                _BEST(what, value="value", groups=groups, sense="min", where=jobs, rows=rows),
                (f"utility-{number}",),
            )


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "thm1-optimal",
        "Theorem 1",
        "Alg. 2 produces an optimal solution of (27).",
        _never(
            "cost of Alg. 2 minus that of the best schedule, on an instance by hand,",
            theory.overpaid,
            "rounding up the chunks of every slot does more work than (2) asks for; this "
            "toolkit counts worker-slots instead",
        ),
        ("utility-theorem-1",),
    ),
    Claim(
        "thm2-primal",
        "Theorem 2",
        "OASiS computes a feasible solution to problems (1) and (14).",
        Holds(
            "no violation in any run of Figures 3, 5, 6 and 8, by the scorer",
            theory.primal_feasible,
        ),
        ("utility-3", "utility-5", "utility-6", "utility-8"),
    ),
    Claim(
        "thm2-dual",
        "Theorem 2",
        "OASiS computes a feasible solution to the dual (19).",
        _never(
            "runs of Fig. 5 in which a job has a payoff above mu_i at the final prices:",
            theory.dual_broken,
            "Alg. 1 takes mu over schedules that fit beside the admitted jobs, (20) over all",
        ),
        _FIG_5,
    ),
    Claim(
        "thm3-time",
        "Theorem 3",
        "OASiS decides each job in O(T N E (H + K) + T N^2 E^2).",
        NotTestable(
            "an asymptotic statement about Alg. 2 as printed; the dynamic programme here is "
            "another one, O(T W N)"
        ),
    ),
    Claim(
        "thm4-ratio",
        "Theorem 4",
        "OASiS is 2 alpha-competitive, alpha = max(1, ln U1/L1, ln U2/L2).",
        Below(
            "ratio minus 2 alpha",
            0,
            theory.above_promised,
            or_equal=True,
            where="on all instances of Fig. 5 and on one by hand",
            why=lambda above: (
                "in the instance by hand a worker takes 1 % of a server, as the theorem asks, but "
                "the job takes all of it; the proof needs small jobs, not small workers"
                if above[-1] > 0
                else ""
            ),
        ),
        ("utility-5", "utility-theorem-4"),
    ),
    Claim(
        "appA-first",
        "Appendix A",
        "At the initial prices any job is admitted.",
        _never(
            "runs of Fig. 5 that refuse the first job:",
            theory.first_refused,
            "L counts no utility below 1e-6 of the largest; a job worth less may be refused",
        ),
        _FIG_5,
    ),
    Claim(
        "appE-dual",
        "Appendix E, (35)",
        "The initial dual objective D_0 is at most half the optimum.",
        _never("D_0 - OPT/2", theory.initial_dual, where="on every instance of Fig. 5"),
        _FIG_5,
    ),
    Claim(
        "fig3-highest",
        "Fig. 3",
        "OASiS has the highest total utility at every number of jobs.",
        _BEST("total utility", value="utility", groups=("jobs",), where="at every number of jobs"),
        ("utility-3",),
    ),
    Claim(
        "fig3-grows",
        "Fig. 3",
        "The lead of OASiS is larger when there are more jobs.",
        Moves(
            "slope of the lead over the best other scheme of the seed against the number of jobs",
            theory.lead_slopes,
        ),
        ("utility-3",),
    ),
    *_timeliness(4, "for both classes of jobs", ("kind",)),
    Claim(
        "fig5-band",
        "Fig. 5",
        "The ratio is around 1.1 to 1.5.",
        Holds(
            "mean over seeds in [1.05, 1.55) at every number of servers and range of priorities, "
            "both ends of the certified interval",
            theory.ratio_in_band,
        ),
        _FIG_5,
    ),
    Claim(
        "fig5-servers",
        "Fig. 5",
        "There is no clear trend of the ratio with more resources.",
        NoTrend(
            "mean rank correlation of ratio and servers within the ranges of priorities",
            x="servers",
            y="ratio_upper",
            group="priority",
        ),
        _FIG_5,
    ),
    Claim(
        "fig5-ul",
        "Fig. 5",
        "There is no clear trend of the ratio with larger max U/L.",
        NoTrend(
            "mean rank correlation of ratio and ln max U/L at fixed servers",
            x="log_u_over_l",
            y="ratio_upper",
            group="servers",
            caveat="the smallest utility is floored at 1e-6 of the largest, so max U/L differs "
            "from seed to seed but hardly with the range of priorities",
        ),
        _FIG_5,
    ),
    Claim(
        "fig6-under",
        "Fig. 6",
        "Underestimating U/L gives a higher utility than overestimating it when resources are "
        "scarce.",
        Moves(
            "most jobs: mean utility over factors < 1 minus that over factors > 1 (symmetric)",
            theory.gain_of_underestimates,
        ),
        ("utility-6",),
    ),
    Claim(
        "note4-second",
        "footnote 4",
        "OASiS produces the best schedule of a job in less than a second at T = 100 and 80 "
        "worker/parameter servers.",
        Below("slowest decision", 1, theory.slowest_decision, where="s, with 80 + 80 servers"),
        ("utility-decision-time",),
    ),
    Claim(
        "note4-days",
        "footnote 4",
        "The offline optimum with 10 jobs takes two days to compute.",
        Above(
            "median time to the proven optimum over 3 seeds, T = 10, 10 + 10 servers,",
            1,
            theory.days_to_optimum,
            or_equal=True,
            where="day",
            why=lambda _: (
                "another formulation, solver and machine: this does not contradict what "
                "they measured"
            ),
        ),
        ("utility-optimum-time",),
    ),
    Claim(
        "fig8-highest",
        "Fig. 8",
        "OASiS has the highest total utility on the testbed.",
        _BEST("total utility on the simulated testbed", value="utility"),
        ("utility-8",),
    ),
    *_timeliness(9, "over all jobs"),
    Claim(
        "fig8-smaller",
        "Sec. V-B",
        "The lead of OASiS is smaller on the small testbed than in the large simulation.",
        Holds(
            "relative lead over the best other scheme of the seed: 95 % bootstrap interval on the "
            "testbed below that at the most jobs of Fig. 3",
            theory.smaller_on_testbed,
        ),
        ("utility-8", "utility-3"),
    ),
    Claim(
        "testbed-real",
        "Sec. V-B",
        "The prototype on Kubernetes and MXNet outperforms the other schedulers.",
        NotTestable("no such testbed here; Figures 8 and 9 are simulated"),
    ),
)
