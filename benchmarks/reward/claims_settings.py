"""Claims of Sections 4.2 and 4.3: Figures 3, 5, 6 and 7 and Table 2, one setting at a time.

Tests are made as in :mod:`benchmarks.reward.claims_performance`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd

from benchmarks.reward.claims_theory import LINEAR_IN_SERVERS
from benchmarks.reward.statements import FIRST, Differences, Says, changes, takes_hours
from benchmarks.reward.studies import BASELINES, SETTINGS
from benchmarks.study.claim import Claim, Finding, judged
from benchmarks.study.frames import along, by_seed, exponents, listed
from benchmarks.study.statistics import bootstrap_interval, interval_of
from benchmarks.study.tests import Holds, Moves

__all__ = ["SWEEPS"]

_SLOW = 0.5  # "slowly": no more than with the square root


def _leads(frame: pd.DataFrame, column: str, baselines: Sequence[str]) -> pd.DataFrame:
    """OGASched over the best baseline, by seed and setting; NaN where that earns nothing."""
    part = along(frame, SETTINGS, (column,))
    wide = part.pivot(index=[column, "seed"], columns="policy", values="reward")
    top = wide[list(baselines)].max(axis=1)
    return (wide[FIRST] / top.where(top > 0)).unstack(column)


def _lead_peaks_inside(baselines: Sequence[str]) -> Holds:
    """The ratio to the best baseline is largest at an inner number of servers."""

    @partial(
        Holds,
        "ratio to the best baseline of the seed largest at an inner |R|, and better there than at "
        f"both ends; baselines {', '.join(baselines)}",
    )
    def test(frame: pd.DataFrame) -> Finding:
        leads = _leads(frame, "servers", baselines)
        top, ends = leads.mean().idxmax(), leads.columns[[0, -1]]
        measured = f"ratio to the best baseline: {listed(leads.mean())}"
        if top in ends:
            return Finding("not reproduced", measured, f"largest at an end, {top:g}")
        shown = [bootstrap_interval(leads[top] - leads[end])[0] > 0 for end in ends]
        return judged(all(shown), measured)

    return test


def _lead_falls(baselines: Sequence[str]) -> Moves:
    """The ratio to the best baseline is smaller at the most contention than at 1."""

    @partial(
        Moves,
        "ratio to the best baseline of the seed at contention 1 minus that at the most; baselines "
        f"{', '.join(baselines)}",
    )
    def test(frame: pd.DataFrame) -> Differences:
        leads = _leads(frame, "contention", baselines)
        most = leads.columns[-1]
        fall = leads[1.0] - leads[most]
        return {"": fall}, (
            f"ratio to the best baseline by contention: {listed(leads.mean())}; at 1 minus at "
            f"{most:g}: {interval_of(fall)[2]}"
        )

    return test


@partial(
    Moves,
    "size of the slope of log reward against log |R| minus that against log |L| (at the same "
    "density)",
)
def _ports_matter_less(frame: pd.DataFrame) -> Differences:
    own = frame[frame["policy"] == FIRST]
    ports, servers = (
        exponents(by_seed(along(own, SETTINGS, (column,)), "reward", column))
        for column in ("ports", "servers")
    )
    more = servers.abs() - ports.abs()
    return {"": more}, (
        f"exponent in |L| {ports.mean():.3f}, in |R| {servers.mean():.3f}; difference of the "
        f"sizes {interval_of(more)[2]}"
    )


@partial(Moves, f"slope of log penalty against log contention, and {_SLOW:g} minus it", named=False)
def _penalty_grows_slowly(frame: pd.DataFrame) -> Differences:
    own = frame[frame["policy"] == FIRST]
    wide = {name: by_seed(own, name, "contention") for name in ("gain", "penalty")}
    slope = exponents(wide["penalty"])
    means = "; ".join(f"{name} {listed(table.mean())}" for name, table in wide.items())
    text = f"{means}; exponent of the penalty {interval_of(slope)[2]}"
    return {"slope": slope, "room": _SLOW - slope}, text


@partial(
    Moves,
    f"accumulated reward of each of {FIRST}, {', '.join(BASELINES)} with linear utilities minus "
    "twice that with each other kind",
)
def _linear_far_above(frame: pd.DataFrame) -> Differences:
    found: dict[str, pd.Series] = {}
    pieces = []
    for policy in (FIRST, *BASELINES):
        wide = by_seed(frame[frame["policy"] == policy], "reward", "utilities")
        for kind in wide.columns.drop("linear"):
            found[f"{policy} ({kind})"] = wide["linear"] - 2 * wide[kind]
        means = ", ".join(f"{kind} {mean:.4g}" for kind, mean in wide.mean().items())
        pieces.append(f"{policy}: {means}")
    return found, "; ".join(pieces)


SWEEPS: tuple[Claim, ...] = (
    *Says(
        "fig3a-best", "Fig. 3(a)", "OGASched leads whatever the number of instances."
    ).of_the_best("3", "servers"),
    Says("fig3a-rises", "Fig. 3(a)", "All rewards grow with the number of instances.").judged(
        "3", changes("servers")
    ),
    *Says(
        "fig3a-lead",
        "Fig. 3(a)",
        "The superiority of OGASched first increases with |R|, then decreases.",
    ).in_both_readings("3", _lead_peaks_inside),
    *Says(
        "fig3b-best", "Fig. 3(b)", "OGASched leads whatever the number of job types."
    ).of_the_best("3", "ports"),
    Says(
        "fig3b-weaker",
        "Fig. 3(b)",
        "|L| has a weaker impact on the performance of OGASched than |R|.",
    ).judged("3", _ports_matter_less),
    Says("sec42-R", "Sec. 4.2", "The regret grows linearly with |R|.").judged(
        "regret", LINEAR_IN_SERVERS
    ),
    *Says(
        "fig3c-best", "Fig. 3(c)", "OGASched performs best at every contention level."
    ).of_the_best("3", "contention"),
    *Says(
        "fig3c-rise", "Fig. 3(c)", "From contention 0.1 to 1 all rewards increase."
    ).in_both_readings("3", lambda names: changes("contention", policies=(FIRST, *names), most=1)),
    *Says("fig3c-fall", "Fig. 3(c)", "Beyond contention 1 the rewards fall.").in_both_readings(
        "3",
        lambda names: changes(
            "contention", policies=(FIRST, *names), least=1, ends=True, falls=True
        ),
    ),
    *Says(
        "fig3c-lead", "Fig. 3(c)", "Beyond contention 1 the superiority of OGASched is reduced."
    ).in_both_readings("3", _lead_falls),
    Says(
        "fig6-slowly", "Fig. 6", "The penalty of OGASched increases with contention, slowly."
    ).judged("6", _penalty_grows_slowly),
    Says(
        "fig7-linear",
        "Fig. 7",
        "Rewards with poly, log and reciprocal utilities are significantly less than with linear.",
    ).judged("7", _linear_far_above),
    *Says(
        "fig7-best",
        "Fig. 7",
        "OGASched is the best with all kinds of utilities, even with all reciprocal.",
    ).of_the_best("7", "utilities"),
    *Says(
        "tab2-slots", "Table 2", "OGASched always performs the best, whatever the horizon."
    ).of_the_best("table-2", "slots", "average"),
    *Says(
        "tab2-probability",
        "Table 2",
        "OGASched always performs the best, whatever the arrival probability.",
    ).of_the_best("table-2", "probability", "average"),
    *Says(
        "tab2-density", "Table 2", "OGASched always performs the best, whatever the graph density."
    ).of_the_best("table-2", "density", "average"),
    Says(
        "tab2-longer",
        "Table 2",
        "The average reward of OGASched has a positive correlation with T.",
    ).judged("table-2", changes("slots", "average", (FIRST,), ends=True)),
    Says(
        "tab2-arrivals", "Table 2", "A higher arrival probability increases the rewards, up to 0.7."
    ).judged("table-2", changes("probability", "average", most=0.7)),
    Says("tab2-crowded", "Table 2", "From rho = 0.7 to 0.9 the reward of OGASched falls.").judged(
        "table-2", changes("probability", "average", (FIRST,), least=0.7, falls=True)
    ),
    Says("tab2-denser", "Table 2", "A denser graph increases the rewards.").judged(
        "table-2", changes("density", "average")
    ),
    Says("tab2-values", "Table 2", "The average reward of a slot is 1,246 to 3,127.").not_testable(
        "capacities and requests, with their units, are not given"
    ),
    *Says(
        "fig5-best", "Fig. 5", "The superiority of OGASched is preserved in large-scale scenarios."
    ).of_the_best("5", "slot", "average"),
    Says("fig5-hours", "Fig. 5", "OGASched takes 15 hours for T = 10000 at a large scale.").judged(
        "times", takes_hours(100, 10000, 15.0)
    ),
)
"""Sections 4.2 and 4.3."""
