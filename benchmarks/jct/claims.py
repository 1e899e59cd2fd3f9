"""The checkable claims of the edge-cloud paper.

Every test was written down before its claim was measured at the default size. *Better* means
throughout: the 95 % bootstrap interval of the mean paired difference over seeds lies above 0.

The paper does not say how many workers a job asks SRTF, Tiresias-L and BatchSche for, beyond "the
number of GPUs" of its trace, and that number decides. So what is said of them is judged in four
readings (:data:`benchmarks.jct.readings.READINGS`): as many as GPUs in the trace, and under names
with ``-uniform``, ``-chunks`` and ``-edge``, the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from benchmarks.jct import over_time
from benchmarks.jct.readings import BASELINES, GANGS, OWN, READINGS
from benchmarks.jct.tables import rates
from benchmarks.jct.theory import RATIOS, THEORY
from benchmarks.study.claim import Claim, Test, said
from benchmarks.study.frames import Table, slopes_against, wide
from benchmarks.study.statistics import interval_of
from benchmarks.study.tests import Above, Best, Moves, Near, NotTestable

__all__ = ["CLAIMS"]

_LATER = "; a second reading of the words, added after the first had been judged"


def _best(
    varied: str,
    first: str = "a-online",
    others: Sequence[str] = BASELINES,
    value: str = "total_jct",
    more: str = "",
) -> Best:
    """A scheme has the lowest value of some, at every value of a setting."""
    what = {"total_jct": "total JCT of", "preemptions": "fewer preemptions with"}[value]
    where = f"at every number of {varied}{more}"
    return Best(f"{what} {first}", first, value, (varied,), "min", where, among=tuple(others))


def _reduction(frame: pd.DataFrame, others: Sequence[str], *varied: str) -> pd.Series:
    """Of A_online's JCT against the best of some schemes, seed by seed, in percent."""
    jct = wide(frame, "total_jct", *varied)
    return 100 * (1.0 - jct["a-online"] / jct[list(others)].min(axis=1))


def _largest(others: Sequence[str], jobs: pd.DataFrame, servers: pd.DataFrame) -> tuple[float, str]:
    """Largest mean reduction over the points of Figures 7 and 8."""
    means = [
        (mean, f"{point} {varied}")
        for frame, varied in ((jobs, "jobs"), (servers, "servers"))
        for point, mean in _reduction(frame, others, varied).groupby(varied).mean().items()
    ]
    (most, where), (least, there) = max(means), min(means)
    return most, f"{least:.1f} % ({there}) to {most:.1f} % ({where})"


def _up_to(percent: int, *others: str) -> Near:
    what = f"{'the best of ' if len(others) > 1 else ''}{', '.join(others)}"
    what = f"largest mean reduction against {what} over the points of Figures 7 and 8"
    return Near(what, percent, 5.0, partial(_largest, others), "%")


def _beyond_testbed(testbed: pd.DataFrame, large: pd.DataFrame) -> tuple[list[float], str]:
    """How far the interval of the reduction at most jobs lies above that on the testbed."""
    last = (frame[frame["jobs"] == frame["jobs"].max()] for frame in (testbed, large))
    (_, high, small), (low, _, much) = (interval_of(_reduction(f, BASELINES)) for f in last)
    return [low - high], f"against the best baseline: testbed {small} %, simulation {much} %"


def _reductions(frame: pd.DataFrame, varied: str) -> pd.DataFrame:
    """Of the JCT by the paper's own schemes over each other one, in percent."""
    jct = wide(frame, "total_jct", varied)
    pairs = [(own, other) for own in OWN for other in jct.columns.drop(own)]
    return pd.DataFrame(
        {f"{own} against {other}": 100 * (1.0 - jct[own] / jct[other]) for own, other in pairs}
    )


def _own_reductions(frame: pd.DataFrame, varied: str) -> pd.DataFrame:
    """Of the JCT by one of the paper's own schemes over the other, whatever the reading."""
    return _reductions(frame[frame["policy"].isin(OWN)], varied)


def _grows(pairs: Sequence[str], table: Table) -> Moves:
    what = f"slope of the reduction of JCT of {', '.join(pairs)} against jobs, of every seed"
    words = "{means:.1f} %, slope {slope} points per 100"
    return Moves(what, slopes_against("jobs", table, pairs, words))


def _rate(way: str, *policies: str) -> Moves:
    """The JCT rate of each rises or falls with the number of servers."""
    sign = {"rise": 1.0, "fall": -1.0}[way]
    what = f"{'minus the ' if sign < 0 else ''}slope of the JCT rate against servers, of every seed"
    words = f"{{means:.3g}}, {way} {{slope}} per 100"
    slopes = slopes_against(
        "servers", lambda frame, at: wide(rates(frame, at), "jct_rate", at), policies, words, sign
    )
    return Moves(what, slopes)


