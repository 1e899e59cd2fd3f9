"""The studies of ``utility``: figures of the OASiS paper and three of our own, theorems, times.

The text of the paper leaves open the numbers of jobs in Figure 3, and of servers and the ranges of
priorities in Figure 5. Claims are judged on Figures 3 to 5 with the work as drawn, an overload; the
pictures have ``3-loads`` to ``5-loads`` beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from benchmarks.study.cell import Needs, Outcome
from benchmarks.study.grid import Grid
from benchmarks.study.instances import Source
from benchmarks.study.ratio import Ratio, source_of
from benchmarks.study.rows import Row
from benchmarks.study.scheme import Scheme
from benchmarks.study.study import Each, Measure, Study, Trial
from online.utility import ONLINE

__all__ = ["POLICIES", "STUDIES"]

POLICIES = ("oasis", "fifo", "drf", "rrh", "dorm")
"""The five schemes of Figures 3, 4, 8 and 9, the paper's own first."""

_SCHEMES = tuple(Scheme(name, name) for name in POLICIES)
_OASIS = _SCHEMES[:1]
_ROOTS = tuple(ONLINE.policies[name].partition(":")[0] for name in POLICIES)

_MIX = [0.0, 0.5, 0.5]  # as many time-sensitive as time-critical jobs
# Symmetric on a logarithmic axis: for every overestimate the underestimate by as much.
_SCALES = [0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0, 100.0]
_PASTS = [1, 3, 10, 30, 100]
_THRESHOLDS = {
    "rrh threshold": [0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0],
    **{f"dorm theta{number}": [0.0, 0.05, 0.1, 0.2, 0.5, 1.0] for number in (1, 2)},
}
_RANGES = (10.0, 100.0, 1000.0)
_LOADS = (0.5, 1.0, 2.0)
_COLUMNS = """
jobs slots servers seed load priority utility offline_lower offline_upper offline_status ratio_lower
ratio_upper log_u_over_l initial_dual first_admitted guarantee_applies guarantee_fails
""".split()


def _source(trial: Trial, settings: Mapping[str, Any]) -> Source:
    servers, priority = 2 * [settings["servers"]], [1.0, settings["priority"]]
    return source_of(trial, {**settings, "servers": servers, "priority": priority})


