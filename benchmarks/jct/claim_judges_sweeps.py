"""Judges of what the edge-cloud paper says about JCT and preemptions: Figures 4, 5, 7 to 10."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchmarks.claim import (
    Evidence,
    Finding,
    Judge,
    against_best,
    compare_first,
    compared,
    judged,
)
from benchmarks.jct.figures_common import BASELINES, in_every_reading, rates
from benchmarks.table import interval_of

__all__ = [
    "batches_go_to_the_cloud",
    "feasible",
    "fewer",
    "grows_with",
    "lowest",
    "not_the_most",
    "rate_moves",
    "reduction_grows",
    "smaller_on_testbed",
    "up_to",
]

_BAND = 0.05  # of a reduction: within 5 percentage points
_GANGS = ("srtf", "tiresias-l")


def _rows(evidence: Evidence, figure: str, reading: str) -> pd.DataFrame:
    frame = in_every_reading(evidence.frame(figure))
    return frame[frame["reading"] == reading]


def _reduction(frame: pd.DataFrame, column: str, first: str, other: str) -> pd.DataFrame:
    """``1 - JCT / JCT of the other``: a row per seed, a column per value of the setting."""
    wide = frame.pivot(index=["seed", column], columns="policy", values="total_jct")
    return (1.0 - wide[first] / wide[other]).unstack(column)


def _slopes(wide: pd.DataFrame) -> np.ndarray:
    """Slope of every seed's row over the values of the columns, per 100 units."""
    place = wide.columns.to_numpy(dtype=float)
    values = wide.to_numpy(dtype=float)
    # From the first value on, so that the slope of what is constant is 0 without round-off.
    return np.asarray(100 * np.polyfit(place, (values - values[:, :1]).T, 1)[0])


def _shown(pieces: Sequence[str], failing: Sequence[str]) -> Finding:
    """Reproduced if nothing fails; what was measured, and for whom it was not shown."""
    why = f"not shown for {', '.join(failing)}" if failing else ""
    return judged(not failing, "; ".join(pieces), why)


def lowest(
    figure: str,
    column: str,
    reading: str,
    first: str = "a-online",
    others: Sequence[str] = BASELINES,
    value: str = "total_jct",
) -> Judge:
    """A scheme has the lowest value of some, at every value of a setting."""

    def judge(evidence: Evidence) -> Finding:
        frame = _rows(evidence, figure, reading)
        frame = frame[frame["policy"].isin((first, *others))]
        table = compare_first(frame, value=value, groups=[column], first=first, sense="min")
        return compared(table, [column], against_best(table, [column], first, "min"))

    return judge


def fewer(figure: str, column: str, reading: str, first: str, other: str) -> Judge:
    """A scheme preempts fewer chunks than another, at every value of a setting."""
    return lowest(figure, column, reading, first, (other,), "preemptions")


def not_the_most(figure: str, column: str, reading: str) -> Judge:
    """A_online preempts fewer chunks than the one of SRTF and Tiresias-L that preempts more."""

    def judge(evidence: Evidence) -> Finding:
        frame = _rows(evidence, figure, reading)
        wide = frame.pivot(index=["seed", column], columns="policy", values="preemptions")
        gangs = wide[list(_GANGS)].max(axis=1)
        pairs = pd.DataFrame({"a-online": wide["a-online"], " or ".join(_GANGS): gangs})
        pairs.columns.name = "policy"
        tall = pairs.stack().rename("preemptions").reset_index()
        table = compare_first(
            tall, value="preemptions", groups=[column], first="a-online", sense="min"
        )
        return compared(table, [column], against_best(table, [column], "a-online", "min"))

    return judge


def grows_with(figure: str, column: str, reading: str, policies: Sequence[str]) -> Judge:
    """Preemptions grow with a setting, with every scheme."""

    def judge(evidence: Evidence) -> Finding:
        frame = _rows(evidence, figure, reading)
        pieces, failing = [], []
        for policy in policies:
            part = frame[frame["policy"] == policy]
            wide = part.pivot(index="seed", columns=column, values="preemptions")
            low, _, text = interval_of(_slopes(wide))
            means = "/".join(f"{mean:.4g}" for mean in wide.mean())
            pieces.append(f"{policy} {means}, slope {text} per 100")
            if not low > 0:
                failing.append(policy)
        return _shown(pieces, failing)

    return judge


