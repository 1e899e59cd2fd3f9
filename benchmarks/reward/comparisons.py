"""Tests of what the OGASched paper says about its figures and its Table 2."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.reward.studies import BASELINES, REFERENCES, RULES, SETTINGS, STEPS
from benchmarks.study.claim import Finding, judged
from benchmarks.study.frames import along, by_seed, end_of, exponents, listed, moves_along
from benchmarks.study.statistics import bootstrap_interval, interval_of
from benchmarks.study.tests import Above, Below, Best, Holds, Moves, Near, Rows

__all__ = [
    "BEST_DECAY",
    "DECAY_BELOW_ONE",
    "EARLY_EDGE",
    "FIRST",
    "LINEAR_FAR_ABOVE",
    "NEGATIVE_SLOTS",
    "PENALTY_GROWS_SLOWLY",
    "POOR_STEPS",
    "PORTS_MATTER_LESS",
    "RATIOS_RISE",
    "RISES_THEN_FLATTENS",
    "best",
    "changes",
    "decay_beats",
    "fairness_best",
    "fairness_steady",
    "lead",
    "lead_falls",
    "lead_peaks_inside",
]

FIRST = RULES[0]
"""The policy that claims are about, unless they say otherwise."""

Differences = tuple[dict[str, pd.Series], str]
Numbers = tuple[Sequence[float], str]

_EARLY = 0.01  # of the horizon: "in the beginning"
_DECAYS = (0.995, 0.9999)
_SLOW = 0.5  # "slowly": no more than with the square root
_WORDS = {"reward": "accumulated reward", "average": "average reward"}
_last = partial(end_of, x="slot")


# ---- who is the best, and what changes along a setting ------------------------------------------


def best(column: str, value: str, first: str, others: tuple[str, ...]) -> Best:
    """A policy is better than others at the end of curves (``slot``) or along a setting."""
    if column == "slot":
        return _best(column, value, first, others, "at the end", _last)
    rows = partial(along, settings=SETTINGS, varied=(column,))
    return _best(column, value, first, others, f"at every value of {column}", rows)


def fairness_best(baselines: Sequence[str]) -> Best:
    """FAIRNESS earns more than all other baselines of a reading."""
    return _fairness("slot", baselines, "at T", _last)


def fairness_steady(baselines: Sequence[str]) -> Best:
    """The same wherever contention is at most 1."""
    return _fairness("contention", baselines, "at every contention up to 1", _mild)


def _mild(frame: pd.DataFrame) -> pd.DataFrame:
    part = along(frame, SETTINGS, ("contention",))
    return part[part["contention"] <= 1.0]


def _fairness(column: str, baselines: Sequence[str], where: str, rows: Rows) -> Best:
    (first,) = (name for name in baselines if name.startswith("fairness"))
    others = tuple(name for name in baselines if name != first)
    return _best(column, "reward", first, others, where, rows)


def _best(
    column: str, value: str, first: str, others: tuple[str, ...], where: str, rows: Rows
) -> Best:
    what = f"{_WORDS[value]} of {first}"
    return Best(what, first, value, (column,), where=where, rows=rows, among=others)


def changes(
    column: str, value: str = "reward", policies: Sequence[str] = (FIRST, *BASELINES), **more: Any
) -> Moves:
    """See :func:`benchmarks.study.frames.moves_along`."""
    return moves_along(_WORDS[value], value, column, policies, SETTINGS, **more)


# ---- Figure 2: curves ---------------------------------------------------------------------------


def lead(baseline: str, percent: float) -> Near:
    """Relative lead of OGASched over a policy at the end; none if that earns nothing."""
    what = f"mean relative lead of the average reward at T over {baseline}"
    return Near(what, percent, 2.0, partial(_lead, baseline), "%")


def _lead(baseline: str, frame: pd.DataFrame) -> tuple[float, str]:
    wide = by_seed(_last(frame), "average", "policy")
    leads = {rule: 100 * (wide[rule] / wide[baseline] - 1) for rule in RULES}
    texts = [f"{rule} {interval_of(values)[2]} %" for rule, values in leads.items()]
    text = f"over {baseline}: {', '.join(texts)}"
    if (wide[baseline] <= 0).any():
        return np.nan, f"{text}; it earns nothing in some run"
    return float(leads[FIRST].mean()), text


def _early_edge(frame: pd.DataFrame) -> Differences:
    wide = by_seed(end_of(frame, "slot", _EARLY), "reward", "policy")
    found = {f"{name} - {FIRST}": wide[name] - wide[FIRST] for name in ("drf", "fairness")}
    return found, f"accumulated after 1 % of the slots: {_intervals(found)}"


EARLY_EDGE = Moves(
    "accumulated reward of drf and of fairness after 1 % of the slots minus that of ogasched",
    _early_edge,
    named=False,
)


def _rise_and_bend(frame: pd.DataFrame) -> Differences:
    own = frame[frame["policy"] == FIRST]
    early, half, end = (
        end_of(own, "slot", share).set_index("seed")["average"] for share in (_EARLY, 0.5, 1.0)
    )
    rise, bend = end - early, (half - early) - (end - half)
    return {"rise": rise, "bend": bend}, (
        f"average reward at the end minus that after 1 % of the slots: {interval_of(rise)[2]}; "
        f"rise in the first half minus rise in the second: {interval_of(bend)[2]}"
    )


RISES_THEN_FLATTENS = Moves(
    "average at T minus that after 1 % of the slots, and rise in the first half minus rise in the "
    "second",
    _rise_and_bend,
    named=False,
)


def _ratios_rise(frame: pd.DataFrame) -> Differences:
    early, end = (
        by_seed(end_of(frame, "slot", share), "average", "policy") for share in (_EARLY, 1.0)
    )
    found = {name: end[FIRST] / end[name] - early[FIRST] / early[name] for name in BASELINES}
    return found, f"change of the ratio: {_intervals(found)}"


RATIOS_RISE = Moves(
    "ratio of the averages at T minus that after 1 % of the slots, for each of "
    f"{', '.join(BASELINES)}",
    _ratios_rise,
    named=False,
)


def _intervals(found: dict[str, pd.Series]) -> str:
    return ", ".join(f"{name} {interval_of(values)[2]}" for name, values in found.items())


# ---- Figure 4: first step and decay -------------------------------------------------------------


def _swept(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Rewards by seed and initial rate or decay, the other as in Table 1."""
    other, fixed = ("factor", STEPS[1]) if column == "initial" else ("initial", STEPS[0])
    return by_seed(frame[frame[other] == fixed], "reward", column)


