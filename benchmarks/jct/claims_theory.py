"""Claims of Sec. IV of the edge-cloud paper: what it proves of A_online."""

from __future__ import annotations

from benchmarks.claim import Claim, untestable
from benchmarks.jct import claim_judges_ratio as ratio
from benchmarks.jct import claim_judges_sweeps as sweeps

__all__ = ["THEORY"]

THEORY: tuple[Claim, ...] = (
    Claim(
        "lemma1-bound",
        "Lemma 1",
        "The objective of (2) is at least that of ILP (4), for any feasible solution.",
        "total JCT >= objective of (4) in all runs of Figures 12 and 13 at offline speed",
        ratio.lemma_1,
    ),
    Claim(
        "lemma2-dual",
        "Lemma 2",
        "Alg. 2 computes a feasible solution of the dual (6).",
        "no violation of (6a) in any run of Figures 12 and 13",
        ratio.dual_feasible,
    ),
    Claim(
        "thm2-primal",
        "Theorem 2",
        "A_online computes a feasible solution to (2) and (4).",
        "no violation in any run of Figures 4, 7, 8, 12 and 13, by the scorer",
        sweeps.feasible,
    ),
    Claim(
        "thm3-ilp",
        "Theorem 3",
        "For ILP (4), A_online is (1 + epsilon)-speed (1 + 1/epsilon)-competitive.",
        "objective of (4) over its relaxation at offline speed <= 1 + 1/epsilon in all runs of "
        "Figures 12 and 13 with epsilon > 0",
        ratio.fractional_guarantee,
    ),
    Claim(
        "thm3-minlp",
        "Theorem 3",
        "For (2), A_online is (1 + epsilon)-speed D_max (1 + 1/epsilon)-competitive.",
        "certified upper end of the ratio <= D_max (1 + 1/epsilon) in the same runs",
        ratio.guarantee_holds,
    ),
    Claim(
        "thm4-time",
        "Theorem 4",
        "A_online takes O(J H K_max).",
        "none",
        untestable(
            "an asymptotic statement about Alg. 2 as printed, which looks at every worker for each "
            "chunk; benchmarks.growth plots what is seen here"
        ),
    ),
    Claim(
        "lemma4-equal",
        "Lemma 4",
        "The sum of alpha equals the sum of beta.",
        "their ratio is 1 (to 1e-6) in all runs of Figures 12 and 13",
        ratio.lemma_4,
    ),
)
"""In the order of the paper."""
