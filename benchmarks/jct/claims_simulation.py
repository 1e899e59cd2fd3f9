"""Claims of Sec. V-C of the edge-cloud paper, its simulations, and of its abstract."""

from __future__ import annotations

from benchmarks.claim import Claim
from benchmarks.claim_trend import no_trend
from benchmarks.jct import claim_judges_ratio as ratio
from benchmarks.jct import claim_judges_sweeps as sweeps
from benchmarks.jct import claim_judges_utilisation as utilisation
from benchmarks.jct.claims_common import BETTER, SLOPE, in_readings
from benchmarks.jct.figures_common import BASELINES, OWN

__all__ = ["SIMULATION"]

_GANGS = ("srtf", "tiresias-l")
_FIGURES = {"7": "jobs", "8": "servers"}
_PREEMPTIONS = {"9": "jobs", "10": "servers"}
_RATIOS = {"12": "jobs", "13": "servers"}
_SECOND = "a second reading of the words, added after the first had been judged"


def _best(number: str, varied: str) -> list[Claim]:
    """Both of the paper's own schemes outperform the baselines."""
    claims = []
    for first, suffix in zip(OWN, ("best", "best-e"), strict=True):
        claims += in_readings(
            f"fig{number}-{suffix}",
            f"Fig. {number}",
            f"{first} outperforms all baselines, whatever the number of {varied}.",
            f"total JCT: better than {', '.join(BASELINES)} ({BETTER}) at every number of {varied}",
            lambda reading, first=first: sweeps.lowest(  # type: ignore[misc]
                f"jct-{number}", varied, reading, first
            ),
        )
    return claims


def _reductions() -> list[Claim]:
    """By how much the JCT falls, at most."""
    claims = []
    for name, others, percent, words in (
        ("srtf", ("srtf",), 35, "SRTF"),
        ("tiresias", ("tiresias-l",), 40, "Tiresias-L"),
        ("batchsche", ("batchsche",), 50, "BatchSche"),
        ("abstract", BASELINES, 30, "state-of-the-art baselines"),
    ):
        claims += in_readings(
            f"upto-{name}",
            "abstract" if name == "abstract" else "Sec. I",
            f"A_online reduces the average JCT by up to {percent} % compared with {words}.",
            f"largest mean reduction against {'the best of ' if len(others) > 1 else ''}"
            f"{', '.join(others)} over the points of Figures 7 and 8: {percent} % within 5 "
            "percentage points",
            lambda reading, others=others, percent=percent: sweeps.up_to(  # type: ignore[misc]
                reading, others, percent
            ),
        )
    return claims


def _preemptions(number: str, varied: str) -> list[Claim]:
    figure = f"jct-{number}"
    return [
        Claim(
            f"fig{number}-edge",
            f"Fig. {number}",
            "A_online preempts less than A_online-E, since it offloads to the cloud.",
            f"fewer preemptions ({BETTER}) at every number of {varied}",
            sweeps.fewer(figure, varied, "gpus", "a-online", "a-online-e"),
        ),
        *in_readings(
            f"fig{number}-srtf",
            f"Fig. {number}",
            "A_online preempts more than SRTF.",
            f"SRTF has fewer preemptions ({BETTER}) at every number of {varied}",
            lambda reading: sweeps.fewer(figure, varied, reading, "srtf", "a-online"),
        ),
        *in_readings(
            f"fig{number}-low",
            "Sec. I",
            "The number of preemptions of A_online is relatively small.",
            f"fewer than with the one of SRTF and Tiresias-L that has more ({BETTER}), at every "
            f"number of {varied}",
            lambda reading: sweeps.not_the_most(figure, varied, reading),
        ),
    ]


def _ratios(number: str, varied: str) -> list[Claim]:
    figure, source = f"jct-{number}", f"Fig. {number}"
    below = "The competitive ratio is below 1.7."
    return [
        Claim(
            f"fig{number}-below",
            source,
            below,
            "mean certified upper end of total JCT over the offline optimum < 1.7 at every point "
            "and epsilon",
            ratio.below(figure, varied, "certified"),
        ),
        Claim(
            f"fig{number}-below-bound",
            source,
            below,
            "mean of total JCT over the relaxation of ILP (4) < 1.7 at every point and epsilon "
            "(the paper sets all zeta = 1 in it, which lowers it by the transfers)",
            ratio.below(figure, varied, "bound"),
        ),
        Claim(
            f"fig{number}-below-ilp",
            source,
            below,
            "mean of the objective of ILP (4) over its relaxation < 1.7 at every point and epsilon",
            ratio.below(figure, varied, "fractional"),
        ),
        Claim(
            f"fig{number}-flat",
            source,
            f"The number of {varied} has little influence on the ratio.",
            f"mean rank correlation of ratio and {varied} for each epsilon: |rho| < 0.3 or "
            "p >= 0.05 (permutation)",
            no_trend(figure, x=varied, y="ratio_upper", group="epsilon"),
        ),
        Claim(
            f"fig{number}-faster",
            source,
            "The larger epsilon, the smaller the ratio.",
            f"ratio at each epsilon minus that at the next ({BETTER}), at every number of {varied}",
            ratio.falls_with_speed(figure, varied),
        ),
        Claim(
            f"fig{number}-near",
            source,
            "A_online is close to optimal when epsilon = 0.5.",
            "mean ratio at most 1.1 at every point",
            ratio.near_optimum(figure, varied),
        ),
    ]