def _record(trial: Trial, row: Row, evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The ratio, and what Theorem 4 and its proof say of the run."""
    found = {**asdict(row), **evidence, **trial.point, "load": row.load}
    found |= {"utility": row.objective, "log_u_over_l": evidence.get("alpha")}
    found["guarantee_fails"] = re.sub(r" \([^)]*\)", "", row.guarantee_fails)
    return {name: found.get(name) for name in _COLUMNS}  # estimates of U and L promise nothing


def _with_load(trial: Trial, *of: Any) -> dict[str, Any]:
    return {**_record(trial, *of), "asked_load": trial.point.get("load")}


# A point has one number of servers, for either side, and the top of the range of priorities.
_CERTIFIED_RATIO = Ratio(starts=("oasis",), source=_source, record=_record)


def _grid(**settings: Any) -> Grid:
    """A tuple has the values of an axis; anything else is the same at every point."""
    axes = {name: v if isinstance(v, tuple) else (v,) for name, v in settings.items()}
    return Grid.cross(**axes)


def _each(function: str, **more: Any) -> Each:
    return Each(f"benchmarks.utility.{function}", **more)


_timed = partial(_each, needs=Needs(alone=True), kept=False)


class _AtLoads(Each):
    """Its rows also say the load that their point asks for."""

    def rows(self, trial: Trial, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
        found = super().rows(trial, outcomes)
        return [{**row, "asked_load": trial.point["load"]} for row in found]


def _study(
    name: str, measure: Measure, seeds: Sequence[int], *grids: Grid, schemes: Sequence[Scheme] = ()
) -> Study:
    """Seeds and grids by size; the last grid is that of larger sizes, too."""
    three = (*grids, *grids[-1:] * 2)[:3]
    return Study.by_size("utility", name, measure, three, seeds, schemes)


def _at_loads(name: str, measure: str, seeds: Sequence[int], *grids: Grid) -> Iterator[Study]:
    """The schemes on the work as drawn, and scaled to loads."""
    yield _study(name, Each(measure), seeds, *grids, schemes=_SCHEMES)
    loads = (_LOADS[1], _LOADS, _LOADS)
    scaled = [_grid(load=some) * grid for some, grid in zip(loads, grids, strict=True)]
    yield _study(f"{name}-loads", _AtLoads(measure), seeds, *scaled, schemes=_SCHEMES)


def _many_servers(time_limit: float) -> Grid:
    """Figure 5 with more servers, as drawn, and at each load that ten jobs can make there."""
    same = {"jobs": 10, "slots": 10, "time_limit": time_limit}
    scaled = _grid(**same, priority=100.0, load=_LOADS, servers=(5, 10, 20, 50))
    most = _grid(**same, priority=100.0, load=_LOADS[:2], servers=100)  # 1.1 to 1.6 at most
    return _grid(**same, priority=_RANGES, servers=(50, 100)) + scaled + most


STUDIES: tuple[Study, ...] = (
    *_at_loads(
        "3",
        "benchmarks.utility.measures:utility",
        (3, 5, 5),
        _grid(jobs=(4, 8, 12), slots=12, servers=3),
        _grid(jobs=(20, 40, 60, 80), slots=100, servers=20),
        _grid(jobs=(100, 200, 300, 400, 500), slots=300, servers=50),
    ),
    *_at_loads(
        "4",
        "benchmarks.utility.measures:lateness",
        (3, 5, 5),
        _grid(jobs=12, slots=15, servers=4, mix=_MIX),
        _grid(jobs=80, slots=100, servers=20, mix=_MIX),
        _grid(jobs=200, slots=100, servers=50, mix=_MIX),
    ),
    _study(
        "5",
        _CERTIFIED_RATIO,
        (2, 3, 20),
        _grid(jobs=5, slots=6, servers=(2, 4), priority=(10.0, 1000.0), time_limit=20.0),
        _grid(jobs=10, slots=10, servers=(5, 10, 20), priority=_RANGES, time_limit=20.0),
        _grid(jobs=10, slots=10, servers=(5, 10, 15, 20), priority=_RANGES, time_limit=300.0),
        schemes=_OASIS,
    ),
    _study(
        "5-loads",
        replace(_CERTIFIED_RATIO, record=_with_load),
        (2, 3, 20),
        _grid(jobs=5, slots=6, servers=2, priority=10.0, load=1.0, time_limit=20.0),
        *(_many_servers(time_limit) for time_limit in (20.0, 300.0)),
        schemes=_OASIS,
    ),
    _study(
        "6",
        _each("measures:estimates"),
        (3, 5, 20),
        _grid(jobs=20, slots=20, servers=4, scales=_SCALES),
        _grid(jobs=(100, 300, 500), slots=300, servers=50, scales=_SCALES),
        schemes=_OASIS,
    ),
    # The paper runs one experiment of 12 jobs; a simulation can be repeated.
    _study("8", _each("measures:utility"), (3, 20, 100), Grid(), schemes=_SCHEMES),
    _study("9", _each("measures:lateness"), (3, 20, 100), Grid(), schemes=_SCHEMES),
    _study(
        "5-large",
        _CERTIFIED_RATIO,
        (1, 1, 5),
        _grid(slots=(5, 7), jobs=(5, 7), servers=3, priority=100.0, time_limit=20.0),
        _grid(slots=(100, 300), jobs=(100, 200), servers=50, priority=100.0, time_limit=120.0),
        _grid(slots=(100, 300), jobs=(100, 200), servers=50, priority=100.0, time_limit=600.0),
        schemes=_OASIS,
    ),
    _study(
        "thresholds",
        _each("measures:thresholds", roots=_ROOTS),
        (2, 3, 5),
        _grid(jobs=8, slots=10, servers=3, values={k: v[::3] for k, v in _THRESHOLDS.items()}),
        _grid(jobs=40, slots=100, servers=20, values=_THRESHOLDS),
        _grid(jobs=300, slots=300, servers=50, values=_THRESHOLDS),
    ),
    _study(
        "history",
        _each("measures:history"),
        (3, 5, 20),
        _grid(jobs=20, slots=20, servers=4, pasts=_PASTS),
        _grid(jobs=80, slots=100, servers=20, pasts=_PASTS),
        _grid(jobs=300, slots=300, servers=50, pasts=_PASTS),
    ),
    _study("theorem-1", _each("measures_theory:theorem_1"), (1, 1, 1), Grid()),
    _study("theorem-4", _each("measures_theory:theorem_4"), (1, 1, 1), Grid()),
    _study(
        "decision-time",
        _timed("measures_theory:decision_time"),
        (1, 1, 1),
        _grid(jobs=100, slots=100, servers=80),
    ),
    _study(
        "optimum-time",
        _timed("measures_theory:optimum_time"),
        (3, 3, 3),
        *(_grid(jobs=10, slots=10, servers=10, time_limit=limit) for limit in (10.0, 120.0)),
    ),
)
"""In the order of the paper; then our own; then theorems and times."""
