"""The studies of ``colocated``: Figures 6 to 10 of the paper, certified ratios, rounding, readings.

The notes give the numbers of jobs, machines and slots that do not vary (Fig. 6 to 10), and that the
axis of Figure 7 ends at 50 jobs. The other axes, and the seeds, are ours. The default size has the
numbers of the paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from benchmarks.colocated.readings import BASELINES, LOADS, OWN, SPLIT, VARIANTS
from benchmarks.study.grid import Grid, grids_by_size
from benchmarks.study.ratio import Ratio
from benchmarks.study.rows import Row
from benchmarks.study.scheme import Scheme
from benchmarks.study.study import Each, Study, Trial

__all__ = ["STUDIES"]

_SCHEMES = {name: Scheme(name, name) for name in (OWN, *BASELINES, SPLIT)}
_SEEDS = (2, 3, 10)  # of the sizes quick, default and paper

# What follows has one entry for each of these. Samples of the quick size suit its machines.
_SMALL = {"samples": [2000, 50_000], "slots": 8}
_MACHINES = ((2, 4), (20, 40, 60, 80, 100), (10, 20, 30, 40, 50, 60, 70, 80, 90, 100))
_SPLIT_MACHINES = ((2, 4), (10, 30, 50), (10, 20, 30, 40, 50))
_JOBS = ((4, 8), (10, 20, 30, 40, 50), (10, 20, 30, 40, 50))
_SPLIT_JOBS = ((4, 8), (20, 60, 100), (20, 40, 60, 80, 100))


def _grids(
    scale: Sequence[float], slots: int, *axes: tuple[str, Sequence[Sequence[Any]]], **same: Any
) -> list[Grid]:
    """A grid for each size, with so much of the samples as drawn."""
    point = {"preset": "paper", "slots": slots}
    bases = [{**point, "scale": part} | (_SMALL if not k else {}) for k, part in enumerate(scale)]
    return grids_by_size(bases, *axes, **same)


_study = partial(Study.by_size, "colocated")
_RUN = Each("benchmarks.colocated.measures:run")


def _runs(name: str, grids: Sequence[Grid], *who: str) -> Study:
    """Runs of schemes, at both loads."""
    return _study(name, _RUN, grids, _SEEDS, [_SCHEMES[one] for one in who], LOADS)


_COLUMNS = ("load", "policy", "objective", "offline_lower", "offline_upper", "offline_status")


def _record(trial: Trial, row: Row, evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The ratio, certified, with the load asked for."""
    told, point = asdict(row), trial.point
    found = {name: told[name] for name in (*_COLUMNS, "ratio_lower", "ratio_upper")}
    size = {name: point[name] for name in ("jobs", "slots", "servers")}
    return {**size, "asked_load": point["load"], "seed": trial.seed, **found}


_LEVELS = [0.5, 1.0, 2.0]
_RATIO_SIZES: tuple[dict[str, list], ...] = (
    {"jobs": [4], "slots": [6], "servers": [2], "time_limit": [5.0]},
    {"jobs": [8], "slots": [10], "servers": [3], "time_limit": [20.0]},
    {"jobs": [20], "slots": [20], "servers": [8], "time_limit": [120.0]},
)
_RATIO = [
    Grid.cross(load=_LEVELS[:: 2 - min(place, 1)], **size)
    for place, size in enumerate(_RATIO_SIZES)
]
STUDIES: tuple[Study, ...] = (
    _runs(
        "machines",
        _grids(
            (0.2, 0.15, 0.15),
            20,
            ("servers", _MACHINES),
            jobs=(8, 50, 50),
            judged_on=(4, 100, 100),
        ),
        *(OWN, *BASELINES),
    ),
    _runs(
        "jobs",
        _grids((0.2, 0.15, 0.15), 20, ("jobs", _JOBS), servers=(4, 100, 100)),
        *(OWN, *BASELINES),
    ),
    _runs(
        "split-jobs",
        _grids((0.2, 0.1, 0.1), 20, ("jobs", _SPLIT_JOBS), servers=(4, 50, 50)),
        *(OWN, SPLIT),
    ),
    _runs(
        "split-machines",
        _grids(
            (0.2, 0.08, 0.08),
            80,
            ("servers", _SPLIT_MACHINES),
            jobs=(8, 100, 100),
            judged_on=(4, 50, 50),
        ),
        *(OWN, SPLIT),
    ),
    _runs(
        "times",
        _grids((0.2, 0.05, 0.05), 80, jobs=(8, 100, 100), servers=(4, 30, 30)),
        *_SCHEMES,
    ),
    _runs(
        "bandwidth",
        _grids(
            (0.2, 0.15, 0.15),
            20,
            ("internal_times", ([1.0, 10.0], [1.0, 10.0, 100.0], [1.0, 3.0, 10.0, 30.0, 100.0])),
            jobs=(8, 50, 50),
            servers=(4, 50, 50),
        ),
        *(OWN, SPLIT),
    ),
    _study("ratio", Ratio(record=_record), _RATIO, (2, 10, 20), list(_SCHEMES.values())),
    _study(
        "readings",
        _RUN,
        _grids((0.2, 0.15, 0.15), 20, jobs=(8, 50, 50), servers=(4, 50, 100)),
        _SEEDS,
        [Scheme(name, OWN, dict(told)) for name, told in VARIANTS.items()],
        LOADS,
    ),
    _study(
        "rounding",
        Each("benchmarks.colocated.measures_theory:rounding"),
        _grids(
            (0.2, 0.15, 0.15),
            20,
            deltas=[0.1, 0.5, 1.0],
            trials=(200, 1000, 1000),
            jobs=(4, 20, 50),
            servers=(12, 100, 100),
        ),
        _SEEDS,
    ),
    _study("examples", Each("benchmarks.colocated.measures_theory:examples"), [Grid()] * 3, _SEEDS),
)
"""Of Figures 6 to 10 in their order; then our own; then what is worked by hand."""
