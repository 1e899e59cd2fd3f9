"""Studies of ``jct``: schemes, and the points of the edge-cloud paper's figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.jct.readings import BASELINES, OWN, READINGS
from benchmarks.jct.speeds import Speeds
from benchmarks.study.grid import Point, grids_by_size
from benchmarks.study.scheme import Scheme
from benchmarks.study.study import Each, Measure, Study

__all__ = ["SCHEMES", "STUDIES"]

SCHEMES = (*OWN, *BASELINES)

_ALL = tuple(Scheme(name, name, ignores=("requested",) if name in OWN else ()) for name in SCHEMES)
_FOUR = tuple(scheme for scheme in _ALL if scheme.name != "a-online-e")

# What follows has one base of the points, and the values of what varies, for each of the sizes
# quick, default and paper.

# Figures 4 and 5. The paper has eight machines and up to 30 jobs; the steps between, and the slots
# of the arrivals, are ours.
_TESTBED = ({"scale": "testbed", "servers": 8, "slots": 1000},) * 3
_TESTBED_JOBS = ((6, 12), (10, 15, 20, 25, 30), (5, 10, 15, 20, 25, 30))

# Figures 7 to 11. The text gives 300 jobs and 100 servers, the axes and the slots of the arrivals
# are ours: with them the work that comes goes from 0.6 of what the edge can do to 3 times that
# (Fig. 7), and from 15 times to 3 (Fig. 8).
_LARGE = (
    {"jobs": 20, "servers": 4, "slots": 100},
    {"jobs": 150, "servers": 50, "slots": 1000},
    {"jobs": 300, "servers": 100, "slots": 1000},
)
_PEAKS = ({"jobs": 6, "servers": 4, "slots": 20}, *_LARGE[1:])
_JOBS = ((10, 20), (30, 60, 90, 120, 150), (60, 120, 180, 240, 300))
_SERVERS = ((2, 4), (10, 20, 30, 40, 50), (20, 40, 60, 80, 100))

# Figures 12 and 13. The paper has 5 to 25 jobs and 5 to 45 servers; what the other one is
# meanwhile, and the seconds for the optimum, are ours.
_TINY = {"jobs": 3, "servers": 2, "slots": 10, "chunks": [1, 3], "epochs": [1, 3]}
_SMALL = {"jobs": 15, "servers": 25, "slots": 50}
_SOLVED = (
    {**_TINY, "time_limit": 60.0},
    {**_SMALL, "time_limit": 20.0},
    {**_SMALL, "time_limit": 60.0},
)
_FEW_JOBS = ((3, 4), *[(5, 10, 15, 20, 25)] * 2)
_FEW_SERVERS = ((1, 2), *[(5, 15, 25, 35, 45)] * 2)


def _study(
    name: str,
    measure: Measure,
    bases: Sequence[Point],
    axis: str,
    values: Sequence[Sequence[Any]],
    schemes: Sequence[Scheme] = _ALL,
    most_seeds: int = 10,
) -> Study:
    readings = READINGS if len(schemes) > 1 else ()
    grids = grids_by_size(bases, (axis, values))
    return Study.by_size("jct", name, measure, grids, (2, 5, most_seeds), schemes, readings)


_RUNS, _OVER_TIME = (Each(f"benchmarks.jct.measures:{name}") for name in ("run", "utilisation"))

STUDIES: tuple[Study, ...] = (
    _study("testbed", _RUNS, _TESTBED, "jobs", _TESTBED_JOBS, _FOUR, most_seeds=50),
    _study("jobs", _RUNS, _LARGE, "jobs", _JOBS),
    _study("servers", _RUNS, _LARGE, "servers", _SERVERS),
    _study("utilisation", _OVER_TIME, _PEAKS, "arrivals", (("peaks",),) * 3),
    _study("speeds-jobs", Speeds(), _SOLVED, "jobs", _FEW_JOBS, _ALL[:1]),
    _study("speeds-servers", Speeds(), _SOLVED, "servers", _FEW_SERVERS, _ALL[:1]),
)
"""Of the figures that can be computed: 3 and 6 are measured on the paper's testbed."""
