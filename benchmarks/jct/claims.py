"""The checkable claims of the edge-cloud paper.

Every test was written down before its claim was measured at the default size. *Better* means
throughout: the 95 % bootstrap interval of the mean paired difference over seeds lies above 0.

The paper does not say how many workers a job asks SRTF, Tiresias-L and BatchSche for, beyond "the
number of GPUs" of its trace, and that number decides. So what is said of them is judged in four
readings (:data:`benchmarks.jct.readings.READINGS`): as many as GPUs in the trace, and under names
with ``-uniform``, ``-chunks`` and ``-edge``, the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd

from benchmarks.jct import over_time
from benchmarks.jct.readings import BASELINES, GANGS, OWN, READINGS
from benchmarks.jct.tables import rates
from benchmarks.jct.theory import RATIOS, THEORY
from benchmarks.study.claim import Claim, Test
from benchmarks.study.frames import Table, slopes_against, wide
from benchmarks.study.statistics import interval_of
from benchmarks.study.tests import Above, Best, Moves, Near, NotTestable

__all__ = ["CLAIMS"]

_LATER = "; a second reading of the words, added after the first had been judged"

# By name or by its first word.
_SOURCE = dict.fromkeys(("upto", "fig9-low", "fig10-low"), "Sec. I") | {"upto-abstract": "abstract"}
_STUDY = {
    **{"fig4": ("testbed",), "fig4-smaller": ("testbed", "jobs"), "fig5": ("testbed",)},
    **{"upto": ("jobs", "servers"), "fig7": ("jobs",), "fig8": ("servers",)},
    **{"fig9": ("jobs",), "fig10": ("servers",), "fig11": ("utilisation",)},
}
_OWN_ALONE = ("fig7-cloud", "fig7-cloud-grows", "fig9-edge", "fig10-edge", "fig11-full")

Rows = dict[str, tuple[str, Test]]
"""By name: what the paper says, and the test."""


def _claim(name: str, text: str, test: Test) -> Claim:
    """A claim in every reading, unless it is about the paper's own schemes or not testable."""
    head = name.partition("-")[0]
    source = _SOURCE.get(name, _SOURCE.get(head, f"Fig. {head.removeprefix('fig')}"))
    studies = _STUDY.get(name, _STUDY.get(head, ()))
    readings = READINGS if studies and name not in _OWN_ALONE else ()
    return Claim(name, source, text, test, tuple(f"jct-{study}" for study in studies), readings)


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


def _outperforms(figure: int, varied: str) -> Rows:
    text = f"{{}} outperforms all baselines, whatever the number of {varied}."
    return {
        f"fig{figure}-{name}": (text.format(first), _best(varied, first))
        for first, name in zip(OWN, ("best", "best-e"), strict=True)
    }


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


def _up_to(name: str, others: Sequence[str], percent: int, words: str) -> Rows:
    text = f"A_online reduces the average JCT by up to {percent} % compared with {words}."
    what = f"{'the best of ' if len(others) > 1 else ''}{', '.join(others)}"
    what = f"largest mean reduction against {what} over the points of Figures 7 and 8"
    return {f"upto-{name}": (text, Near(what, percent, 5.0, partial(_largest, others), "%"))}


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


def _rate(name: str, who: str, policies: Sequence[str], sign: float) -> Rows:
    text = f"The JCT rates of {who} {name} with the number of servers."
    what = f"{'minus the ' if sign < 0 else ''}slope of the JCT rate against servers, of every seed"
    words = f"{{means:.3g}}, {name} {{slope}} per 100"
    slopes = slopes_against(
        "servers", lambda frame, at: wide(rates(frame, at), "jct_rate", at), policies, words, sign
    )
    return {f"fig8-{name}": (text, Moves(what, slopes))}


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
    return Best(
        "fewer preemptions with a-online",
        "a-online",
        "preemptions",
        (varied,),
        "min",
        f"at every number of {varied}",
        partial(_busier_gang, varied),
        "the one of SRTF and Tiresias-L that has more",
    )


def _preempts(figure: int, varied: str) -> Rows:
    text = "The number of preemptions of A_online is relatively small."
    return {
        f"fig{figure}-edge": (
            "A_online preempts less than A_online-E, since it offloads to the cloud.",
            _best(varied, others=("a-online-e",), value="preemptions"),
        ),
        f"fig{figure}-srtf": (
            "A_online preempts more than SRTF.",
            _best(varied, "srtf", ("a-online",), "preemptions"),
        ),
        f"fig{figure}-low": (text, _low(varied)),
    }


def _makespan(name: str, other: str, percent: int) -> Rows:
    """A reading of "0.76x smaller"."""
    share = percent / 100
    says, target, more = {
        "makespan": (f"{share} times", share, ""),
        "smaller": (f"{percent} % smaller than", 1 - share, _LATER),
    }[name]
    what = f"mean ratio of makespans, A_online to {other}{more}"
    text = f'The makespan of A_online is {says} that of {other} ("{share}x smaller").'
    test = Near(what, target, 0.05, partial(over_time.makespans, other))
    return {f"fig11-{name}-{other.partition('-')[0]}": (text, test)}


