"""The studies of ``utility``: figures of the OASiS paper and three of our own, theorems, times.

The text of the paper leaves open the numbers of jobs in Figure 3, and of servers and the ranges of
priorities in Figure 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.study.cell import Needs
from benchmarks.study.grid import Grid
from benchmarks.study.scheme import Scheme
from benchmarks.study.study import SIZES, Each, Measure, Study
from benchmarks.utility.certified import CERTIFIED_RATIO
from online.utility import ONLINE

__all__ = ["POLICIES", "STUDIES"]

POLICIES = ("oasis", "fifo", "drf", "rrh", "dorm")
"""The five schemes of Figures 3, 4, 8 and 9, the paper's own first."""

_SCHEMES = tuple(Scheme(name, name) for name in POLICIES)
_ROOTS = tuple(ONLINE.policies[name].partition(":")[0] for name in POLICIES)
# On the testbed the scheme is an axis of the grid: all seeds of a scheme stand together.
_TESTBED = Grid.cross(scheme=[{"name": name, "policy": name} for name in POLICIES])

_MIX = [0.0, 0.5, 0.5]  # as many time-sensitive as time-critical jobs
# Symmetric on a logarithmic axis: for every overestimate the underestimate by as much.
_SCALES = [0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0, 100.0]
_PASTS = [1, 3, 10, 30, 100]
_SHARES = [0.0, 0.05, 0.1, 0.2, 0.5, 1.0]
_RRH = [0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0]
_RANGES = (10.0, 100.0, 1000.0)


def _thresholds(step: int) -> Mapping[str, Sequence[float]]:
    shares = _SHARES[::step]
    return {"rrh threshold": _RRH[::step], "dorm theta1": shares, "dorm theta2": shares}


def _jobs(slots: int, servers: int, *jobs: int, **more: Any) -> Grid:
    """Numbers of jobs on one cluster, H = K; what more there is, is the same at every point."""
    same = {name: (value,) for name, value in more.items()}
    return Grid.cross(jobs=jobs, slots=(slots,), servers=(servers,), **same)


def _ratio(time_limit: float, **axes: Sequence[Any]) -> Grid:
    return Grid.cross(**axes, time_limit=(time_limit,))


def _each(function: str, **more: Any) -> Each:
    return Each(f"benchmarks.utility.{function}", **more)


def _timed(function: str) -> Each:
    return _each(f"measures_theory:{function}", needs=Needs(alone=True), kept=False)


def _study(
    name: str, measure: Measure, seeds: Sequence[int], *grids: Grid, schemes: Sequence[Scheme] = ()
) -> Study:
    """Seeds and grids by size; one grid for all sizes if there is one."""
    three = grids * 3 if len(grids) == 1 else grids
    points: dict[str, Grid] = dict(zip(SIZES, three, strict=True))
    counts: dict[str, int] = dict(zip(SIZES, seeds, strict=True))
    return Study(f"utility-{name}", "utility", measure, points, counts, tuple(schemes))


STUDIES: tuple[Study, ...] = (
    _study(
        "3",
        _each("measures:utility"),
        (3, 5, 5),
        _jobs(12, 3, 4, 8, 12),
        _jobs(100, 20, 20, 40, 60, 80),
        _jobs(300, 50, 100, 200, 300, 400, 500),
        schemes=_SCHEMES,
    ),
    _study(
        "4",
        _each("measures:lateness"),
        (3, 5, 5),
        _jobs(15, 4, 12, mix=_MIX),
        _jobs(100, 20, 80, mix=_MIX),
        _jobs(100, 50, 200, mix=_MIX),
        schemes=_SCHEMES,
    ),
    _study(
        "5",
        CERTIFIED_RATIO,
        (2, 3, 20),
        _ratio(20.0, jobs=(5,), slots=(6,), servers=(2, 4), priority=(10.0, 1000.0)),
        _ratio(20.0, jobs=(10,), slots=(10,), servers=(5, 10, 20), priority=_RANGES),
        _ratio(300.0, jobs=(10,), slots=(10,), servers=(5, 10, 15, 20), priority=_RANGES),
        schemes=_SCHEMES[:1],
    ),
    _study(
        "6",
        _each("measures:estimates"),
        (3, 5, 20),
        _jobs(20, 4, 20, scales=_SCALES),
        _jobs(300, 50, 100, 300, 500, scales=_SCALES),
        _jobs(300, 50, 100, 300, 500, scales=_SCALES),
    ),
    # The paper runs one experiment of 12 jobs; a simulation can be repeated.
    _study("8", _each("measures:utility", roots=_ROOTS), (3, 20, 100), _TESTBED),
    _study("9", _each("measures:lateness", roots=_ROOTS), (3, 20, 100), _TESTBED),
    _study(
        "5-large",
        CERTIFIED_RATIO,
        (1, 1, 5),
        _ratio(20.0, slots=(5, 7), jobs=(5, 7), servers=(3,), priority=(100.0,)),
        _ratio(120.0, slots=(100, 300), jobs=(100, 200), servers=(50,), priority=(100.0,)),
        _ratio(600.0, slots=(100, 300), jobs=(100, 200), servers=(50,), priority=(100.0,)),
        schemes=_SCHEMES[:1],
    ),
    _study(
        "thresholds",
        _each("measures:thresholds", roots=_ROOTS),
        (2, 3, 5),
        _jobs(10, 3, 8, values=_thresholds(3)),
        _jobs(100, 20, 40, values=_thresholds(1)),
        _jobs(300, 50, 300, values=_thresholds(1)),
    ),
    _study(
        "history",
        _each("measures:history"),
        (3, 5, 20),
        _jobs(20, 4, 20, pasts=_PASTS),
        _jobs(100, 20, 80, pasts=_PASTS),
        _jobs(300, 50, 300, pasts=_PASTS),
    ),
    _study("theorem-1", _each("measures_theory:theorem_1"), (1, 1, 1), Grid()),
    _study("theorem-4", _each("measures_theory:theorem_4"), (1, 1, 1), Grid()),
    _study("decision-time", _timed("decision_time"), (1, 1, 1), _jobs(100, 80, 100)),
    _study(
        "optimum-time",
        _timed("optimum_time"),
        (3, 3, 3),
        *(_jobs(10, 10, 10, time_limit=seconds) for seconds in (10.0, 120.0, 120.0)),
    ),
)
"""In the order of the paper; then our own; then theorems and times."""
