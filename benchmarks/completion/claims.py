"""The checkable claims of the paper on heterogeneous jobs.

Every test was written down before the ledger was measured; single runs had been seen by then.
*Better* means: the 95 % bootstrap interval of the mean paired difference over seeds lies above 0.

What is said of the five schemes is judged in six readings
(:data:`benchmarks.completion.readings.READINGS`): the capacities that the paper draws, and under
names with ``-moderate``, ``-fixed``, ``-delay``, ``-blocks`` and ``-literal``, the others; what is
said of A_online alone in the first two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from benchmarks.completion.readings import BASELINES, LOADS, OWN, READINGS
from benchmarks.completion.studies import ANY_TYPE, TYPES
from benchmarks.completion.theory import THEORY
from benchmarks.study.claim import Claim, Differences, Numbers, Test, said
from benchmarks.study.frames import listed, slopes_against, wide
from benchmarks.study.tests import Above, Below, Best, Moves, Near

__all__ = ["CLAIMS"]

_LATE = ("antman", "tiresias")
_SIGNS = {"rises": 1.0, "falls": -1.0}


def _reductions(value: str, varied: str, frame: pd.DataFrame) -> Numbers:
    """Mean reductions by A_online against each baseline, in percent, at every point."""
    table = wide(frame, value, varied).astype(float)
    part = 100.0 * (1.0 - table[[OWN]].to_numpy() / table[list(BASELINES)])
    means = part.groupby(varied).mean().stack()
    (least, against), (most, over) = means.idxmin(), means.idxmax()
    text = (
        f"{means.min():.1f} % (against {against} at {least} {varied}) to {means.max():.1f} % "
        f"(against {over} at {most} {varied})"
    )
    return means, text


def _far(varied: str, frame: pd.DataFrame) -> Differences:
    """The lesser total of AntMan and Tiresias minus the largest of the others, seed by seed."""
    table = wide(frame, "total", varied).astype(float)
    others = table.drop(columns=list(_LATE)).max(axis=1)
    ratio = table[list(_LATE)].min(axis=1) / others
    found = {f"{at:g}": part - 1.0 for at, part in ratio.groupby(varied)}
    return found, f"ratio of the two, mean by {varied}: {listed(ratio.groupby(varied).mean())}"


def _totals(frame: pd.DataFrame, varied: str) -> pd.DataFrame:
    return wide(frame, "total", varied).astype(float)


def _ends(value: str, sign: float, moves: str, frame: pd.DataFrame) -> Differences:
    """A value of the paper's algorithm at the largest F minus that at the least, seed by seed."""
    rows = frame[(frame["moves"] == moves) & frame["policy"].isin([OWN, "a-maxweight"])]
    table = rows.pivot(index="seed", columns="factor", values=value).astype(float)
    return {"": sign * (table.iloc[:, -1] - table.iloc[:, 0])}, listed(table.mean())


def _by_type(frame: pd.DataFrame) -> pd.DataFrame:
    """The worker types in place of the policy."""
    names = frame["only_type"].map(dict(enumerate(TYPES)))
    return frame.assign(policy=names.astype(object).where(names.notna(), ANY_TYPE))


def _spread(frame: pd.DataFrame) -> Numbers:
    """Total with the worst single type over that with the best, mean by architecture."""
    table = wide(_by_type(frame), "total", "architecture")[list(TYPES)].astype(float)
    ratio = (table.max(axis=1) / table.min(axis=1)).groupby("architecture").mean()
    means = ", ".join(f"{name} {mean:.4g}" for name, mean in table.mean().items())
    told = ", ".join(f"{name} {mean:.3g}" for name, mean in ratio.items())
    return ratio, f"{told}; mean totals: {means}"


def _same_order(ps: pd.DataFrame, allreduce: pd.DataFrame) -> Numbers:
    """Rank correlation of the mean totals of the schemes, at each number of jobs."""
    means = [
        frame.groupby(["jobs", "policy"])["total"].mean().unstack() for frame in (ps, allreduce)
    ]
    one, two = (table.rank(axis=1) for table in means)
    found = one.corrwith(two, axis=1)
    ratio = (means[1][OWN] / means[0][OWN]).mean()
    return found, f"{listed(found)}; total of {OWN}, all-reduce over PS: {ratio:.3f} in the mean"


