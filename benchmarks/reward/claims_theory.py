"""Claims of Sections 2 and 3: propositions, equations, and Theorem 1 on regret.

Tests are made as in :mod:`benchmarks.reward.claims_performance`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from benchmarks.growth import Growth, fit_growth
from benchmarks.reward.statements import Numbers, Says
from benchmarks.reward.studies import REGRET_AXES, SETTINGS
from benchmarks.study.claim import Claim
from benchmarks.study.frames import along, by_seed, expression
from benchmarks.study.tests import Above, Below

__all__ = ["LINEAR_IN_SERVERS", "THEORY"]

_ROUNDING = 1e-9
_ONE = 0.999  # a regret that grows in proportion has an exponent of 1 up to rounding
_at_most = partial(Below, or_equal=True)

_CONCAVE = Above(
    "reward of the middle of two feasible allocations minus the mean of theirs",
    -_ROUNDING,
    expression(
        "least",
        "reward of the middle minus mean reward: at least {low:.3g} over {pairs} random pairs "
        "of feasible allocations, utilities of all kinds",
        pairs="pairs.max()",
    ),
    or_equal=True,
    where="for 200 random pairs",
)


@partial(
    _at_most,
    "number of cases by hand, of two, on which Alg. 1 as printed is not the projection:",
    0,
    why=lambda _: (
        "Alg. 1 fills every server even where z fits, and checks the first port alone against its "
        "request; here the projection is exact"
    ),
)
def _projection(frame: pd.DataFrame) -> Numbers:
    texts, wrong = [], 0
    for z, printed, exact in zip(frame["z"], frame["printed"], frame["exact"], strict=True):
        texts.append(f"z = {_point(z)}: Alg. 1 {_point(printed)}, projection {_point(exact)}")
        wrong += not np.allclose(printed, exact)
    return [wrong], "; ".join(texts)


def _point(values: Sequence[float]) -> str:
    return f"({', '.join(f'{value:g}' for value in values)})"


_REGULAR_GRAPH = _at_most(
    "difference between the number of edges of a graph by hand and d |L|",
    0,
    expression(
        "abs(edges - degree * ports)",
        "{ports} ports, {servers} servers, each connected to both: {edges} edges, d |L| = {left}, "
        "d |R| = {right}",
        ports="ports.max()",
        servers="servers.max()",
        edges="edges.max()",
        left="(degree * ports).max()",
        right="(degree * servers).max()",
    ),
    why=lambda _: (
        "the sum over l and R_l counts the edges, so the bound is d |R|, in which |L| does not "
        "appear"
    ),
)

_GRADIENTS = _at_most(
    "squared norm of every gradient as a part of (22)",
    1.0,
    expression("share", "largest squared gradient is {high:.3g} of (22), {count} seeds"),
    where="in all slots of three runs",
)

_INEQUALITY = _at_most(
    "left side minus right side, as a part of the right side,",
    _ROUNDING,
    expression(
        "(inequality_left - inequality_right) / abs(inequality_right)",
        "holds on {inside} of {count} runs; the left side is at most {part:.3g} of the right one",
        limit=_ROUNDING,
        part="(inequality_left / inequality_right).max()",
    ),
    where="at the best fixed decision in all runs of all step rules",
)


def _bounded(rule: str) -> Below:
    """Regret at most (14), on runs on which that lies below the best fixed reward."""

    @partial(
        _at_most,
        f"regret of {rule} as a part of (14)",
        1.0,
        where="on all runs with (14) below the best fixed reward; not testable if there are none",
    )
    def test(frame: pd.DataFrame) -> Numbers:
        own = frame[frame["policy"] == rule]
        runs = own[own["bound"] < own["fixed_lower"]]
        share = runs["regret_upper"] / runs["bound"]
        if runs.empty:
            return share, f"(14) says nothing on all {len(own)} runs"
        return share, (
            f"regret at most {share.max():.3g} of (14) on the {len(runs)} of {len(own)} runs on "
            "which it says something"
        )

    return test


def _sublinear(axis: str, symbol: str, more: str = "") -> list[Claim]:
    """Exponents of the regret below 1 along an axis, but for rounding."""
    text = f"The regret of OGASched grows sublinearly with {symbol}."
    said = Says(f"thm1-{symbol.strip('|')}", "Theorem 1", text)

    def test(rule: str) -> Below:
        return Below(
            f"upper end of the 95 % bootstrap interval of the exponent of the regret of {rule} "
            f"over {symbol}{more}",
            _ONE,
            partial(_upper_ends, axis, rule),
            where="for all arrivals that have a power law",
        )

    return [
        said.judged("regret", test("ogasched-constant")),
        said.judged("regret", test("ogasched"), "-decay"),
    ]


def _upper_ends(axis: str, rule: str, frame: pd.DataFrame) -> Numbers:
    found, text = _growths(frame, axis, rule)
    return [growth.high for growth in found if growth.high is not None], text


def _from_one(axis: str, rule: str, frame: pd.DataFrame) -> Numbers:
    found, text = _growths(frame, axis, rule)
    return [abs(growth.exponent - 1) for growth in found if growth.exponent is not None], text


LINEAR_IN_SERVERS = _at_most(
    "distance from 1 of the exponent of the regret of ogasched-constant over |R|",
    0.2,
    partial(_from_one, "servers", "ogasched-constant"),
    where="for all arrivals that have a power law",
)


def _growths(frame: pd.DataFrame, axis: str, rule: str) -> tuple[list[Growth], str]:
    """Growth of regret along an axis, for each kind of arrivals."""
    found = {}
    own = along(frame[frame["policy"] == rule], SETTINGS, REGRET_AXES[axis])
    for arrivals, part in own.groupby("arrivals", sort=False):
        lower, upper = (by_seed(part, f"regret_{end}", axis).T for end in ("lower", "upper"))
        found[arrivals] = fit_growth(lower.index.to_numpy(), lower.to_numpy(), upper.to_numpy())
    text = "; ".join(
        f"{name}: {growth.verdict} ({growth.why})"
        if growth.low is None
        else f"{name}: exponent {growth.exponent:.2f} [{growth.low:.2f}, {growth.high:.2f}]"
        for name, growth in found.items()
    )
    return list(found.values()), text


THEORY: tuple[Claim, ...] = (
    Says(
        "prop1-concave",
        "Proposition 1",
        "The reward of a slot is a concave function of the allocation.",
    ).judged("concavity", _CONCAVE),
    Says("alg1-projection", "Alg. 1", "Lines 6 to 31 compute the Euclidean projection.").judged(
        "projections", _projection
    ),
    Says(
        "alg1-time", "Sec. 1, 3.2", "The parallel sub-procedures have a complexity of O(log K)."
    ).not_testable(
        "an asymptotic statement about Alg. 1 in parallel; the projection here is another"
    ),
    Says(
        "eq19-regular",
        "below (19)",
        "In a right d-regular graph the sum over l and R_l has d |L| terms.",
    ).judged("edges", _REGULAR_GRAPH),
    Says("eq22-gradient", "(22)", "The squared norm of every gradient is at most (22).").judged(
        "gradients", _GRADIENTS
    ),
    Says(
        "eq16-inequality",
        "(15), (16)",
        "The sum of eta g (y* - y) is at most |y1 - y*|^2 / 2 + sum of eta^2 |g|^2 / 2.",
    ).judged("regret", _INEQUALITY),
    Says("thm1-bound", "Theorem 1", "The regret of OGASched is at most (14).").judged(
        "regret", _bounded("ogasched-constant")
    ),
    Says(
        "eq26-bound",
        "(26)",
        "With the step (26) the accumulated reward has a lower bound, that of Theorem 1.",
    ).judged("regret", _bounded("ogasched-literal")),
    *_sublinear("slots", "T"),
    *_sublinear("ports", "|L|", ", every port with as many servers,"),
    Says(
        "sec35-gang",
        "Sec. 3.5",
        "With gang scheduling a similar algorithm retains a sublinear regret.",
    ).not_testable("the paper omits the design; the one here is another"),
)
"""Sections 2 and 3."""
