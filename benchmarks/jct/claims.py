"""The checkable claims of the edge-cloud paper.

Every test was written down before its claim was measured at the default size. *Better* means
throughout: the 95 % bootstrap interval of the mean paired difference over seeds lies above 0.

The paper does not say how many workers a job asks SRTF, Tiresias-L and BatchSche for, beyond "the
number of GPUs" of its trace, and that number decides. So what is said of them is judged in four
readings (:data:`benchmarks.jct.studies.READINGS`): as many as GPUs in the trace, and under names
with ``-uniform``, ``-chunks`` and ``-edge``, the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.jct import comparisons as compare
from benchmarks.jct.comparisons import GANGS
from benchmarks.jct.studies import BASELINES, OWN, READINGS
from benchmarks.jct.theory import RATIOS, THEORY
from benchmarks.study.claim import Claim, Test
from benchmarks.study.frames import Table, slopes_against
from benchmarks.study.tests import Above, Best, Moves, Near, NotTestable, Rows, in_readings

__all__ = ["CLAIMS"]

_SECOND = "a second reading of the words, added after the first had been judged"
_FIGURES = {"testbed": (4, 5), "jobs": (7, 9), "servers": (8, 10), "utilisation": (11,)}


def _once(name: str, text: str, test: Test, *studies: str, source: str = "") -> Claim:
    """A claim about the paper's own schemes, or one that cannot be tested."""
    figure = int(name.removeprefix("fig").partition("-")[0])
    names = studies or [study for study, figures in _FIGURES.items() if figure in figures]
    told = tuple(f"jct-{study}" for study in names)
    return Claim(name, source or f"Fig. {figure}", text, test, told)


def _read(name: str, text: str, test: Test, *studies: str, source: str = "") -> list[Claim]:
    """A claim about the baselines, judged in every reading."""
    return in_readings(_once(name, text, test, *studies, source=source), READINGS)


def _best(
    varied: str,
    first: str = "a-online",
    others: Sequence[str] = BASELINES,
    value: str = "total_jct",
    more: str = "",
    rows: Rows | None = None,
) -> Best:
    """A scheme has the lowest value of some, at every value of a setting."""
    what = {"total_jct": "total JCT of", "preemptions": "fewer preemptions with"}[value]
    where, rows = f"at every number of {varied}{more}", rows or compare.only(first, *others)
    return Best(f"{what} {first}", first, value, (varied,), "min", where, rows, ", ".join(others))


def _not_the_most(varied: str) -> Best:
    """A_online preempts less than the gang scheduler that preempts most."""
    others = ("the one of SRTF and Tiresias-L that has more",)
    return _best(varied, "a-online", others, "preemptions", rows=compare.busier_gang(varied))


TESTBED: tuple[Claim, ...] = (
    _once(
        "fig3-converge",
        "All models that A_online schedules converge.",
        NotTestable("accuracy is measured on the testbed; nothing is trained here"),
    ),
    *_read("fig4-best", "A_online outperforms the other schedulers on the testbed.", _best("jobs")),
    *_read(
        "fig4-smaller",
        "The improvement is not noticeable on the testbed, since it is small; it is in the larger "
        "simulations.",
        Above(
            "reduction of the JCT against the best baseline of the seed, most jobs: lower end of "
            "the 95 % bootstrap interval in Fig. 7 minus upper end on the testbed",
            0.0,
            compare.reduction_beyond_testbed,
        ),
        "testbed",
        "jobs",
    ),
    *_read(
        "fig5-grows",
        "Preemption gets more frequent with the number of jobs, in all three algorithms.",
        Moves(
            f"slope of the preemptions of a-online, {', '.join(GANGS)} against jobs, of every seed",
            slopes_against(
                "jobs",
                compare.preemptions,
                ("a-online", *GANGS),
                "{means:.4g}, slope {slope} per 100",
            ),
        ),
    ),
    *_read(
        "fig5-low",
        "The number of preemptions of A_online remains relatively low.",
        _not_the_most("jobs"),
    ),
    _once(
        "fig6-communication",
        "The communication time of A_online is smaller than that of the baselines.",
        NotTestable(
            "communication is measured on the testbed; the model has it inside Delta and p"
        ),
    ),
)
"""Sec. V-B."""


def _reductions(
    name: str, others: Sequence[str], percent: int, words: str, source: str = "Sec. I"
) -> list[Claim]:
    """By how much the JCT falls, at most."""
    best = "the best of " if len(others) > 1 else ""
    what = (
        f"largest mean reduction against {best}{', '.join(others)} over the points of Figures 7 "
        "and 8"
    )
    text = f"A_online reduces the average JCT by up to {percent} % compared with {words}."
    test = Near(what, percent, 5.0, compare.largest_reduction(*others), "%")
    claim = Claim(f"upto-{name}", source, text, test, ("jct-jobs", "jct-servers"))
    return in_readings(claim, READINGS)


def _grows(name: str, text: str, pairs: Sequence[str], table: Table = compare.reductions) -> Claim:
    what = f"slope of the reduction of JCT of {', '.join(pairs)} against jobs, of every seed"
    words = "{means:.1f} %, slope {slope} points per 100"
    test = Moves(what, slopes_against("jobs", table, pairs, words))
    return _once(name, text, test)