def _slope(varied: str, sign: float, by: str, frame: pd.DataFrame) -> Differences:
    """Slope of the scheduled weight against a setting, at each value of another."""
    found, told = {}, []
    for at, part in frame[frame["policy"] == "a-maxweight"].groupby(by):
        table = part.pivot(index="seed", columns=varied, values="weight").astype(float)
        places = table.columns.to_numpy(dtype=float)
        found[f"{by} {at}"] = sign * np.polyfit(places, table.to_numpy().T, 1)[0]
        told.append(f"{by} {at}: {'/'.join(f'{mean:.4g}' for mean in table.mean())}")
    return found, "; ".join(told)


def _blocks(column: str, frame: pd.DataFrame) -> tuple[float, str]:
    """Mean over the runs of A_online."""
    values = frame.loc[frame["policy"] == OWN, column].dropna().astype(float)
    text = (
        f"mean {values.mean():.3g}, {values.min():.3g} to {values.max():.3g} in {len(values)} runs"
    )
    return float(values.mean()), text


def _seconds(frame: pd.DataFrame) -> Numbers:
    means = frame.groupby(["architecture", "jobs"])["seconds"].mean()
    return frame["seconds"], "; ".join(
        f"{name}: {listed(part.droplevel(0))} s" for name, part in means.groupby(level=0)
    )


def _seconds_rise(frame: pd.DataFrame) -> Differences:
    found = {}
    for name, part in frame.groupby("architecture"):
        table = part.pivot(index="seed", columns="jobs", values="seconds")
        found[str(name)] = table.iloc[:, -1] - table.iloc[:, 0]
    return found, _seconds(frame)[1]


def _least(varied: str, value: str, what: str) -> Test:
    return Above(
        f"mean reduction of the {what} against each baseline, in percent,",
        30.0,
        partial(_reductions, value, varied),
        True,
        f"at every number of {varied}",
    )


def _schemes(figure: int, varied: str, architecture: str) -> list[Claim]:
    """What is said of the five schemes along one setting, in every reading."""
    source, study = f"Fig. {figure}", (f"completion-{varied}-{architecture}",)
    best = "A_online performs best."
    least = "A_online performs at least 30 % better than the other algorithms."
    far = "The totals of AntMan and Tiresias are both much larger than those of the others."
    what = "lesser total of AntMan and Tiresias over the largest of the others, minus 1, of seeds"
    at = f"at every number of {varied}"
    tests: list[tuple[str, str, Test]] = [
        ("best", best, Best(f"total of {OWN}", OWN, "total", (varied,), "min", at)),
        ("30", least, _least(varied, "total", "total")),
        (
            "30-jct",
            least,
            _least(varied, "weighted_jct", "weighted time from arrival to completion"),
        ),
        ("far", far, Moves(f"{what}, {at}", partial(_far, varied))),
    ]
    if varied == "servers":
        words = "{means:.4g}, slope {slope} per 100"
        slope = slopes_against("servers", _totals, [OWN], words)
        rises = Moves(f"slope of the total of {OWN} against servers, of every seed", slope)
        tests += [("rises", "The total of A_online rises with the number of servers.", rises)]
    own = tuple(reading for reading in READINGS if reading.name not in ("fixed", "delay"))
    return [
        Claim(
            f"fig{figure}-{name}", source, text, test, study, own if name == "rises" else READINGS
        )
        for name, text, test in tests
    ]


def _with_bound(value: str, what: str, way: str, moves: str) -> Moves:
    """What is said of F, where F alone moves, or where the weights move it."""
    how = {"prices": "F of the prices alone", "weights": "F by the range of the weights"}[moves]
    change = f"{'minus ' * (way == 'falls')}change of the {what} from 0.001 F to 1000 F; {how}"
    return Moves(change, partial(_ends, value, _SIGNS[way], moves))


def _batch(way: str, varied: str, by: str) -> Moves:
    minus = "minus the " * (way == "falls")
    what = f"{minus}slope of the weight against {varied}, of every seed, at every number of {by}"
    return Moves(what, partial(_slope, varied, _SIGNS[way], by))