SIMULATION: tuple[Claim, ...] = (
    *_reductions(),
    *_best("7", "jobs"),
    *in_readings(
        "fig7-category-e",
        "Fig. 7",
        "A_online-E outperforms the others in its category, that without the cloud.",
        f"total JCT: better than {', '.join(_GANGS)} ({BETTER}) at every number of jobs; {_SECOND}",
        lambda reading: sweeps.lowest("jct-7", "jobs", reading, "a-online-e", _GANGS),
    ),
    *in_readings(
        "fig7-grows",
        "Fig. 7",
        "The reduction of JCT by A_online and A_online-E over SRTF and Tiresias-L grows with the "
        "number of jobs.",
        f"reduction of all four against jobs, {SLOPE}",
        lambda reading: sweeps.reduction_grows("jct-7", reading, OWN, _GANGS),
    ),
    Claim(
        "fig7-cloud",
        "Fig. 7",
        "A_online performs better than A_online-E.",
        f"total JCT ({BETTER}) at every number of jobs",
        sweeps.lowest("jct-7", "jobs", "gpus", others=("a-online-e",)),
    ),
    Claim(
        "fig7-cloud-grows",
        "Fig. 7",
        "The reduction of JCT by A_online over A_online-E grows with the number of jobs.",
        f"reduction against jobs, {SLOPE}",
        sweeps.reduction_grows("jct-7", "gpus", ("a-online",), ("a-online-e",)),
    ),
    *in_readings(
        "fig7-batches",
        "Fig. 7",
        "BatchSche schedules jobs to the cloud with a very high probability.",
        "more than half of the jobs in the mean, at every number of jobs",
        sweeps.batches_go_to_the_cloud,
    ),
    *_best("8", "servers"),
    *in_readings(
        "fig8-rise",
        "Fig. 8",
        "The JCT rates of A_online and BatchSche rise with the number of servers.",
        f"JCT rate against servers, {SLOPE}",
        lambda reading: sweeps.rate_moves(reading, ("a-online", "batchsche"), 1.0),
    ),
    *in_readings(
        "fig8-fall",
        "Fig. 8",
        "The JCT rates of A_online-E and Tiresias-L fall with the number of servers.",
        f"JCT rate against servers, minus its {SLOPE}",
        lambda reading: sweeps.rate_moves(reading, ("a-online-e", "tiresias-l"), -1.0),
    ),
    *(claim for pair in _PREEMPTIONS.items() for claim in _preemptions(*pair)),
    Claim(
        "fig11-full",
        "Fig. 11",
        "The utilisation of A_online and A_online-E can reach 100 %.",
        "all edge workers train in some slot of every run",
        utilisation.reaches_full,
    ),
    *in_readings(
        "fig11-under",
        "Fig. 11",
        "SRTF and Tiresias-L under-utilise the edge.",
        "mean utilisation of A_online and A_online-E while jobs arrive minus that of each: 95 % "
        "bootstrap interval > 0",
        utilisation.fuller,
    ),
    *in_readings(
        "fig11-similar",
        "Fig. 11",
        "All schedulers have similar trends.",
        "mean rank correlation of the utilisation with that of A_online while jobs arrive > 0.5, "
        "for every scheme",
        utilisation.similar_trends,
    ),
    *in_readings(
        "fig11-peaks",
        "Fig. 11",
        "Utilisation rapidly increases at the two peaks of submission.",
        "rise from before to after the busiest spans of the two halves: 95 % bootstrap interval "
        "> 0, for every scheme",
        utilisation.rises_at_peaks,
    ),
    *(
        claim
        for other, times in (("srtf", 0.76), ("tiresias-l", 0.74))
        for claim in in_readings(
            f"fig11-makespan-{other.partition('-')[0]}",
            "Fig. 11",
            f'The makespan of A_online is {times} times that of {other} ("{times}x smaller").',
            f"mean ratio {times} within 0.05",
            lambda reading, other=other, times=times: utilisation.makespan(  # type: ignore[misc]
                other, times, reading
            ),
        )
    ),
    *(
        claim
        for other, percent in (("srtf", 76), ("tiresias-l", 74))
        for claim in in_readings(
            f"fig11-smaller-{other.partition('-')[0]}",
            "Fig. 11",
            f"The makespan of A_online is {percent} % smaller than that of {other} "
            f'("0.{percent}x smaller").',
            f"mean ratio {1 - percent / 100:.2f} within 0.05; {_SECOND}",
            lambda reading, other=other, percent=percent: utilisation.makespan(  # type: ignore[misc]
                other, 1 - percent / 100, reading
            ),
        )
    ),
    *(claim for pair in _RATIOS.items() for claim in _ratios(*pair)),
    Claim(
        "fig12-theory",
        "Figures 12, 13",
        "The ratio is much better than the theoretical bound.",
        "certified upper end less than half of D_max (1 + 1/epsilon) in all runs with epsilon > 0",
        ratio.far_below_guarantee,
    ),
)
"""In the order of the paper."""