_ROWS: Rows = {
    # Sec. V-B
    "fig3-converge": (
        "All models that A_online schedules converge.",
        NotTestable("accuracy is measured on the testbed; nothing is trained here"),
    ),
    "fig4-best": ("A_online outperforms the other schedulers on the testbed.", _best("jobs")),
    "fig4-smaller": (
        "The improvement is not noticeable on the testbed, since it is small; it is in the larger "
        "simulations.",
        Above(
            "reduction of the JCT against the best baseline of the seed, most jobs: lower end of "
            "the 95 % bootstrap interval in Fig. 7 minus upper end on the testbed",
            0.0,
            _beyond_testbed,
        ),
    ),
    "fig5-grows": (
        "Preemption gets more frequent with the number of jobs, in all three algorithms.",
        Moves(
            f"slope of the preemptions of a-online, {', '.join(GANGS)} against jobs, of every seed",
            slopes_against(
                "jobs", _preemptions, ("a-online", *GANGS), "{means:.4g}, slope {slope} per 100"
            ),
        ),
    ),
    "fig5-low": ("The number of preemptions of A_online remains relatively low.", _low("jobs")),
    "fig6-communication": (
        "The communication time of A_online is smaller than that of the baselines.",
        NotTestable(
            "communication is measured on the testbed; the model has it inside Delta and p"
        ),
    ),
    # Sec. V-C, and the abstract
    **_up_to("srtf", ("srtf",), 35, "SRTF"),
    **_up_to("tiresias", ("tiresias-l",), 40, "Tiresias-L"),
    **_up_to("batchsche", ("batchsche",), 50, "BatchSche"),
    **_up_to("abstract", BASELINES, 30, "state-of-the-art baselines"),
    **_outperforms(7, "jobs"),
    "fig7-category-e": (
        "A_online-E outperforms the others in its category, that without the cloud.",
        _best("jobs", "a-online-e", GANGS, more=_LATER),
    ),
    "fig7-grows": (
        "The reduction of JCT by A_online and A_online-E over SRTF and Tiresias-L grows with "
        "the number of jobs.",
        _grows([f"{own} against {gang}" for own in OWN for gang in GANGS], _reductions),
    ),
    "fig7-cloud": (
        "A_online performs better than A_online-E.",
        _best("jobs", others=("a-online-e",)),
    ),
    "fig7-cloud-grows": (
        "The reduction of JCT by A_online over A_online-E grows with the number of jobs.",
        _grows(["a-online against a-online-e"], _own_reductions),
    ),
    "fig7-batches": (
        "BatchSche schedules jobs to the cloud with a very high probability.",
        Above(
            "mean share of jobs that BatchSche sends to the cloud",
            0.5,
            _shares_in_cloud,
            where="at every number of jobs",
        ),
    ),
    **_outperforms(8, "servers"),
    **_rate("rise", "A_online and BatchSche", ("a-online", "batchsche"), 1.0),
    **_rate("fall", "A_online-E and Tiresias-L", ("a-online-e", "tiresias-l"), -1.0),
    **_preempts(9, "jobs"),
    **_preempts(10, "servers"),
    "fig11-full": (
        "The utilisation of A_online and A_online-E can reach 100 %.",
        Above(
            "largest share of edge workers that train in a slot",
            1.0,
            over_time.highest_shares,
            True,
            "in every run",
        ),
    ),
    "fig11-under": (
        "SRTF and Tiresias-L under-utilise the edge.",
        Moves(
            "mean utilisation of A_online and A_online-E while jobs arrive minus that of each",
            over_time.busy_shares,
        ),
    ),
    "fig11-similar": (
        "All schedulers have similar trends.",
        Above(
            "mean rank correlation of the utilisation with that of A_online while jobs arrive",
            0.5,
            over_time.rank_correlations,
            where="for every scheme",
        ),
    ),
    "fig11-peaks": (
        "Utilisation rapidly increases at the two peaks of submission.",
        Above(
            "rise from before to after the busiest spans of the two halves: lower end of the 95 % "
            "bootstrap interval",
            0.0,
            over_time.rises_at_peaks,
            where="for every scheme",
        ),
    ),
    **_makespan("makespan", "srtf", 76),
    **_makespan("makespan", "tiresias-l", 74),
    **_makespan("smaller", "srtf", 76),
    **_makespan("smaller", "tiresias-l", 74),
}

CLAIMS: tuple[Claim, ...] = (
    *THEORY,
    *(_claim(name, *row) for name, row in _ROWS.items()),
    *RATIOS,
)
"""In the order of the paper's sections."""