def _decay_below_one(frame: pd.DataFrame) -> Differences:
    swept = _swept(frame, "factor")[[0.9999, 1.0001]]
    more = swept[0.9999] - swept[1.0001]
    return {"": more}, f"mean reward {listed(swept.mean())}; difference {interval_of(more)[2]}"


DECAY_BELOW_ONE = Moves("accumulated reward with eta_0 = 25, difference", _decay_below_one)


def _best_decay(frame: pd.DataFrame) -> Numbers:
    means = _swept(frame, "factor").mean()
    at, (low, high) = float(means.idxmax()), _DECAYS
    text = f"mean reward by decay {listed(means)}; best {at:g}"
    return [max(low - at, at - high, 0.0)], text


BEST_DECAY = Below(
    f"distance from {list(_DECAYS)} of the decay with the largest mean accumulated reward "
    "(eta_0 = 25)",
    0,
    _best_decay,
    or_equal=True,
)


def decay_beats(reference: str) -> Moves:
    """The best decay earns more than a step of the theory."""
    what = f"accumulated reward of the best decay minus that of {reference}"
    return Moves(what, partial(_decay_beats, reference))


def _decay_beats(reference: str, frame: pd.DataFrame) -> Differences:
    swept = _swept(frame, "factor")
    rest = {name: frame[frame["policy"] == name].set_index("seed")["reward"] for name in REFERENCES}
    top = swept.mean().idxmax()
    more = swept[top] - rest[reference]
    others = ", ".join(f"{name} {values.mean():.4g}" for name, values in rest.items())
    return {"": more}, (
        f"decay {top:g} {swept[top].mean():.4g}, decay {STEPS[1]:g} "
        f"{swept[STEPS[1]].mean():.4g}, {others}; best decay - {reference} {interval_of(more)[2]}"
    )


def _poor_steps(frame: pd.DataFrame) -> Numbers:
    means = pd.concat(
        [
            _swept(frame, column).mean().rename(lambda value, word=word: f"{word} {value:g}")
            for column, word in (("initial", "eta_0"), ("factor", "decay"))
        ]
    )
    return [means.min() / means.max()], (
        f"worst {means.idxmin()}: {means.min():.4g}, best {means.idxmax()}: {means.max():.4g}"
    )


POOR_STEPS = Below(
    "mean accumulated reward of the worst setting over that of the best", 0.5, _poor_steps
)


def _negative_slots(frame: pd.DataFrame) -> Numbers:
    shares = frame.dropna(subset=["initial"]).groupby(["initial", "factor"])["negative"].mean()
    most, (initial, factor) = shares.max(), shares.idxmax()
    if most == 0:
        return [0.0], "no slot with a negative reward under any setting"
    return [most], (
        f"most with eta_0 {initial:g}, decay {factor:g}: {100 * most:.1f} % of the slots"
    )