def reduction_grows(
    figure: str, reading: str, firsts: Sequence[str], others: Sequence[str]
) -> Judge:
    """The relative reduction of JCT against others grows with the number of jobs."""

    def judge(evidence: Evidence) -> Finding:
        frame = _rows(evidence, figure, reading)
        pieces, failing = [], []
        for first in firsts:
            for other in others:
                wide = _reduction(frame, "jobs", first, other)
                low, _, text = interval_of(100 * _slopes(wide))
                means = "/".join(f"{100 * mean:.1f}" for mean in wide.mean())
                pieces.append(f"{first} against {other} {means} %, slope {text} points per 100")
                if not low > 0:
                    failing.append(f"{first} against {other}")
        return _shown(pieces, failing)

    return judge


def rate_moves(reading: str, policies: Sequence[str], sign: float) -> Judge:
    """JCT rates rise (sign 1) or fall (-1) with the number of servers."""

    def judge(evidence: Evidence) -> Finding:
        frame = rates(evidence.frame("jct-8"), "servers")
        frame = frame[frame["reading"] == reading]
        pieces, failing = [], []
        for policy in policies:
            part = frame[frame["policy"] == policy]
            wide = part.pivot(index="seed", columns="servers", values="jct_rate")
            low, _, text = interval_of(sign * _slopes(wide))
            means = "/".join(f"{mean:.3g}" for mean in wide.mean())
            pieces.append(f"{policy} {means}, {'rise' if sign > 0 else 'fall'} {text} per 100")
            if not low > 0:
                failing.append(policy)
        return _shown(pieces, failing)

    return judge


def up_to(reading: str, others: Sequence[str], percent: float) -> Judge:
    """The largest mean reduction of JCT, over the points of Figures 7 and 8, is the paper's.

    Against the best of some schemes, seed by seed.
    """

    def judge(evidence: Evidence) -> Finding:
        means = []
        for figure, column in (("jct-7", "jobs"), ("jct-8", "servers")):
            frame = _rows(evidence, figure, reading)
            wide = frame.pivot(index=["seed", column], columns="policy", values="total_jct")
            gain = 1.0 - wide["a-online"] / wide[list(others)].min(axis=1)
            by_point = gain.groupby(column).mean()
            means += [(mean, f"{point} {column}") for point, mean in by_point.items()]
        most, least = max(means), min(means)
        return judged(
            abs(most[0] - percent / 100) <= _BAND,
            f"{100 * least[0]:.1f} % ({least[1]}) to {100 * most[0]:.1f} % ({most[1]})",
        )

    return judge


def smaller_on_testbed(reading: str) -> Judge:
    """Reduction against the best baseline: on the testbed below that at the most jobs of Fig. 7."""

    def judge(evidence: Evidence) -> Finding:
        ends, pieces = [], []
        for figure, name in (("jct-4", "testbed"), ("jct-7", "simulation")):
            frame = _rows(evidence, figure, reading)
            frame = frame[frame["jobs"] == frame["jobs"].max()]
            wide = frame.pivot(index="seed", columns="policy", values="total_jct")
            gain = 100 * (1.0 - wide["a-online"] / wide[list(BASELINES)].min(axis=1))
            low, high, text = interval_of(gain)
            ends.append((low, high))
            pieces.append(f"{name} {text} %")
        return judged(ends[0][1] < ends[1][0], "against the best baseline: " + ", ".join(pieces))

    return judge


def batches_go_to_the_cloud(reading: str) -> Judge:
    """BatchSche sends more than half of the jobs to the cloud, at every number of jobs."""

    def judge(evidence: Evidence) -> Finding:
        frame = _rows(evidence, "jct-7", reading)
        frame = frame[frame["policy"] == "batchsche"]
        share = (frame["jobs_in_cloud"] / frame["jobs"]).groupby(frame["jobs"]).mean()
        text = ", ".join(f"{100 * mean:.0f} % of {jobs} jobs" for jobs, mean in share.items())
        return judged(bool((share > 0.5).all()), text)

    return judge


def feasible(evidence: Evidence) -> Finding:
    """The scorer found no violation in any run: one that breaks a constraint raises an error."""
    runs = 0
    for figure in ("jct-4", "jct-7", "jct-8"):
        runs += int(evidence.frame(figure)["policy"].str.startswith("a-online").sum())
    for figure in ("jct-12", "jct-13"):
        runs += len(evidence.frame(figure))
    return judged(runs > 0, f"0 violations of (2a)-(2k) in {runs} runs")
