"""Claims of Sections 4.2 and 4.3 of the OGASched paper: Figures 3, 5, 6, 7 and Table 2."""

from __future__ import annotations

from benchmarks.claim import Claim, untestable
from benchmarks.reward import claim_judges_sweeps as sweeps
from benchmarks.reward import claim_judges_theory as theory
from benchmarks.reward.claim_judges_common import FIRST, moves
from benchmarks.reward.claims_common import EVERY_STEP, REGISTERED, best, in_both_readings

__all__ = ["SETTINGS"]

SETTINGS: tuple[Claim, ...] = (
    *best(
        "fig3a-best",
        "Fig. 3(a)",
        "OGASched leads whatever the number of instances.",
        "reward-3",
        "servers",
        "accumulated",
    ),
    Claim(
        "fig3a-rises",
        "Fig. 3(a)",
        "All rewards grow with the number of instances.",
        f"accumulated reward of each of {FIRST}, {REGISTERED}, {EVERY_STEP} > 0",
        moves("reward-3", "servers", "reward"),
    ),
    *in_both_readings(
        "fig3a-lead",
        "Fig. 3(a)",
        "The superiority of OGASched first increases with |R|, then decreases.",
        "ratio to the best baseline of the seed largest at an inner |R|, and better there than at "
        "both ends",
        sweeps.lead_peaks_inside,
    ),
    *best(
        "fig3b-best",
        "Fig. 3(b)",
        "OGASched leads whatever the number of job types.",
        "reward-3",
        "ports",
        "accumulated",
    ),
    Claim(
        "fig3b-weaker",
        "Fig. 3(b)",
        "|L| has a weaker impact on the performance of OGASched than |R|.",
        "size of the slope of log reward against log |R| minus that against log |L| (at the same "
        "density): 95 % bootstrap interval > 0",
        sweeps.ports_matter_less,
    ),
    Claim(
        "sec42-R",
        "Sec. 4.2",
        "The regret grows linearly with |R|.",
        "exponent of the regret of ogasched-constant over |R| in [0.8, 1.2] for all arrivals that "
        "have a power law",
        theory.linear_in_servers,
    ),
    *best(
        "fig3c-best",
        "Fig. 3(c)",
        "OGASched performs best at every contention level.",
        "reward-3",
        "contention",
        "accumulated",
    ),
    *in_both_readings(
        "fig3c-rise",
        "Fig. 3(c)",
        "From contention 0.1 to 1 all rewards increase.",
        f"accumulated reward of {FIRST} and of each baseline, {EVERY_STEP} > 0",
        lambda baselines: moves(
            "reward-3", "contention", "reward", most=1.0, policies=(FIRST, *baselines)
        ),
    ),
    *in_both_readings(
        "fig3c-fall",
        "Fig. 3(c)",
        "Beyond contention 1 the rewards fall.",
        f"accumulated reward of {FIRST} and of each baseline at the most contention minus that at "
        "1: 95 % bootstrap interval < 0",
        lambda baselines: moves(
            "reward-3",
            "contention",
            "reward",
            least=1.0,
            ends=True,
            sign=-1.0,
            policies=(FIRST, *baselines),
        ),
    ),
    *in_both_readings(
        "fig3c-lead",
        "Fig. 3(c)",
        "Beyond contention 1 the superiority of OGASched is reduced.",
        "ratio to the best baseline of the seed at contention 1 minus that at the most: 95 % "
        "bootstrap interval > 0",
        sweeps.lead_changes,
    ),
    Claim(
        "fig6-slowly",
        "Fig. 6",
        "The penalty of OGASched increases with contention, slowly.",
        "slope of log penalty against log contention: 95 % bootstrap interval within (0, 0.5)",
        sweeps.penalty_grows_slowly,
    ),
    Claim(
        "fig7-linear",
        "Fig. 7",
        "Rewards with poly, log and reciprocal utilities are significantly less than with linear.",
        f"accumulated reward of each of {FIRST}, {REGISTERED} with linear utilities minus twice "
        "that with each other kind: 95 % bootstrap interval > 0",
        sweeps.linear_far_above,
    ),
    *best(
        "fig7-best",
        "Fig. 7",
        "OGASched is the best with all kinds of utilities, even with all reciprocal.",
        "reward-7",
        "utilities",
        "accumulated",
    ),
    *(
        claim
        for column, text in (
            ("slots", "whatever the horizon"),
            ("probability", "whatever the arrival probability"),
            ("density", "whatever the graph density"),
        )
        for claim in best(
            f"tab2-{column}",
            "Table 2",
            f"OGASched always performs the best, {text}.",
            "reward-table-2",
            column,
            "average",
        )
    ),
    Claim(
        "tab2-longer",
        "Table 2",
        "The average reward of OGASched has a positive correlation with T.",
        "average reward at the longest horizon minus that at the shortest: 95 % bootstrap interval "
        "> 0",
        moves("reward-table-2", "slots", "average", ends=True, policies=("ogasched",)),
    ),
    Claim(
        "tab2-arrivals",
        "Table 2",
        "A higher arrival probability increases the rewards, up to 0.7.",
        f"average reward of each of {FIRST}, {REGISTERED}, {EVERY_STEP} > 0",
        moves("reward-table-2", "probability", "average", most=0.7),
    ),
    Claim(
        "tab2-crowded",
        "Table 2",
        "From rho = 0.7 to 0.9 the reward of OGASched falls.",
        "average reward at 0.9 minus that at 0.7: 95 % bootstrap interval < 0",
        moves(
            "reward-table-2",
            "probability",
            "average",
            least=0.7,
            sign=-1.0,
            policies=("ogasched",),
        ),
    ),
    Claim(
        "tab2-denser",
        "Table 2",
        "A denser graph increases the rewards.",
        f"average reward of each of {FIRST}, {REGISTERED}, {EVERY_STEP} > 0",
        moves("reward-table-2", "density", "average"),
    ),
    Claim(
        "tab2-values",
        "Table 2",
        "The average reward of a slot is 1,246 to 3,127.",
        "none",
        untestable("capacities and requests, with their units, are not given"),
    ),
    *best(
        "fig5-best",
        "Fig. 5",
        "The superiority of OGASched is preserved in large-scale scenarios.",
        "reward-5",
        "slot",
        "average",
    ),
    Claim(
        "fig5-hours",
        "Fig. 5",
        "OGASched takes 15 hours for T = 10000 at a large scale.",
        "at least 15 hours",
        theory.running_time(1024, 100, 10000, 15.0),
    ),
)