# Name, source, studies, and what the paper says; in the readings that concern A_online alone, apart
# from what is measured in one.
_SAID = """
alpha-4; Sec. 5.3; jobs-ps; The typical value of alpha is close to 4 in simulation studies.
alpha-blocks; Sec. 5.3; jobs-ps; The typical value of alpha is close to 4 in simulation studies.
fig4-rises; Fig. 4; bounds; The total of A_online is larger for larger values of F.
fig4-rises-weights; Fig. 4; bounds; The total of A_online is larger for larger values of F.
fig5-similar; Sec. 7.1; jobs-ps jobs-allreduce; With Ring-AllReduce the results are similar.
fig7-2min; Fig. 7; seconds; The running time of A_online remains at a low level (< 2 minutes).
fig7-rises; Fig. 7; seconds; The running time of A_online increases with the number of jobs.
fig8-better; Fig. 8; batch-jobs; A_maxweight schedules much more weight than the greedy algorithm.
fig9-best; Fig. 9; types; A_online chooses the best type for each job, so its total is smallest.
fig9-matters; Fig. 9; types; Different types of workers greatly affect the total.
fig10-falls; Fig. 10; workers; The total falls with the number of workers deployed for jobs.
fig11-falls; Fig. 11; batch-bounds; For smaller values of F the total weight is larger.
fig11-falls-weights; Fig. 11; batch-bounds; For smaller values of F the total weight is larger.
fig12-falls; Fig. 12; batch-servers; The total weight is smaller with more servers.
fig12-rises; Fig. 12; batch-servers; There is an upward trend of the weight with jobs.
"""
_TESTS: Mapping[str, Test] = {
    "alpha-4": Near("most blocks that (6) allows a round", 4.0, 1.0, partial(_blocks, "alpha")),
    "alpha-blocks": Near("blocks that a round uses", 4.0, 1.0, partial(_blocks, "blocks")),
    "fig4-rises": _with_bound("total", "total", "rises", "prices"),
    "fig4-rises-weights": _with_bound("total", "total", "rises", "weights"),
    "fig5-similar": Above(
        "rank correlation of the mean totals of the five schemes under both",
        0.8,
        _same_order,
        where="at every number of jobs",
    ),
    "fig7-2min": Below("seconds of a run", 120.0, _seconds, where="in every run"),
    "fig7-rises": Moves("change of the seconds from the fewest jobs to the most", _seconds_rise),
    "fig8-better": Best(
        "weight scheduled", "a-maxweight", "weight", ("jobs",), "max", "at every number of jobs"
    ),
    "fig9-best": Best(
        "total where jobs have any type",
        ANY_TYPE,
        "total",
        ("architecture",),
        "min",
        "with either architecture",
        _by_type,
        "all jobs with one of the four",
    ),
    "fig9-matters": Above(
        "mean ratio of the totals with the worst and the best single type", 1.2, _spread
    ),
    "fig10-falls": Moves(
        "minus the slope of the total against the most workers, of every seed",
        slopes_against("most_workers", _totals, [OWN], "{means:.4g}, fall {slope} per 100", -1.0),
    ),
    "fig11-falls": _with_bound("weight", "weight", "falls", "prices"),
    "fig11-falls-weights": _with_bound("weight", "weight", "falls", "weights"),
    "fig12-falls": _batch("falls", "servers", "jobs"),
    "fig12-rises": _batch("rises", "jobs", "servers"),
}
_IN_ONE = ("bounds", "seconds", "batch-jobs", "batch-bounds", "batch-servers")


def _said() -> Iterator[Claim]:
    in_one = {f"completion-{study}" for study in _IN_ONE}
    for claim in said("completion", _SAID, _TESTS):
        readings = READINGS if claim.name == "fig5-similar" else LOADS
        yield claim if in_one & {*claim.studies} else replace(claim, readings=readings)


CLAIMS: tuple[Claim, ...] = (
    *THEORY,
    *_schemes(2, "jobs", "ps"),
    *_schemes(3, "servers", "ps"),
    *_schemes(5, "jobs", "allreduce"),
    *_schemes(6, "servers", "allreduce"),
    *_said(),
)
"""What the paper proves; on the five schemes; and on its own algorithms alone."""
