"""Tests of what the OGASched paper proves, derives or times: propositions, equations, regret."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from benchmarks.growth import Growth, fit_growth
from benchmarks.reward.studies import REGRET_AXES, SETTINGS
from benchmarks.study.frames import along, by_seed
from benchmarks.study.statistics import interval_of
from benchmarks.study.tests import Above, Below, Moves

__all__ = [
    "CONCAVE",
    "GRADIENTS",
    "GROWING_STEPS",
    "INEQUALITY",
    "LINEAR_IN_SERVERS",
    "PROJECTION",
    "REGULAR_GRAPH",
    "bounded",
    "sublinear",
    "takes_hours",
]

Numbers = tuple[Sequence[float] | pd.Series, str]

_ROUNDING = 1e-9
_ONE = 0.999  # a regret that grows in proportion has an exponent of 1 up to rounding
_at_most = partial(Below, or_equal=True)
_at_least = partial(Above, or_equal=True)


def _concavity(frame: pd.DataFrame) -> Numbers:
    least, pairs = frame.at[0, "least"], frame.at[0, "pairs"]
    return [least], (
        f"reward of the middle minus mean reward: at least {least:.3g} over {pairs} random pairs "
        "of feasible allocations, utilities of all kinds"
    )


CONCAVE = _at_least(
    "reward of the middle of two feasible allocations minus the mean of theirs",
    -_ROUNDING,
    _concavity,
    where="for 200 random pairs",
)


def _wrong_projections(frame: pd.DataFrame) -> Numbers:
    texts, wrong = [], 0
    for z, printed, exact in zip(frame["z"], frame["printed"], frame["exact"], strict=True):
        texts.append(f"z = {_point(z)}: Alg. 1 {_point(printed)}, projection {_point(exact)}")
        wrong += not np.allclose(printed, exact)
    return [wrong], "; ".join(texts)


def _point(values: Sequence[float]) -> str:
    return f"({', '.join(f'{value:g}' for value in values)})"


PROJECTION = _at_most(
    "number of cases by hand, of two, on which Alg. 1 as printed is not the projection:",
    0,
    _wrong_projections,
    why=lambda _: (
        "Alg. 1 fills every server even where z fits, and checks the first port alone against its "
        "request; here the projection is exact"
    ),
)


def _edges_amiss(frame: pd.DataFrame) -> Numbers:
    (row,) = frame.itertuples()
    stated = row.degree * row.ports
    return [abs(row.edges - stated)], (
        f"{row.ports} ports, {row.servers} servers, each connected to both: {row.edges} edges, "
        f"d |L| = {stated}, d |R| = {row.degree * row.servers}"
    )


REGULAR_GRAPH = _at_most(
    "difference between the number of edges of a graph by hand and d |L|",
    0,
    _edges_amiss,
    why=lambda _: (
        "the sum over l and R_l counts the edges, so the bound is d |R|, in which |L| does not "
        "appear"
    ),
)


def _gradient_shares(frame: pd.DataFrame) -> Numbers:
    most = frame["share"].max()
    return frame["share"], f"largest squared gradient is {most:.3g} of (22), {len(frame)} seeds"


GRADIENTS = _at_most(
    "squared norm of every gradient as a part of (22)",
    1.0,
    _gradient_shares,
    where="in all slots of three runs",
)


def _growing_steps(frame: pd.DataFrame) -> tuple[dict[str, pd.Series], str]:
    low, high, _ = interval_of(frame["growth"])
    return {"": frame["growth"]}, (
        f"mean step of the last tenth over that of the first, minus 1: {frame['growth'].mean():.3g}"
        f" [{low:.3g}, {high:.3g}], {len(frame)} seeds"
    )


GROWING_STEPS = Moves(
    "mean step of the last tenth of the slots over that of the first, minus 1", _growing_steps
)


def _inequality(frame: pd.DataFrame) -> Numbers:
    left, right = frame["inequality_left"], frame["inequality_right"]
    over = (left - right) / right.abs()
    return over, (
        f"holds on {int((over <= _ROUNDING).sum())} of {len(frame)} runs; the left side is at most "
        f"{(left / right).max():.3g} of the right one"
    )


INEQUALITY = _at_most(
    "left side minus right side, as a part of the right side,",
    _ROUNDING,
    _inequality,
    where="at the best fixed decision in all runs of all step rules",
)


def bounded(rule: str) -> Below:
    """Regret at most (14), on runs on which that lies below the best fixed reward."""
    return _at_most(
        f"regret of {rule} as a part of (14)",
        1.0,
        partial(_parts_of_bound, rule),
        where="on all runs with (14) below the best fixed reward; not testable if there are none",
    )


def _parts_of_bound(rule: str, frame: pd.DataFrame) -> Numbers:
    own = frame[frame["policy"] == rule]
    runs = own[own["bound"] < own["fixed_lower"]]
    share = runs["regret_upper"] / runs["bound"]
    if runs.empty:
        return share, f"(14) says nothing on all {len(own)} runs"
    return share, (
        f"regret at most {share.max():.3g} of (14) on the {len(runs)} of {len(own)} runs on which "
        "it says something"
    )


# ---- growth of regret ---------------------------------------------------------------------------


def sublinear(axis: str, rule: str, what: str) -> Below:
    """Exponents of the regret below 1 along an axis, but for rounding."""
    return Below(
        f"upper end of the 95 % bootstrap interval of the exponent of the regret of {rule} over "
        f"{what}",
        _ONE,
        partial(_upper_ends, axis, rule),
        where="for all arrivals that have a power law",
    )


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


# ---- times --------------------------------------------------------------------------------------


def takes_hours(ports: int, slots: int, least: float) -> Above:
    """A run of so many slots takes so many hours."""
    why = (
        "other code, another machine, and perhaps another density: this does not contradict what "
        "they measured"
    )
    numbers = partial(_hours, ports, slots)
    return _at_least(f"hours of a run with T = {slots}:", least, numbers, why=lambda _: why)


def _hours(ports: int, slots: int, frame: pd.DataFrame) -> Numbers:
    (row,) = frame[frame["ports"] == ports].itertuples()
    seconds = row.seconds * slots / row.slots
    return [seconds / 3600.0], (
        f"{seconds:.1f} s for T = {slots} on one core of this machine, from {row.slots} slots; "
        f"{ports} ports, {row.servers} servers, density {row.density:g}"
    )
