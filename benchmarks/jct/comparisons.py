"""What claims of Sec. V compare: numbers of the studies' frames, and what was measured in words.

A frame of schemes holds one reading, see :class:`benchmarks.study.tests.InReading`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from benchmarks.jct.studies import BASELINES, OWN, SCHEMES
from benchmarks.study.frames import wide
from benchmarks.study.statistics import interval_of

__all__ = [
    "GANGS",
    "busier_gang",
    "busy_shares",
    "highest_shares",
    "jct_rates",
    "largest_reduction",
    "makespans",
    "only",
    "own_reductions",
    "preemptions",
    "rank_correlations",
    "rates",
    "reduction_beyond_testbed",
    "reductions",
    "rises_at_peaks",
    "shares_in_cloud",
]

GANGS = ("srtf", "tiresias-l")

BySeed = tuple[dict[str, np.ndarray], str]


def only(*names: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """The rows of some schemes."""
    return lambda frame: frame[frame["policy"].isin(names)]


def rates(frame: pd.DataFrame, varied: str) -> pd.DataFrame:
    """The frame with ``jct_rate``: total JCT over that of SRTF at the same point and seed.

    In the same reading; NaN where there is no SRTF.
    """
    keys = [varied, "reading", "seed"]
    base = frame[frame["policy"] == "srtf"].set_index(keys)["total_jct"]
    under = base.reindex(pd.MultiIndex.from_frame(frame[keys])).to_numpy()
    return frame.assign(jct_rate=frame["total_jct"] / under)


# ---- preemptions, rates and reductions along a setting -------------------------------------


def preemptions(frame: pd.DataFrame, varied: str) -> pd.DataFrame:
    """Of every scheme, at every point with every seed."""
    return wide(frame, "preemptions", varied)


def jct_rates(frame: pd.DataFrame, varied: str) -> pd.DataFrame:
    """JCT rates of every scheme, in the same form."""
    return wide(rates(frame, varied), "jct_rate", varied)


def reductions(frame: pd.DataFrame, varied: str) -> pd.DataFrame:
    """Of the JCT by the paper's own schemes over each other one, in percent, in the same form."""
    jct = wide(frame, "total_jct", varied)
    return pd.DataFrame(
        {
            f"{own} against {other}": 100 * (1.0 - jct[own] / jct[other])
            for own in OWN
            for other in jct.columns.drop(own)
        }
    )


# ---- reductions, preemptions, the cloud ----------------------------------------------------


def own_reductions(frame: pd.DataFrame, varied: str) -> pd.DataFrame:
    """Of the JCT by one of the paper's own schemes over the other, whatever the reading."""
    return reductions(only(*OWN)(frame), varied)


