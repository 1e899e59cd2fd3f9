"""The ratio of OASiS as a certified interval, and what Theorem 4 and its proof say of the run.

A point has ``jobs``, ``slots``, ``servers`` (of either side), ``priority`` (the top of the range)
and ``time_limit`` (of the offline solve, in seconds; no part of what is measured).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from benchmarks.study.instances import Source
from benchmarks.study.ratio import Ratio, source_of
from benchmarks.study.rows import Row
from benchmarks.study.study import Trial
from benchmarks.utility.measures import point_of

__all__ = ["CERTIFIED_RATIO"]


def _source(trial: Trial, settings: Mapping[str, Any]) -> Source:
    servers, priority = 2 * [settings["servers"]], [1.0, settings["priority"]]
    return source_of(trial, {**settings, "servers": servers, "priority": priority})


def _record(trial: Trial, row: Row, evidence: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **point_of({**trial.point, "seed": trial.seed}),
        "priority": trial.point["priority"],
        "utility": row.objective,
        "offline_lower": row.offline_lower,
        "offline_upper": row.offline_upper,
        "offline_status": row.offline_status,
        "ratio_lower": row.ratio_lower,
        "ratio_upper": row.ratio_upper,
        "log_u_over_l": evidence["alpha"],
        "initial_dual": evidence["initial_dual"],
        "first_admitted": evidence["first_admitted"],
        "guarantee_applies": row.guarantee_applies,
        "guarantee_fails": re.sub(r" \([^)]*\)", "", row.guarantee_fails),
    }


CERTIFIED_RATIO = Ratio(starts=("oasis",), source=_source, record=_record)
