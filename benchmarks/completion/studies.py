"""The studies of ``completion``: schemes, readings, and the points of the paper's Figures 2 to 12.

The text gives T, the servers and the ranges (Sec. 7); the numbers of jobs, the axes of all figures,
the deadline of Figures 8, 11 and 12, and the values of F are ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from benchmarks.study.cell import Needs
from benchmarks.study.grid import Grid, Point
from benchmarks.study.ratio import Ratio
from benchmarks.study.rows import Row
from benchmarks.study.scheme import Reading, Scheme
from benchmarks.study.study import SIZES, Each, Study, Trial

__all__ = ["ANY_TYPE", "BASELINES", "LOADS", "OWN", "READINGS", "SCHEMES", "STUDIES", "TYPES"]

OWN = "a-online"
BASELINES = ("fifo", "drf", "antman", "tiresias")
SCHEMES = (OWN, *BASELINES)
"""The five schemes of Figures 2, 3, 5 and 6."""

_ALL = tuple(Scheme(name, name) for name in SCHEMES)
_FIXED, _DELAY = (dict.fromkeys(BASELINES[1:], how) for how in ({"fixed": True}, {"delay": 1}))
_PAPER, _BLOCKS = {"preset": "paper"}, "Alg. 1 and 2 run blocks of tau_i slots one after the other"
_WHY = {
    "paper": 'Sec. 7: capacities are "approximately [0.2, 0.5]" of the summed ideal demand',
    "moderate": 'Sec. 1: "especially in systems with resource shortage"',
    "fixed": "(2) knows only constant placements; the paper does not say that baselines keep to it",
    "delay": 'Sec. 7.1: durations are "lengthened due to frequent preemption", not by how much',
    "blocks": _BLOCKS,
    "literal": f"{_BLOCKS}, from alpha tau_i on",
}
_WORDS: Sequence[tuple[str, str, dict[str, Any]]] = (
    ("paper", "capacity as drawn", {}),
    ("moderate", "load 0.9 to 1.1", {}),
    ("fixed", "baselines with constant placement", _FIXED),
    ("delay", "a slot lost by who is stopped, moved or re-sized", _DELAY),
    ("blocks", "A_online in blocks as planned", {OWN: {"compact": False}}),
    ("literal", "A_online with one alpha, from alpha tau on", {OWN: {"literal": True}}),
)
READINGS = tuple(
    Reading(name, words, {"preset": "moderate"} if name == "moderate" else _PAPER, how, _WHY[name])
    for name, words, how in _WORDS
)
"""What the paper leaves open, or says in passing. The first takes it by its word; in the others one
thing is different. A_online is compacted but for the last two."""

LOADS = READINGS[:2]
"""Those that concern A_online alone."""

ANY_TYPE, TYPES = "any", ("p3.4xlarge", "p2.2xlarge", "p3.2xlarge", "p2.xlarge")
"""Figure 9: every job has the type that is best for it, or all jobs one of the four."""

# What follows has one base of the points for each of the sizes quick, default and paper. T is 150,
# and 300 in Figure 2.
_SMALL: dict[str, Any] = {"worker_types": 3, "ps_types": 3, "chunks": [1, 6], "max_duration": 8}
_BASES: tuple[Point, ...] = (
    {"jobs": 8, "servers": 4, "slots": 16, **_SMALL},
    {"jobs": 30, "servers": 15, "slots": 80},
    {"jobs": 100, "servers": 150, "slots": 150},
)
_JOBS = ((6, 10), (10, 20, 30, 40, 50), (60, 80, 100, 120, 140))
_SERVERS = ((2, 6), (5, 10, 15, 20, 25), (50, 100, 150, 200, 250))
_DEADLINES = (8, 16, 32)  # tau of a late round: by then half of the weight or more can be done
_FACTORS = [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]
_MOST_WORKERS = ((1, 2, 6), (1, 2, 5, 10, 20, 50), (1, 2, 5, 10, 20, 30, 40, 50))
_SEEDS = (2, 5, 10)


# The paper's ranges, and 100 times the summed ideal demand with weights that exceed what jobs hold.
_TINY = {"jobs": 4, "servers": 4, "slots": 8, **_SMALL, "preset": "paper", "time_limit": 5.0}
_AMPLE = {**_TINY, "capacity": [100.0, 200.0], "weight": [1e4, 2e4]}
_PROVABLE = Grid((_TINY, _AMPLE)) * Grid.cross(architecture=["ps", "allreduce"])


def _study(
    name: str,
    function: str,
    grids: Sequence[Grid],
    schemes: tuple[Scheme, ...] = (),
    readings: tuple[Reading, ...] = (),
    **more: Any,
) -> Study:
    return Study(
        f"completion-{name}",
        "completion",
        Each(f"benchmarks.completion.{function}", **more),
        dict(zip(SIZES, grids, strict=True)),
        dict(zip(SIZES, _SEEDS, strict=True)),
        schemes,
        readings,
    )


def _record(trial: Trial, row: Row, evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The ratio and what is promised, and what Theorem 5 supposes of the run."""
    told = asdict(row)
    names = ("seed", "load", "policy", "offline_status", "ratio_lower", "ratio_upper")
    found = {name: told[name] for name in (*names, "guarantee", "guarantee_applies")}
    found["guarantee_fails"] = re.sub(r" \([^)]*\)", "", row.guarantee_fails)
    ample = "weight" in trial.point
    return {"architecture": trial.point["architecture"], "ample": ample, **found, **evidence}