NEGATIVE_SLOTS = Above(
    "share of the slots with a negative reward, mean over seeds,",
    0.1,
    _negative_slots,
    or_equal=True,
    where="for some setting",
)


# ---- Figures 3, 6 and 7 -------------------------------------------------------------------------


def _leads(frame: pd.DataFrame, column: str, baselines: Sequence[str]) -> pd.DataFrame:
    """OGASched over the best baseline, by seed and setting; NaN where that earns nothing."""
    part = along(frame, SETTINGS, (column,))
    wide = part.pivot(index=[column, "seed"], columns="policy", values="reward")
    top = wide[list(baselines)].max(axis=1)
    return (wide[FIRST] / top.where(top > 0)).unstack(column)


def lead_peaks_inside(baselines: Sequence[str]) -> Holds:
    """The ratio to the best baseline is largest at an inner number of servers."""
    return Holds(
        "ratio to the best baseline of the seed largest at an inner |R|, and better there than at "
        f"both ends; baselines {', '.join(baselines)}",
        partial(_lead_peaks_inside, baselines),
    )


def _lead_peaks_inside(baselines: Sequence[str], frame: pd.DataFrame) -> Finding:
    leads = _leads(frame, "servers", baselines)
    top, ends = leads.mean().idxmax(), leads.columns[[0, -1]]
    measured = f"ratio to the best baseline: {listed(leads.mean())}"
    if top in ends:
        return Finding("not reproduced", measured, f"largest at an end, {top:g}")
    shown = [bootstrap_interval(leads[top] - leads[end])[0] > 0 for end in ends]
    return judged(all(shown), measured)


def lead_falls(baselines: Sequence[str]) -> Moves:
    """The ratio to the best baseline is smaller at the most contention than at 1."""
    return Moves(
        "ratio to the best baseline of the seed at contention 1 minus that at the most; baselines "
        f"{', '.join(baselines)}",
        partial(_lead_falls, baselines),
    )


def _lead_falls(baselines: Sequence[str], frame: pd.DataFrame) -> Differences:
    leads = _leads(frame, "contention", baselines)
    most = leads.columns[-1]
    fall = leads[1.0] - leads[most]
    return {"": fall}, (
        f"ratio to the best baseline by contention: {listed(leads.mean())}; at 1 minus at "
        f"{most:g}: {interval_of(fall)[2]}"
    )


def _ports_matter_less(frame: pd.DataFrame) -> Differences:
    own = frame[frame["policy"] == FIRST]
    ports, servers = (
        exponents(by_seed(along(own, SETTINGS, (column,)), "reward", column))
        for column in ("ports", "servers")
    )
    more = servers.abs() - ports.abs()
    return {"": more}, (
        f"exponent in |L| {ports.mean():.3f}, in |R| {servers.mean():.3f}; difference of the "
        f"sizes {interval_of(more)[2]}"
    )


PORTS_MATTER_LESS = Moves(
    "size of the slope of log reward against log |R| minus that against log |L| (at the same "
    "density)",
    _ports_matter_less,
)


def _slow_penalty(frame: pd.DataFrame) -> Differences:
    own = frame[frame["policy"] == FIRST]
    wide = {name: by_seed(own, name, "contention") for name in ("gain", "penalty")}
    slope = exponents(wide["penalty"])
    means = "; ".join(f"{name} {listed(table.mean())}" for name, table in wide.items())
    text = f"{means}; exponent of the penalty {interval_of(slope)[2]}"
    return {"slope": slope, "room": _SLOW - slope}, text


PENALTY_GROWS_SLOWLY = Moves(
    f"slope of log penalty against log contention, and {_SLOW:g} minus it",
    _slow_penalty,
    named=False,
)


def _linear_far_above(frame: pd.DataFrame) -> Differences:
    found: dict[str, pd.Series] = {}
    pieces = []
    for policy in (FIRST, *BASELINES):
        wide = by_seed(frame[frame["policy"] == policy], "reward", "utilities")
        for kind in wide.columns.drop("linear"):
            found[f"{policy} ({kind})"] = wide["linear"] - 2 * wide[kind]
        means = ", ".join(f"{kind} {mean:.4g}" for kind, mean in wide.mean().items())
        pieces.append(f"{policy}: {means}")
    return found, "; ".join(pieces)


LINEAR_FAR_ABOVE = Moves(
    f"accumulated reward of each of {FIRST}, {', '.join(BASELINES)} with linear utilities minus "
    "twice that with each other kind",
    _linear_far_above,
)