def _shares_in_cloud(frame: pd.DataFrame) -> tuple[pd.Series, str]:
    """Mean share of the jobs that BatchSche sends to the cloud, at every number of jobs."""
    part = frame[frame["policy"] == "batchsche"]
    share = (part["jobs_in_cloud"] / part["jobs"]).groupby(part["jobs"]).mean()
    return share, ", ".join(f"{100 * mean:.0f} % of {jobs} jobs" for jobs, mean in share.items())


def _preemptions(frame: pd.DataFrame, varied: str) -> pd.DataFrame:
    return wide(frame, "preemptions", varied)


def _busier_gang(varied: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Preemptions of A_online, and of the one of SRTF and Tiresias-L that preempts more."""
    counts = _preemptions(frame, varied)
    most = counts[list(GANGS)].max(axis=1)
    pairs = pd.DataFrame({"a-online": counts["a-online"], " or ".join(GANGS): most})
    return pairs.rename_axis(columns="policy").stack().rename("preemptions").reset_index()


def _low(varied: str) -> Best:
    """A_online preempts less than the gang scheduler that preempts most."""
    what, where = "fewer preemptions with a-online", f"at every number of {varied}"
    more, rows = "the one of SRTF and Tiresias-L that has more", partial(_busier_gang, varied)
    return Best(what, "a-online", "preemptions", (varied,), "min", where, rows, more)


def _makespan(other: str, share: float, more: str = "") -> Near:
    """What "0.76x smaller" may be: 0.76 times, or 76 % smaller."""
    what = f"mean ratio of makespans, A_online to {other}{more}"
    return Near(what, share, 0.05, partial(over_time.makespans, other))


# Name, source, studies, and what the paper says: Sec. V-B; then Sec. V-C, and the abstract.
_SAID = """
fig3-converge; Fig. 3; ; All models that A_online schedules converge.
fig4-best; Fig. 4; testbed; A_online outperforms the other schedulers on the testbed.
fig4-smaller; Fig. 4; testbed jobs; The improvement is not noticeable on the testbed, since it is \
small; it is in the larger simulations.
fig5-grows; Fig. 5; testbed; Preemption gets more frequent with the number of jobs, in all three \
algorithms.
fig5-low; Fig. 5; testbed; The number of preemptions of A_online remains relatively low.
fig6-communication; Fig. 6; ; The communication time of A_online is smaller than that of the \
baselines.
upto-srtf; Sec. I; jobs servers; A_online reduces the average JCT by up to 35 % compared with \
SRTF.
upto-tiresias; Sec. I; jobs servers; A_online reduces the average JCT by up to 40 % compared with \
Tiresias-L.
upto-batchsche; Sec. I; jobs servers; A_online reduces the average JCT by up to 50 % compared \
with BatchSche.
upto-abstract; abstract; jobs servers; A_online reduces the average JCT by up to 30 % compared \
with state-of-the-art baselines.
fig7-best; Fig. 7; jobs; a-online outperforms all baselines, whatever the number of jobs.
fig7-best-e; Fig. 7; jobs; a-online-e outperforms all baselines, whatever the number of jobs.
fig7-category-e; Fig. 7; jobs; A_online-E outperforms the others in its category, that without \
the cloud.
fig7-grows; Fig. 7; jobs; The reduction of JCT by A_online and A_online-E over SRTF and \
Tiresias-L grows with the number of jobs.
fig7-cloud; Fig. 7; jobs; A_online performs better than A_online-E.
fig7-cloud-grows; Fig. 7; jobs; The reduction of JCT by A_online over A_online-E grows with the \
number of jobs.
fig7-batches; Fig. 7; jobs; BatchSche schedules jobs to the cloud with a very high probability.
fig8-best; Fig. 8; servers; a-online outperforms all baselines, whatever the number of servers.
fig8-best-e; Fig. 8; servers; a-online-e outperforms all baselines, whatever the number of \
servers.
fig8-rise; Fig. 8; servers; The JCT rates of A_online and BatchSche rise with the number of \
servers.
fig8-fall; Fig. 8; servers; The JCT rates of A_online-E and Tiresias-L fall with the number of \
servers.
fig9-edge; Fig. 9; jobs; A_online preempts less than A_online-E, since it offloads to the cloud.
fig9-srtf; Fig. 9; jobs; A_online preempts more than SRTF.
fig9-low; Sec. I; jobs; The number of preemptions of A_online is relatively small.
fig10-edge; Fig. 10; servers; A_online preempts less than A_online-E, since it offloads to the \
cloud.
fig10-srtf; Fig. 10; servers; A_online preempts more than SRTF.
fig10-low; Sec. I; servers; The number of preemptions of A_online is relatively small.
fig11-full; Fig. 11; utilisation; The utilisation of A_online and A_online-E can reach 100 %.
fig11-under; Fig. 11; utilisation; SRTF and Tiresias-L under-utilise the edge.
fig11-similar; Fig. 11; utilisation; All schedulers have similar trends.
fig11-peaks; Fig. 11; utilisation; Utilisation rapidly increases at the two peaks of submission.
fig11-makespan-srtf; Fig. 11; utilisation; The makespan of A_online is 0.76 times that of srtf \
("0.76x smaller").
fig11-makespan-tiresias; Fig. 11; utilisation; The makespan of A_online is 0.74 times that of \
tiresias-l ("0.74x smaller").
fig11-smaller-srtf; Fig. 11; utilisation; The makespan of A_online is 76 % smaller than that of \
srtf ("0.76x smaller").
fig11-smaller-tiresias; Fig. 11; utilisation; The makespan of A_online is 74 % smaller than that \
of tiresias-l ("0.74x smaller").
"""
_TESTS: Mapping[str, Test] = {
    "fig3-converge": NotTestable("accuracy is measured on the testbed; nothing is trained here"),
    "fig4-best": _best("jobs"),
    "fig4-smaller": Above(
        "reduction of the JCT against the best baseline of the seed, most jobs: lower end of the "
        "95 % bootstrap interval in Fig. 7 minus upper end on the testbed",
        0.0,
        _beyond_testbed,
    ),
    "fig5-grows": Moves(
        f"slope of the preemptions of a-online, {', '.join(GANGS)} against jobs, of every seed",
        slopes_against(
            "jobs", _preemptions, ("a-online", *GANGS), "{means:.4g}, slope {slope} per 100"
        ),
    ),
    "fig5-low": _low("jobs"),
    "fig6-communication": NotTestable(
        "communication is measured on the testbed; the model has it inside Delta and p"
    ),
    "upto-srtf": _up_to(35, "srtf"),
    "upto-tiresias": _up_to(40, "tiresias-l"),
    "upto-batchsche": _up_to(50, "batchsche"),
    "upto-abstract": _up_to(30, *BASELINES),
    "fig7-best": _best("jobs"),
    "fig7-best-e": _best("jobs", "a-online-e"),
    "fig7-category-e": _best("jobs", "a-online-e", GANGS, more=_LATER),
    "fig7-grows": _grows([f"{own} against {gang}" for own in OWN for gang in GANGS], _reductions),
    "fig7-cloud": _best("jobs", others=("a-online-e",)),
    "fig7-cloud-grows": _grows(["a-online against a-online-e"], _own_reductions),
    "fig7-batches": Above(
        "mean share of jobs that BatchSche sends to the cloud",
        0.5,
        _shares_in_cloud,
        where="at every number of jobs",
    ),
    "fig8-best": _best("servers"),
    "fig8-best-e": _best("servers", "a-online-e"),
    "fig8-rise": _rate("rise", "a-online", "batchsche"),
    "fig8-fall": _rate("fall", "a-online-e", "tiresias-l"),
    **{
        f"{figure}-{name}": test
        for figure, varied in (("fig9", "jobs"), ("fig10", "servers"))
        for name, test in (
            ("edge", _best(varied, others=("a-online-e",), value="preemptions")),
            ("srtf", _best(varied, "srtf", ("a-online",), "preemptions")),
            ("low", _low(varied)),
        )
    },
    "fig11-full": Above(
        "largest share of edge workers that train in a slot",
        1.0,
        over_time.highest_shares,
        True,
        "in every run",
    ),
    "fig11-under": Moves(
        "mean utilisation of A_online and A_online-E while jobs arrive minus that of each",
        over_time.busy_shares,
    ),
    "fig11-similar": Above(
        "mean rank correlation of the utilisation with that of A_online while jobs arrive",
        0.5,
        over_time.rank_correlations,
        where="for every scheme",
    ),
    "fig11-peaks": Above(
        "rise from before to after the busiest spans of the two halves: lower end of the 95 % "
        "bootstrap interval",
        0.0,
        over_time.rises_at_peaks,
        where="for every scheme",
    ),
    "fig11-makespan-srtf": _makespan("srtf", 0.76),
    "fig11-makespan-tiresias": _makespan("tiresias-l", 0.74),
    "fig11-smaller-srtf": _makespan("srtf", 1 - 0.76, _LATER),
    "fig11-smaller-tiresias": _makespan("tiresias-l", 1 - 0.74, _LATER),
}
_IN_ONE = ("fig7-cloud", "fig7-cloud-grows", "fig9-edge", "fig10-edge", "fig11-full")
"""About the paper's own schemes alone."""

CLAIMS: tuple[Claim, ...] = (
    *THEORY,
    *(
        replace(claim, readings=READINGS) if claim.studies and claim.name not in _IN_ONE else claim
        for claim in said("jct", _SAID, _TESTS)
    ),
    *RATIOS,
)
"""In the order of the paper's sections."""
