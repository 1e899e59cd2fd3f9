"""What the edge-cloud paper proves of A_online (Sec. IV), and Figures 12 and 13."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from benchmarks.study.claim import Claim, Finding, Test, judged
from benchmarks.study.frames import expression
from benchmarks.study.tests import Below, Holds, Moves, NoTrend, NotTestable

__all__ = ["RATIOS", "THEORY"]

_ROUND_OFF = 1e-6
_STUDIES = ("jct-speeds-jobs", "jct-speeds-servers")
_RUNS = "in all runs of Figures 12 and 13"
_FASTER = f"{_RUNS} with epsilon > 0"

_over_runs = partial(expression, once=("jobs", "servers", "seed", "epsilon"))


def feasible_runs(*frames: pd.DataFrame) -> Finding:
    """The scorer found no violation in any run: one that breaks a constraint is a failed cell."""
    runs = sum(
        len(frame) if "policy" not in frame else frame["policy"].str.startswith("a-online").sum()
        for frame in frames
    )
    return judged(runs > 0, f"0 violations of (2a)-(2k) in {runs} runs")


def _if_any(words: str) -> Callable[[np.ndarray], str]:
    """Words for when some number is above round-off."""
    return lambda numbers: words if (numbers > _ROUND_OFF).any() else ""


def _proven(name: str, source: str, text: str, test: Test) -> Claim:
    return Claim(name, source, text, test, _STUDIES)


THEORY: tuple[Claim, ...] = (
    _proven(
        "lemma1-bound",
        "Lemma 1",
        "The objective of (2) is at least that of ILP (4), for any feasible solution.",
        Below(
            "objective of (4) over total JCT",
            1.0,
            _over_runs(
                "fractional / total_jct",
                "(4) is {low:.3f} to {high:.3f} of the total JCT in {count} runs",
                "epsilon == 0",
            ),
            True,
            f"{_RUNS} at offline speed",
        ),
    ),
    _proven(
        "lemma2-dual",
        "Lemma 2",
        "Alg. 2 computes a feasible solution of the dual (6).",
        Below(
            "violation of (6a)",
            _ROUND_OFF,
            _over_runs(
                "dual_violation",
                "(6a) is violated in {beyond} of {count} runs, by up to {high:.3g} slots",
                limit=_ROUND_OFF,
            ),
            True,
            _RUNS,
            _if_any(
                "the proof counts the new chunk's own 1/D on every worker, which only its own "
                "worker has"
            ),
        ),
    ),
    Claim(
        "thm2-primal",
        "Theorem 2",
        "A_online computes a feasible solution to (2) and (4).",
        Holds(
            "no violation in any run of Figures 4, 7, 8, 12 and 13, by the scorer", feasible_runs
        ),
        ("jct-testbed", "jct-jobs", "jct-servers", *_STUDIES),
    ),
    _proven(
        "thm3-ilp",
        "Theorem 3",
        "For ILP (4), A_online is (1 + epsilon)-speed (1 + 1/epsilon)-competitive.",
        Below(
            "objective of (4) over its relaxation at offline speed, over 1 + 1/epsilon,",
            1.0,
            _over_runs(
                "fractional / paper_bound / (1 + 1 / epsilon)",
                "holds in {inside} of {count} runs, ratio <= {ratio:.3f}",
                "epsilon > 0",
                ratio="(fractional / paper_bound).max()",
            ),
            True,
            _FASTER,
        ),
    ),
    _proven(
        "thm3-minlp",
        "Theorem 3",
        "For (2), A_online is (1 + epsilon)-speed D_max (1 + 1/epsilon)-competitive.",
        Below(
            "certified upper end of the ratio over D_max (1 + 1/epsilon)",
            1.0,
            _over_runs(
                "ratio_upper / guarantee",
                "holds in {inside} of {count} runs; (6a), which its proof needs, in {proven}",
                "epsilon > 0",
                proven=f"(dual_violation <= {_ROUND_OFF}).sum()",
            ),
            True,
            _FASTER,
        ),
    ),
    Claim(
        "thm4-time",
        "Theorem 4",
        "A_online takes O(J H K_max).",
        NotTestable(
            "an asymptotic statement about Alg. 2 as printed, which looks at every worker for each "
            "chunk; benchmarks.growth plots what is seen here"
        ),
    ),
    _proven(
        "lemma4-equal",
        "Lemma 4",
        "The sum of alpha equals the sum of beta.",
        Below(
            "|sum of alpha / sum of beta - 1|",
            _ROUND_OFF,
            _over_runs(
                "abs(alpha_over_beta - 1)",
                "sum of alpha / sum of beta from {least:.6f} to {most:.6f}; not 1 in {beyond} of "
                "{count} runs",
                limit=_ROUND_OFF,
                least="alpha_over_beta.min()",
                most="alpha_over_beta.max()",
            ),
            True,
            _RUNS,
            _if_any(
                "it is exact where upload delays depend on the server alone; here they are drawn "
                "for each job and server"
            ),
        ),
    ),
)
"""In the order of the paper."""


# ---- Figures 12 and 13 ---------------------------------------------------------------------


def point_means(varied: str, value: str) -> Callable[[pd.DataFrame], tuple[pd.Series, str]]:
    """Mean of an expression at each point and speed."""

    def numbers(frame: pd.DataFrame) -> tuple[pd.Series, str]:
        values = frame.eval(value)
        means = values.groupby([frame["epsilon"], frame[varied]]).mean()
        words = ", ".join(
            f"epsilon {epsilon:g}: {part.min():.3f} to {part.max():.3f}"
            for epsilon, part in means.groupby(level="epsilon")
        )
        proven = f"{(frame['offline_status'] == 'optimal').sum()} of {len(frame)}"
        worst = f"worst single run {values.max():.3f}"
        return means, f"{words}; {worst}; optimum proven for {proven}"

    return numbers


def falls_with_speed(varied: str) -> Callable[[pd.DataFrame], tuple[dict[str, np.ndarray], str]]:
    """Ratio at each speed minus that at the next higher one, at every point."""

    def differences(frame: pd.DataFrame) -> tuple[dict[str, np.ndarray], str]:
        values = {}
        for point, part in frame.groupby(varied):
            wide = part.pivot(index="seed", columns="epsilon", values="ratio_upper")
            for one, two in itertools.pairwise(wide.columns):
                falls = (wide[one] - wide[two]).to_numpy()
                values[f"{varied} {point}, {one:g} to {two:g}"] = falls
        means = frame.groupby("epsilon")["ratio_upper"].mean()
        told = ", ".join(f"epsilon {epsilon:g} {mean:.3f}" for epsilon, mean in means.items())
        return values, f"mean of all runs: {told}"

    return differences


def _below_offline(means: np.ndarray) -> str:
    beaten = "below 1: at 1.5 times the speed it beats the optimum at the offline speed"
    return beaten if means.max() < 1.0 else ""


def _ratios(number: int, varied: str) -> list[Claim]:
    """Claims of Figure 12 or 13."""

    def claim(name: str, text: str, test: Test) -> Claim:
        study = (f"jct-speeds-{varied}",)
        return Claim(f"fig{number}-{name}", f"Fig. {number}", text, test, study)

    def below(name: str, what: str, value: str, more: str = "") -> Claim:
        where = f"at every point and epsilon{more}"
        test = Below(what, 1.7, point_means(varied, value), where=where)
        return claim(name, "The competitive ratio is below 1.7.", test)

    return [
        below(
            "below", "mean certified upper end of total JCT over the offline optimum", "ratio_upper"
        ),
        below(
            "below-bound",
            "mean of total JCT over the relaxation of ILP (4)",
            "total_jct / paper_bound",
            " (the paper sets all zeta = 1 in it, which lowers it by the transfers)",
        ),
        below(
            "below-ilp",
            "mean of the objective of ILP (4) over its relaxation",
            "fractional / paper_bound",
        ),
        claim(
            "flat",
            f"The number of {varied} has little influence on the ratio.",
            NoTrend(
                f"mean rank correlation of ratio and {varied} for each epsilon",
                varied,
                "ratio_upper",
                "epsilon",
            ),
        ),
        claim(
            "faster",
            "The larger epsilon, the smaller the ratio.",
            Moves(
                f"ratio at each epsilon minus that at the next, at every number of {varied}",
                falls_with_speed(varied),
            ),
        ),
        claim(
            "near",
            "A_online is close to optimal when epsilon = 0.5.",
            Below(
                "mean ratio",
                1.1,
                expression(
                    "ratio_upper", "{low:.3f} to {high:.3f}", "epsilon == 0.5", means=[varied]
                ),
                True,
                "at every point",
                _below_offline,
            ),
        ),
    ]


RATIOS: tuple[Claim, ...] = (
    *_ratios(12, "jobs"),
    *_ratios(13, "servers"),
    _proven(
        "fig12-theory",
        "Figures 12, 13",
        "The ratio is much better than the theoretical bound.",
        Below(
            "certified upper end over D_max (1 + 1/epsilon)",
            0.5,
            _over_runs(
                "ratio_upper / guarantee", "at most {high:.4f} of the guarantee", "epsilon > 0"
            ),
            where=_FASTER,
        ),
    ),
)
"""In the order of the paper."""