def _rate(name: str, who: str, policies: Sequence[str], sign: float) -> list[Claim]:
    text = f"The JCT rates of {who} {name} with the number of servers."
    what = f"{'minus the ' if sign < 0 else ''}slope of the JCT rate against servers, of every seed"
    words = f"{{means:.3g}}, {name} {{slope}} per 100"
    differences = slopes_against("servers", compare.jct_rates, policies, words, sign)
    return _read(f"fig8-{name}", text, Moves(what, differences))


def _outperforms(figure: int, varied: str) -> list[Claim]:
    text = "{} outperforms all baselines, whatever the number of {}."
    return [
        claim
        for first, name in zip(OWN, ("best", "best-e"), strict=True)
        for claim in _read(f"fig{figure}-{name}", text.format(first, varied), _best(varied, first))
    ]


def _preempts(figure: int, varied: str) -> list[Claim]:
    return [
        _once(
            f"fig{figure}-edge",
            "A_online preempts less than A_online-E, since it offloads to the cloud.",
            _best(varied, "a-online", ("a-online-e",), "preemptions"),
        ),
        *_read(
            f"fig{figure}-srtf",
            "A_online preempts more than SRTF.",
            _best(varied, "srtf", ("a-online",), "preemptions"),
        ),
        *_read(
            f"fig{figure}-low",
            "The number of preemptions of A_online is relatively small.",
            _not_the_most(varied),
            source="Sec. I",
        ),
    ]


def _makespans() -> list[Claim]:
    """Two readings of "0.76x smaller"."""
    claims = []
    text = "The makespan of A_online is {} that of {} ({})."
    for name, says, more in (
        ("makespan", "{share} times", ""),
        ("smaller", "{percent} % smaller than", f"; {_SECOND}"),
    ):
        for other, percent in (("srtf", 76), ("tiresias-l", 74)):
            share = percent / 100
            target = share if name == "makespan" else 1 - share
            claims += _read(
                f"fig11-{name}-{other.partition('-')[0]}",
                text.format(
                    says.format(share=share, percent=percent), other, f'"{share}x smaller"'
                ),
                Near(
                    f"mean ratio of makespans, A_online to {other}{more}",
                    target,
                    0.05,
                    compare.makespans(other),
                ),
            )
    return claims


SIMULATION: tuple[Claim, ...] = (
    *_reductions("srtf", ("srtf",), 35, "SRTF"),
    *_reductions("tiresias", ("tiresias-l",), 40, "Tiresias-L"),
    *_reductions("batchsche", ("batchsche",), 50, "BatchSche"),
    *_reductions("abstract", BASELINES, 30, "state-of-the-art baselines", "abstract"),
    *_outperforms(7, "jobs"),
    *_read(
        "fig7-category-e",
        "A_online-E outperforms the others in its category, that without the cloud.",
        _best("jobs", "a-online-e", GANGS, more=f"; {_SECOND}"),
    ),
    *in_readings(
        _grows(
            "fig7-grows",
            "The reduction of JCT by A_online and A_online-E over SRTF and Tiresias-L grows with "
            "the number of jobs.",
            [f"{own} against {gang}" for own in OWN for gang in GANGS],
        ),
        READINGS,
    ),
    _once(
        "fig7-cloud",
        "A_online performs better than A_online-E.",
        _best("jobs", "a-online", ("a-online-e",)),
    ),
    _grows(
        "fig7-cloud-grows",
        "The reduction of JCT by A_online over A_online-E grows with the number of jobs.",
        ["a-online against a-online-e"],
        compare.own_reductions,
    ),
    *_read(
        "fig7-batches",
        "BatchSche schedules jobs to the cloud with a very high probability.",
        Above(
            "mean share of jobs that BatchSche sends to the cloud",
            0.5,
            compare.shares_in_cloud,
            where="at every number of jobs",
        ),
    ),
    *_outperforms(8, "servers"),
    *_rate("rise", "A_online and BatchSche", ("a-online", "batchsche"), 1.0),
    *_rate("fall", "A_online-E and Tiresias-L", ("a-online-e", "tiresias-l"), -1.0),
    *_preempts(9, "jobs"),
    *_preempts(10, "servers"),
    _once(
        "fig11-full",
        "The utilisation of A_online and A_online-E can reach 100 %.",
        Above(
            "largest share of edge workers that train in a slot",
            1.0,
            compare.highest_shares,
            True,
            "in every run",
        ),
    ),
    *_read(
        "fig11-under",
        "SRTF and Tiresias-L under-utilise the edge.",
        Moves(
            "mean utilisation of A_online and A_online-E while jobs arrive minus that of each",
            compare.busy_shares,
        ),
    ),
    *_read(
        "fig11-similar",
        "All schedulers have similar trends.",
        Above(
            "mean rank correlation of the utilisation with that of A_online while jobs arrive",
            0.5,
            compare.rank_correlations,
            where="for every scheme",
        ),
    ),
    *_read(
        "fig11-peaks",
        "Utilisation rapidly increases at the two peaks of submission.",
        Above(
            "rise from before to after the busiest spans of the two halves: lower end of the 95 % "
            "bootstrap interval",
            0.0,
            compare.rises_at_peaks,
            where="for every scheme",
        ),
    ),
    *_makespans(),
)
"""Sec. V-C, and the abstract."""

CLAIMS: tuple[Claim, ...] = (*THEORY, *TESTBED, *SIMULATION, *RATIOS)
"""In the order of the paper's sections."""