def _grids(*axes: tuple[str, Sequence[Sequence[Any]]], **same: Any) -> list[Grid]:
    """Of each size: its base with the same settings everywhere, crossed with the axes."""
    found = []
    for place, base in enumerate(_BASES):
        fixed = {name: v[place] if isinstance(v, tuple) else v for name, v in same.items()}
        values = {name: steps[place] for name, steps in axes}
        found.append(Grid(({**base, **fixed},)) * Grid.cross(**values))
    return found


_RUN = "measures:run"


def _five(varied: str, values: Sequence[Sequence[int]], architecture: str, **same: Any) -> Study:
    """All schemes, in all readings."""
    grids = _grids((varied, values), architecture=architecture, **same)
    return _study(f"{varied}-{architecture}", _RUN, grids, _ALL, READINGS)


_ALONE = _ALL[:1]
_BOTH = ("architecture", (["ps", "allreduce"],) * 3)
_MOVES = ("moves", (["prices", "weights"],) * 3)
_TYPE = ("only_type", ([None, *range(len(TYPES))],) * 3)
_BATCH = {"deadline": _DEADLINES, "preset": "paper"}

STUDIES: tuple[Study, ...] = (
    _five("jobs", _JOBS, "ps", slots=(16, 80, 300)),
    _five("servers", _SERVERS, "ps"),
    _study("bounds", "measures:bounds", _grids(_MOVES, factors=_FACTORS, preset="paper")),
    _five("jobs", _JOBS, "allreduce", slots=(16, 80, 300)),
    _five("servers", _SERVERS, "allreduce"),
    _study(
        "seconds",
        "measures:seconds",
        _grids(_BOTH, ("jobs", _JOBS), preset="paper"),
        _ALONE,
        needs=Needs(alone=True),
        kept=False,
    ),
    _study("batch-jobs", "measures:batch", _grids(("jobs", _JOBS), **_BATCH)),
    _study("types", _RUN, _grids(_BOTH, _TYPE, types="ec2"), _ALONE, LOADS),
    _study("workers", _RUN, _grids(("most_workers", _MOST_WORKERS)), _ALONE, LOADS),
    _study("batch-bounds", "measures:batch", _grids(_MOVES, factors=_FACTORS, **_BATCH)),
    _study(
        "batch-servers", "measures:batch", _grids(("servers", _SERVERS), ("jobs", _JOBS), **_BATCH)
    ),
    _study("examples", "measures_theory:examples", [Grid()] * len(SIZES)),
    Study(
        "completion-guarantee",
        "completion",
        Ratio(record=_record),
        dict.fromkeys(SIZES, _PROVABLE),
        dict(zip(SIZES, _SEEDS, strict=True)),
        (Scheme("a-online-literal", OWN, {"literal": True}),),
    ),
)
"""Of Figures 2 to 12 in their order; then examples by hand, and where the guarantee applies."""
