"""Claims of Sections 2 and 3 of the OGASched paper: propositions, equations, theorem."""

from __future__ import annotations

from benchmarks.claim import Claim, untestable
from benchmarks.reward import claim_judges_theory as theory

__all__ = ["THEORY"]


def _sublinear(axis: str, symbol: str) -> list[Claim]:
    return [
        Claim(
            f"thm1-{symbol.strip('|')}{suffix}",
            "Theorem 1",
            f"The regret of OGASched grows sublinearly with {symbol}.",
            f"exponent of the regret of {rule} over {symbol}"
            + (", every port with as many servers" if axis == "ports" else "")
            + ": 95 % bootstrap interval below 1 for all arrivals that have a power law",
            theory.sublinear(axis, rule),
        )
        for rule, suffix in (("ogasched-constant", ""), ("ogasched", "-decay"))
    ]


THEORY: tuple[Claim, ...] = (
    Claim(
        "prop1-concave",
        "Proposition 1",
        "The reward of a slot is a concave function of the allocation.",
        "reward of the middle of two feasible allocations at least the mean of theirs, 200 random "
        "pairs",
        theory.concave,
    ),
    Claim(
        "alg1-projection",
        "Alg. 1",
        "Lines 6 to 31 compute the Euclidean projection.",
        "Alg. 1 as printed equals the projection on two cases by hand",
        theory.projection_exact,
    ),
    Claim(
        "alg1-time",
        "Sec. 1, 3.2",
        "The parallel sub-procedures have a complexity of O(log K).",
        "none",
        untestable(
            "an asymptotic statement about Alg. 1 in parallel; the projection here is another"
        ),
    ),
    Claim(
        "eq19-regular",
        "below (19)",
        "In a right d-regular graph the sum over l and R_l has d |L| terms.",
        "the number of edges of a graph by hand is d |L|",
        theory.regular_graph,
    ),
    Claim(
        "eq22-gradient",
        "(22)",
        "The squared norm of every gradient is at most (22).",
        "holds in all slots of three runs",
        theory.gradient_below_bound,
    ),
    Claim(
        "eq16-inequality",
        "(15), (16)",
        "The sum of eta g (y* - y) is at most |y1 - y*|^2 / 2 + sum of eta^2 |g|^2 / 2.",
        "holds at the best fixed decision in all runs of all step rules of the regret figure",
        theory.inequality_holds,
    ),
    Claim(
        "thm1-bound",
        "Theorem 1",
        "The regret of OGASched is at most (14).",
        "holds for ogasched-constant on all runs of the regret figure with (14) below the best "
        "fixed reward; not testable if there are none",
        theory.bound_holds("ogasched-constant"),
    ),
    Claim(
        "eq26-bound",
        "(26)",
        "With the step (26) the accumulated reward has a lower bound, that of Theorem 1.",
        "as thm1-bound, for ogasched-literal",
        theory.bound_holds("ogasched-literal"),
    ),
    *_sublinear("slots", "T"),
    *_sublinear("ports", "|L|"),
    Claim(
        "sec35-gang",
        "Sec. 3.5",
        "With gang scheduling a similar algorithm retains a sublinear regret.",
        "none",
        untestable("the paper omits the design; the one here is another"),
    ),
)
