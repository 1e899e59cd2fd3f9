"""Claims of Sec. V-B of the edge-cloud paper: its testbed."""

from __future__ import annotations

from benchmarks.claim import Claim, untestable
from benchmarks.jct import claim_judges_sweeps as sweeps
from benchmarks.jct.claims_common import BETTER, SLOPE, in_readings
from benchmarks.jct.figures_common import BASELINES

__all__ = ["TESTBED"]

_GANGS = ("srtf", "tiresias-l")

TESTBED: tuple[Claim, ...] = (
    Claim(
        "fig3-converge",
        "Fig. 3",
        "All models that A_online schedules converge.",
        "none",
        untestable("accuracy is measured on the testbed; nothing is trained here"),
    ),
    *in_readings(
        "fig4-best",
        "Fig. 4",
        "A_online outperforms the other schedulers on the testbed.",
        f"total JCT: better than {', '.join(BASELINES)} ({BETTER}) at every number of jobs",
        lambda reading: sweeps.lowest("jct-4", "jobs", reading),
    ),
    *in_readings(
        "fig4-smaller",
        "Fig. 4",
        "The improvement is not noticeable on the testbed, since it is small; it is in the larger "
        "simulations.",
        "reduction of the JCT against the best baseline of the seed, most jobs: 95 % bootstrap "
        "interval on the testbed below that of Fig. 7",
        sweeps.smaller_on_testbed,
    ),
    *in_readings(
        "fig5-grows",
        "Fig. 5",
        "Preemption gets more frequent with the number of jobs, in all three algorithms.",
        f"preemptions of a-online, {', '.join(_GANGS)} against jobs, {SLOPE}",
        lambda reading: sweeps.grows_with("jct-5", "jobs", reading, ("a-online", *_GANGS)),
    ),
    *in_readings(
        "fig5-low",
        "Fig. 5",
        "The number of preemptions of A_online remains relatively low.",
        f"fewer than with the one of SRTF and Tiresias-L that has more ({BETTER}), at every number "
        "of jobs",
        lambda reading: sweeps.not_the_most("jct-5", "jobs", reading),
    ),
    Claim(
        "fig6-communication",
        "Fig. 6",
        "The communication time of A_online is smaller than that of the baselines.",
        "none",
        untestable("communication is measured on the testbed; the model has it inside Delta and p"),
    ),
)
"""In the order of the paper."""
