"""Tests of what Sections 2 and 3 say: propositions, equations, and Theorem 1 on regret."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd

from benchmarks.growth import Growth, fit_growth
from benchmarks.reward.studies import REGRET_AXES, SETTINGS
from benchmarks.study.claim import Finding, Numbers, Test, judged
from benchmarks.study.frames import along, by_seed, expression
from benchmarks.study.tests import Above, Below, Holds, NotTestable

__all__ = ["TESTS", "Tests"]

Tests = Mapping[tuple[str, str], Test | Mapping[str, Test]]
"""By study, if any, and name of a claim: its test, or several by what is added to its name."""

_ROUNDING = 1e-9
_POWER_LAW = "for all arrivals that have a power law"
_TELLING = "on all runs with (14) below the best fixed reward; not testable if there are none"
_at_most = partial(Below, or_equal=True)


def _misses(frame: pd.DataFrame) -> Numbers:
    """On how many cases Alg. 1 is not the projection."""
    cases = list(frame[["z", "printed", "exact"]].itertuples(index=False))
    told = "z = ({}): Alg. 1 ({}), projection ({})"
    texts = [told.format(*(", ".join(map("{:g}".format, p)) for p in case)) for case in cases]
    wrong = sum(not np.allclose(case.printed, case.exact) for case in cases)
    return [wrong], "; ".join(texts)


def _edges(frame: pd.DataFrame) -> Numbers:
    """How far the number of edges is from d |L|."""
    ports, servers, degree, edges = frame[["ports", "servers", "degree", "edges"]].iloc[0]
    text = f"{ports} ports, {servers} servers, each connected to both: {edges} edges, "
    text += f"d |L| = {degree * ports}, d |R| = {degree * servers}"
    return [abs(edges - degree * ports)], text


def _of_bound(rule: str, frame: pd.DataFrame) -> Numbers:
    """Regret over (14), on runs on which that lies below the best fixed reward."""
    own = frame[frame["policy"] == rule]
    runs = own[own["bound"] < own["fixed_lower"]]
    share = runs["regret_upper"] / runs["bound"]
    if runs.empty:
        return share, f"(14) says nothing on all {len(own)} runs"
    count = f"the {len(runs)} of {len(own)} runs on which it says something"
    return share, f"regret at most {share.max():.3g} of (14) on {count}"


def _growths(axis: str, rule: str, frame: pd.DataFrame) -> tuple[dict[str, Growth], str]:
    """Growth of regret along an axis, for each kind of arrivals, and what was measured."""
    found = {}
    own = along(frame[frame["policy"] == rule], SETTINGS, REGRET_AXES[axis])
    for arrivals, part in own.groupby("arrivals", sort=False):
        lower, upper = (by_seed(part, f"regret_{end}", axis).T for end in ("lower", "upper"))
        sizes = lower.index.to_numpy()
        found[str(arrivals)] = fit_growth(sizes, lower.to_numpy(), upper.to_numpy())
    return found, "; ".join(f"{name}: {growth}" for name, growth in found.items())


def _from_one(frame: pd.DataFrame) -> Numbers:
    growths, text = _growths("servers", "ogasched-constant", frame)
    return [abs(one.exponent - 1) for one in growths.values() if one.exponent is not None], text


def _below_one(axis: str, rule: str, frame: pd.DataFrame) -> Finding:
    growths, text = _growths(axis, rule, frame)
    known = {name: growth for name, growth in growths.items() if growth.low is not None}
    if not known:
        return Finding("not testable", text)
    rest = [name for name, growth in known.items() if not growth.is_below_one]
    return judged(not rest, text, f"not shown for {', '.join(rest)}" if rest else "")


def _sublinear(axis: str, symbol: str) -> dict[str, Test]:
    """Exponents below 1 over the sizes of the study, with two step rules."""
    words = (
        f"exponent of the regret of {{}} below 1 over the {symbol}: 95 % t-interval over seeds < "
        "1, and what a further unit adds falls, as it does not in a line with an offset, "
        f"{_POWER_LAW}"
    )
    return {
        suffix: Holds(words.format(rule), partial(_below_one, axis, rule))
        for suffix, rule in (("", "ogasched-constant"), ("-decay", "ogasched"))
    }


_CONCAVE = (
    "reward of the middle minus mean reward: at least {low:.3g} over {pairs} random pairs of "
)
_CONCAVE += "feasible allocations, utilities of all kinds"
_INSIDE = "holds on {inside} of {count} runs; the left side is at most {part:.3g} of the right one"
_OTHER_PROJECTION = "Alg. 1 fills every server even where z fits, and checks the first port alone "
_OTHER_PROJECTION += "against its request; here the projection is exact"
_COUNTS_EDGES = "the sum over l and R_l counts the edges, so the bound is d |R|, in which |L| does "
_COUNTS_EDGES += "not appear"
_PARALLEL = "an asymptotic statement about Alg. 1 in parallel; the projection here is another"

TESTS: Tests = {
    ("concavity", "prop1-concave"): Above(
        "reward of the middle of two feasible allocations minus the mean of theirs",
        -_ROUNDING,
        expression("least", _CONCAVE, pairs="pairs.max()"),
        or_equal=True,
        where="for 200 random pairs",
    ),
    ("projections", "alg1-projection"): _at_most(
        "number of cases by hand, of two, on which Alg. 1 as printed is not the projection:",
        0,
        _misses,
        why=lambda _: _OTHER_PROJECTION,
    ),
    ("edges", "eq19-regular"): _at_most(
        "difference between the number of edges of a graph by hand and d |L|",
        0,
        _edges,
        why=lambda _: _COUNTS_EDGES,
    ),
    ("gradients", "eq22-gradient"): _at_most(
        "squared norm of every gradient as a part of (22)",
        1.0,
        expression("share", "largest squared gradient is {high:.3g} of (22), {count} seeds"),
        where="in all slots of three runs",
    ),
    ("regret", "eq16-inequality"): _at_most(
        "left side minus right side, as a part of the right side,",
        _ROUNDING,
        expression(
            "(inequality_left - inequality_right) / abs(inequality_right)",
            _INSIDE,
            limit=_ROUNDING,
            part="(inequality_left / inequality_right).max()",
        ),
        where="at the best fixed decision in all runs of all step rules",
    ),
    **{
        ("regret", name): _at_most(
            f"regret of {rule} as a part of (14)", 1.0, partial(_of_bound, rule), where=_TELLING
        )
        for name, rule in (("thm1-bound", "ogasched-constant"), ("eq26-bound", "ogasched-literal"))
    },
    ("regret", "thm1-T"): _sublinear("slots", "values of T"),
    ("regret", "thm1-L"): _sublinear("ports", "values of |L| (every port with as many servers)"),
    ("regret", "sec42-R"): _at_most(
        "distance from 1 of the exponent of the regret of ogasched-constant over |R|",
        0.2,
        _from_one,
        where=_POWER_LAW,
    ),
    ("", "alg1-time"): NotTestable(_PARALLEL),
    ("", "sec35-gang"): NotTestable("the paper omits the design; the one here is another"),
}
