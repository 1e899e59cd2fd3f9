"""The measure of Figures 12 and 13: A_online at three speeds over one certified optimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.study.cell import Cell, Effort, Outcome
from benchmarks.study.interval import ContradictedBound, ratio_interval, solved_intervals
from benchmarks.study.offline import offline_cell
from benchmarks.study.ratio import source_of
from benchmarks.study.run import label_of
from benchmarks.study.scheme import run_roots
from benchmarks.study.study import Trial, failed_rows
from online.jct.a_online import AOnline

__all__ = ["Speeds"]

_COLUMNS = (
    *("jobs", "servers", "slots", "seed", "load", "epsilon", "total_jct", "fractional"),
    *("offline_lower", "offline_upper", "offline_status", "paper_bound"),
    *("ratio_lower", "ratio_upper", "guarantee"),
    *("dual_violation", "other_violation", "alpha_over_beta", "posterior_bound"),
)


@dataclass(frozen=True)
class Speeds:
    """Total JCT of A_online at several speeds, over the optimum at the offline speed.

    A point holds the settings of the instance, and ``time_limit``: the seconds of its offline
    solve.
    """

    def cells(self, trial: Trial) -> list[Cell]:
        """The offline cell of the instance, and a cell of all speeds."""
        source, told = source_of(trial, trial.point), trial.entries[0].scheme.parameters
        return [
            offline_cell(source, Effort(trial.point["time_limit"]), starts=("a-online",)),
            Cell(
                "benchmarks.jct.measures:speeds",
                {"instance": source, "parameters": dict(told)},
                roots=run_roots("jct"),
                label=f"speeds on {label_of(source)}",
            ),
        ]

    def rows(self, trial: Trial, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
        """One row per speed, all against the same interval."""
        offline, runs = outcomes
        if offline.result is None or runs.result is None:
            return failed_rows(trial, outcomes)
        try:
            interval = solved_intervals("min", offline.result.value)[False]
        except ContradictedBound as error:
            return [{**trial.point, "seed": trial.seed, "error": f"offline: {error}"}]
        head = {
            "seed": trial.seed,
            "offline_lower": interval.lower,
            "offline_upper": interval.upper,
            "offline_status": interval.status,
            **{name: trial.point[name] for name in ("jobs", "servers", "slots")},
        }
        rows = []
        for record in runs.result.value:
            evidence = record["evidence"]
            lower, upper = ratio_interval("min", record["total_jct"], interval)
            guarantee = evidence and AOnline.promised(evidence)
            ratio = {"ratio_lower": lower, "ratio_upper": upper, "guarantee": guarantee}
            found = {**head, **record, **ratio}
            rows.append({name: found[name] for name in _COLUMNS})
        return rows
