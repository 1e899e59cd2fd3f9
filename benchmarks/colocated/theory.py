"""What the notes say of PD-ORS beside its figures: Fact 1, feasibility, randomised rounding."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd

from benchmarks.colocated.readings import OWN
from benchmarks.study.claim import Claim, Finding, Test, judged, said
from benchmarks.study.tests import Above, Holds, NotTestable

__all__ = ["THEORY"]

_FIGURES = "machines jobs split-jobs split-machines times"

Numbers = tuple[pd.Series, str]


def _fact_1(frame: pd.DataFrame) -> Finding:
    """One slot is enough on one machine, and not otherwise."""
    counts = {name: int(frame[name].iat[0]) for name in ("together", "split", "apart")}
    holds = counts["together"] == 0 and min(counts["split"], counts["apart"]) > 0
    told = ", ".join(f"{name} {count}" for name, count in counts.items())
    return judged(holds, f"violations by hand: {told}")


def _feasible(*frames: pd.DataFrame) -> Finding:
    """The scorer found no violation in any run: one that breaks a constraint is a failed cell."""
    runs = sum(int((frame["policy"] == OWN).sum()) for frame in frames)
    return judged(runs > 0, f"0 violations of (3)-(7) in {runs} runs")


def _kept(way: str, side: str, frame: pd.DataFrame) -> Numbers:
    """By how much the share of trials that keep a promise exceeds ``1 - delta``, slot by slot."""
    part = frame[(frame["way"] == way) & frame["gain"].notna()]
    share = part[[side, "cheap"]].astype(float).sum(axis=1) - 1.0  # at least that keep both
    share = share if side != "all" else part["all"].astype(float)
    means = share.groupby(part["delta"]).mean()
    told = ", ".join(f"{mean:.3f} at delta {delta:g}" for delta, mean in means.items())
    gains = part["gain"].astype(float)
    text = f"mean share {told or 'of nothing'}; G {gains.min():.3g} to {gains.max():.3g}"
    return share - 1.0 + part["delta"], f"{text}, {len(part)} slots and deltas"


def _applies(frame: pd.DataFrame) -> Numbers:
    """Share of the slots in which a formula for the packing side applies."""
    part = frame[frame["way"] == "packing"]
    shares = part["gain"].notna().groupby(part["delta"]).mean()
    told = ", ".join(f"{100 * mean:.0f} % at delta {delta:g}" for delta, mean in shares.items())
    return shares, f"{told} of {len(part)} slots and deltas"


def _some(frame: pd.DataFrame) -> Numbers:
    """Share of feasible roundings, slot by slot and way by way."""
    part = frame[frame["gain"].notna()].assign(feasible=lambda f: f["all"].astype(float))
    never = part["feasible"].eq(0.0).groupby(part["way"]).mean()
    told = ", ".join(f"G {way}: {100 * mean:.0f} %" for way, mean in never.items())
    return part["feasible"], f"no feasible one in {part['trials'].iat[0]} trials: {told} of slots"


def _promise(way: str, side: str, what: str) -> Test:
    rule = f"share of the trials of a slot that keep {what}, with G: {way}, minus 1 - delta,"
    return Above(rule, 0.0, partial(_kept, way, side), True, "in every slot")


# Name, source, studies, and what the notes say.
_SAID = f"""
fact-1; Fact 1; examples; The bandwidth is internal if and only if all is on one machine.
alg1-feasible; Alg. 1; {_FIGURES}; What PD-ORS schedules keeps to (3)-(7).
alg3-time; Alg. 3; ; The best schedule of a job takes O(T K^2 E^2) steps of Algorithm 4.
round-covering; (31), (32); rounding; Rounding with G_delta covers, and costs at most 3 G / delta.
round-packing; (31), (32); rounding; Rounding with G_delta packs, and costs at most 3 G / delta.
round-all; (27), (28); rounding; Rounding gives a feasible solution within 3 G / delta.
round-applies; (31), (32); rounding; There is a G_delta with which packing rows hold.
alg4-ends; Alg. 4; rounding; Line 11 rounds again until a solution is feasible.
ratio; Alg. 1; ; PD-ORS is an approximation with a constant ratio of the instance.
"""
_TESTS: Mapping[str, Test] = {
    "fact-1": Holds("one slot is enough together, neither split nor apart, by hand", _fact_1),
    "alg1-feasible": Holds("no violation in any run of Figures 6 to 10, by the scorer", _feasible),
    "alg3-time": NotTestable(
        "an asymptotic statement in E K, up to 1e8, which is not the length of the input; the "
        "programme here counts parts of a worker-slot instead"
    ),
    "round-covering": _promise("covering", "covers", "(26), that of the servers, and the cost"),
    "round-packing": _promise("packing", "packs", "(24), (25) and the cost"),
    "round-all": _promise("covering", "all", "all rows and the cost"),
    "round-applies": Above(
        "share of the slots in which a formula for packing applies", 0.5, _applies
    ),
    "alg4-ends": Above("share of feasible roundings", 0.0, _some, False, "in every slot"),
    "ratio": NotTestable("the notes say of what the ratio depends, but give none"),
}

THEORY: tuple[Claim, ...] = tuple(said("colocated", _SAID, _TESTS))