def busier_gang(varied: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Preemptions of A_online, and of the one of SRTF and Tiresias-L that preempts more."""

    def rows(frame: pd.DataFrame) -> pd.DataFrame:
        counts = wide(frame, "preemptions", varied)
        most = counts[list(GANGS)].max(axis=1)
        pairs = pd.DataFrame({"a-online": counts["a-online"], " or ".join(GANGS): most})
        return pairs.rename_axis(columns="policy").stack().rename("preemptions").reset_index()

    return rows


def _reduction(frame: pd.DataFrame, others: Sequence[str], *varied: str) -> pd.Series:
    """Of A_online's JCT against the best of some schemes, seed by seed, in percent."""
    jct = wide(frame, "total_jct", *varied)
    return 100 * (1.0 - jct["a-online"] / jct[list(others)].min(axis=1))


def largest_reduction(*others: str) -> Callable[..., tuple[float, str]]:
    """Largest mean reduction over the points of Figures 7 and 8."""

    def number(jobs: pd.DataFrame, servers: pd.DataFrame) -> tuple[float, str]:
        means = [
            (mean, f"{point} {varied}")
            for frame, varied in ((jobs, "jobs"), (servers, "servers"))
            for point, mean in _reduction(frame, others, varied).groupby(varied).mean().items()
        ]
        (most, where), (least, there) = max(means), min(means)
        return most, f"{least:.1f} % ({there}) to {most:.1f} % ({where})"

    return number


def reduction_beyond_testbed(testbed: pd.DataFrame, large: pd.DataFrame) -> tuple[list[float], str]:
    """How far the interval of the reduction at most jobs lies above that on the testbed."""
    last = (frame[frame["jobs"] == frame["jobs"].max()] for frame in (testbed, large))
    (_, high, small), (low, _, much) = (interval_of(_reduction(f, BASELINES)) for f in last)
    return [low - high], f"against the best baseline: testbed {small} %, simulation {much} %"


def shares_in_cloud(frame: pd.DataFrame) -> tuple[pd.Series, str]:
    """Mean share of the jobs that BatchSche sends to the cloud, at every number of jobs."""
    part = only("batchsche")(frame)
    share = (part["jobs_in_cloud"] / part["jobs"]).groupby(part["jobs"]).mean()
    return share, ", ".join(f"{100 * mean:.0f} % of {jobs} jobs" for jobs, mean in share.items())


# ---- use of the edge -----------------------------------------------------------------------


def _runs(frame: pd.DataFrame, value: str) -> pd.DataFrame:
    """A value of whole runs, which every span repeats."""
    return wide(frame.drop_duplicates(["seed", "policy", "reading"]), value)


def highest_shares(frame: pd.DataFrame) -> tuple[np.ndarray, str]:
    """Highest share of the edge's workers in a slot, of every run of the paper's own schemes."""
    peaks = _runs(frame[frame["reading"] == "gpus"], "peak")
    text = ", ".join(
        f"{name} {100 * peak.min():.1f} to {100 * peak.max():.1f} %, "
        f"100 % in {int((peak == 1.0).sum())} of {len(peak)}"
        for name, peak in peaks.items()
    )
    return peaks[list(OWN)].to_numpy().ravel(), f"highest of a run: {text}"


def busy_shares(frame: pd.DataFrame) -> BySeed:
    """How much more of the edge the paper's own schemes use than gangs while jobs arrive."""
    busy = _runs(frame, "busy")
    pairs = [(own, gang) for own in OWN for gang in GANGS]
    more = {f"{own} against {gang}": (busy[own] - busy[gang]).to_numpy() for own, gang in pairs}
    means = ", ".join(f"{name} {100 * mean:.1f} %" for name, mean in busy.mean().items())
    return more, f"while jobs arrive: {means}"


def makespans(other: str) -> Callable[[pd.DataFrame], tuple[float, str]]:
    """Mean over the seeds of A_online's makespan over another scheme's."""

    def number(frame: pd.DataFrame) -> tuple[float, str]:
        spans = _runs(frame, "makespan")
        ratio = spans["a-online"] / spans[other]
        one, two = spans["a-online"].mean(), spans[other].mean()
        return ratio.mean(), f"{interval_of(ratio)[2]} times; {one:.4g} and {two:.4g} slots"

    return number


def _curves(frame: pd.DataFrame) -> pd.DataFrame:
    """Utilisation in the slots in which jobs arrive, 0 once a scheme is done."""
    return wide(frame[frame["slot"] < frame["slots"]], "utilisation", "slot").fillna(0.0)


def rank_correlations(frame: pd.DataFrame) -> tuple[list[float], str]:
    """Mean over the seeds of the rank correlation with A_online's curve; NaN if one is constant."""
    parts = [part.rank() for _, part in _curves(frame).groupby(level="seed")]
    means = [
        float(np.mean([part["a-online"].corr(part[name]) for part in parts]))
        for name in SCHEMES[1:]
    ]
    text = ", ".join(f"{name} {mean:.2f}" for name, mean in zip(SCHEMES[1:], means, strict=True))
    return means, f"rank correlation with A_online: {text}"


def rises_at_peaks(frame: pd.DataFrame) -> tuple[list[float], str]:
    """Rise from before to after the busiest span of each half: lower ends of the intervals."""
    curves = _curves(frame)
    first = only("a-online")(frame[frame["slot"] < frame["slots"]])
    rises = []
    for seed, part in first.groupby("seed"):
        slots, counts = part["slot"].to_numpy(), part["submissions"].to_numpy()
        shares = curves.loc[seed].reindex(slots, fill_value=0.0)
        half = len(slots) // 2
        for place in (int(counts[:half].argmax()), half + int(counts[half:].argmax())):
            before, after = max(0, place - 1), min(len(slots) - 1, place + 1)
            rises.append(shares.iloc[after] - shares.iloc[before])
    found = {name: interval_of([rise[name] for rise in rises]) for name in SCHEMES}
    text = ", ".join(f"{name} {told}" for name, (_, _, told) in found.items())
    return [low for low, _, _ in found.values()], f"rise of the share: {text}"
