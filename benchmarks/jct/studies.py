"""Studies of ``jct``: schemes, readings, and the points of the edge-cloud paper's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.jct.speeds import Speeds
from benchmarks.study.grid import Grid, Point
from benchmarks.study.scheme import Reading, Scheme
from benchmarks.study.study import SIZES, Each, Measure, Study

__all__ = ["BASELINES", "GANGS", "OWN", "READINGS", "SCHEMES", "STUDIES"]

OWN = ("a-online", "a-online-e")
"""The paper's own schemes. They choose how many workers a job has."""

BASELINES = ("srtf", "tiresias-l", "batchsche")
"""What they are compared with. A job asks these for a number of workers."""

GANGS = ("srtf", "tiresias-l")
"""The gang schedulers among them, which have no batches."""

SCHEMES = (*OWN, *BASELINES)

_ALL = tuple(Scheme(name, name, ignores=("requested",) if name in OWN else ()) for name in SCHEMES)
_STAY = {name: {"use_cloud": False} for name in GANGS}
_OPEN = 'Sec. V-A: "computed according to the number of GPUs" of the trace, and no more'

READINGS = tuple(
    Reading(name, f"a job asks for {words}", {"requested": requested}, parameters, _OPEN)
    for name, words, requested, parameters in (
        ("gpus", "as many workers as GPUs in a trace, most often 1", "gpus", {}),
        ("uniform", "1 to D workers", "uniform", {}),
        ("chunks", "D workers", "chunks", {}),
        ("edge", "D workers or all of the edge, gangs stay there", "chunks", _STAY),
    )
)
"""How many workers a job asks the baselines for; the first takes the paper literally. In the last,
SRTF and Tiresias-L send no job to the cloud, and give it all workers of its type where it asks for
more."""


# What follows has one base of the points for each of the sizes quick, default and paper.

# Figures 4 and 5. The paper has eight machines and up to 30 jobs; the steps between, and the slots
# of the arrivals, are ours.
_TESTBED = ({"scale": "testbed", "jobs": 30, "servers": 8, "slots": 1000},) * 3

# Figures 7 to 11. The text gives 300 jobs and 100 servers, the axes and the slots of the arrivals
# are ours: with them the work that comes goes from 0.6 of what the edge can do to 3 times that
# (Fig. 7), and from 15 times to 3 (Fig. 8).
_LARGE = (
    {"jobs": 20, "servers": 4, "slots": 100},
    {"jobs": 150, "servers": 50, "slots": 1000},
    {"jobs": 300, "servers": 100, "slots": 1000},
)
_PEAKS = ({"jobs": 6, "servers": 4, "slots": 20}, *_LARGE[1:])

# Figures 12 and 13. The paper has 5 to 25 jobs and 5 to 45 servers; what the other one is
# meanwhile, and the seconds for the optimum, are ours.
_TINY = {"jobs": 3, "servers": 2, "slots": 10, "chunks": [1, 3], "epochs": [1, 3]}
_SMALL = {"jobs": 15, "servers": 25, "slots": 50}
_SOLVED = (
    {**_TINY, "time_limit": 60.0},
    {**_SMALL, "time_limit": 20.0},
    {**_SMALL, "time_limit": 60.0},
)

# The setting that varies around the base, and its values at each size.
_VARIED: Mapping[str, tuple[str, Sequence[Sequence[Any]]]] = {
    "testbed": ("jobs", ((6, 12), (10, 15, 20, 25, 30), (5, 10, 15, 20, 25, 30))),
    "jobs": ("jobs", ((10, 20), (30, 60, 90, 120, 150), (60, 120, 180, 240, 300))),
    "servers": ("servers", ((2, 4), (10, 20, 30, 40, 50), (20, 40, 60, 80, 100))),
    "utilisation": ("arrivals", (("peaks",),) * 3),
    "speeds-jobs": ("jobs", ((3, 4), (5, 10, 15, 20, 25), (5, 10, 15, 20, 25))),
    "speeds-servers": ("servers", ((1, 2), (5, 15, 25, 35, 45), (5, 15, 25, 35, 45))),
}


def _study(
    name: str,
    measure: Measure,
    bases: Sequence[Point],
    schemes: tuple[Scheme, ...] = _ALL,
    most_seeds: int = 10,
) -> Study:
    axis, values = _VARIED[name]
    grids: dict[str, Grid] = {
        size: Grid.star(base, **{axis: steps})
        for size, base, steps in zip(SIZES, bases, values, strict=True)
    }
    seeds = {"quick": 2, "default": 5, "paper": most_seeds}
    return Study(f"jct-{name}", "jct", measure, grids, seeds, schemes, READINGS if schemes else ())


_RUNS = Each("benchmarks.jct.measures:run")
_FOUR = tuple(scheme for scheme in _ALL if scheme.name != "a-online-e")

STUDIES: tuple[Study, ...] = (
    _study("testbed", _RUNS, _TESTBED, _FOUR, most_seeds=50),
    _study("jobs", _RUNS, _LARGE),
    _study("servers", _RUNS, _LARGE),
    _study("utilisation", Each("benchmarks.jct.measures:utilisation"), _PEAKS),
    _study("speeds-jobs", Speeds(), _SOLVED, schemes=()),
    _study("speeds-servers", Speeds(), _SOLVED, schemes=()),
)
"""Of the figures that can be computed: 3 and 6 are measured on the paper's testbed."""
