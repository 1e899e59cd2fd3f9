"""The studies behind figures and claims of the OGASched paper, and of regret."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.reward import WORKLOAD
from benchmarks.study.cell import Needs
from benchmarks.study.grid import Grid, Point
from benchmarks.study.scheme import Scheme
from benchmarks.study.study import Each, Study

__all__ = ["BASELINES", "GENEROUS", "GENEROUS_OF", "REFERENCES", "REGRET_AXES", "RULES", "SCHEMES"]
__all__ += ["SETTINGS", "STEPS", "STUDIES", "table_1"]

RULES = ("ogasched", "ogasched-constant")
"""OGASched twice: with the steps of the paper's experiments, and with those of its theorem."""

BASELINES = ("drf", "fairness", "binpacking", "spreading")
"""As they are registered: DRF, BINPACKING and SPREADING give a job no more in total of a device
type than it requests; shares of FAIRNESS go over all ports of a server."""

GENEROUS = ("drf-per-server", "fairness-arrived", "binpacking-per-server")
"""The same, where the paper can be read to allow them more: as much on every server as (3)
allows, so that BINPACKING and SPREADING coincide; shares over the jobs that came."""

GENEROUS_OF = dict(zip(BASELINES, (*GENEROUS, GENEROUS[-1]), strict=True))
"""Name of a baseline in its generous reading."""


def _named(*names: str) -> tuple[Scheme, ...]:
    return tuple(Scheme(name, name) for name in names)


SCHEMES = (*_named(*RULES, *BASELINES), *(Scheme(n, *WORKLOAD.variants[n]) for n in GENEROUS))
"""The policies of Figures 2, 3, 5, 6, 7 and of Table 2."""

STEPS = (25.0, 0.9999)
"""``eta_0`` and decay of the paper's experiments, Table 1."""

REFERENCES = ("ogasched-constant", "ogasched-literal", "fairness")
"""Beside the steps of Figure 4: the step of Theorem 1, (26) as printed, and the best baseline."""


def table_1(*, ports: int = 10, servers: int = 128, slots: int = 2000, **changes: Any) -> Point:
    """Settings of an instance: those of Table 1 and density 2.5, unless told otherwise."""
    base = {"density": 2.5, "contention": 10.0, "probability": 0.7, "utilities": "mixed"}
    size = {"ports": ports, "servers": servers, "slots": slots}
    return {**size, **base, "beta_low": 0.3, "beta_high": 0.5, **changes}


SETTINGS = tuple(table_1())
"""Columns of the settings."""

_SMALL = {"ports": 4, "servers": 16, "slots": 60}
_LARGE = {"ports": 100, "servers": 1024}


def _study(
    name: str,
    measure: str,
    grids: Sequence[Grid],
    seeds: Sequence[int] = (2, 3, 5),
    schemes: tuple[Scheme, ...] = SCHEMES,
    **how: Any,
) -> Study:
    """Grids and seeds, as all that follows, have one value for each size: quick, default, paper."""
    each = Each(f"benchmarks.reward.{measure}", **how)
    return Study.by_size("reward", name, each, grids, seeds, schemes)


# Figures 3, 6 and 7, Table 2: one setting at a time.
# The values on the axes of Figures 3, 6 and 7 are ours, those of Table 2 the paper's.
_TENFOLD = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
_AXES: dict[str, Sequence[Sequence[Any]]] = {
    "servers": ((8, 16, 32), (32, 64, 128, 256), (32, 64, 128, 256, 512, 1024)),
    "ports": ((3, 4, 8), (5, 10, 20, 40), (5, 10, 20, 40, 80)),
    "contention": ((0.1, 1.0, 10.0), (0.1, 0.5, 1.0, 5.0, 10.0, 20.0), _TENFOLD),
    "slots": ((30, 60, 120), (1000, 2000, 5000), (1000, 2000, 5000, 10000)),
    "probability": ((0.3, 0.5, 0.7, 0.9),) * 3,
    "density": ((2.0, 2.5, 3.0),) * 3,
    "utilities": (("linear", "poly", "log", "reciprocal"),) * 3,
}
_BASES = (table_1(**_SMALL), table_1(), table_1())
_AT_BASE = [Grid((base,)) for base in _BASES]


def _star(*axes: str) -> list[Grid]:
    return [
        Grid.star(base, **{name: _AXES[name][size] for name in axes})
        for size, base in enumerate(_BASES)
    ]


def _sweep(name: str, *axes: str) -> Study:
    """The base comes first: what is drawn and judged along a setting looks for it there."""
    grids = [base + star for base, star in zip(_AT_BASE, _star(*axes), strict=True)]
    return _study(name, "measures:totals", grids)


def _curves(name: str, points: Sequence[Point], most_seeds: int, **caption: Any) -> Study:
    """Rewards over time."""
    grids = [Grid((table_1(**point, **caption),)) for point in points]
    return _study(name, "measures:curve", grids, (2, 3, most_seeds))


# The caption of Fig. 2 gives T, beta and the contention.
_FIGURE_2 = {"contention": 11.0, "beta_low": 0.4, "beta_high": 0.6}
_SLOTS_2 = ({**_SMALL, "slots": 50}, {"slots": 8000}, {"slots": 8000})
# That of Fig. 5 gives T = 10000, beta and the contention, but not the density.
_FIGURE_5 = {"contention": 5.0, "beta_low": 0.01, "beta_high": 0.015}
_QUICK_5 = {"ports": 20, "servers": 64, "slots": 25}
_SIZES_5 = (_QUICK_5, {**_LARGE, "slots": 500}, {**_LARGE, "slots": 10000})

# Figure 4: first step and decay.
_INITIAL = (0.1, 1.0, 5.0, 10.0, 25.0, 50.0, 100.0)
_FACTOR = (0.9, 0.99, 0.995, 0.999, 0.9999, 1.0, 1.0001, 1.001)
_TRIED = (STEPS, *((eta, STEPS[1]) for eta in _INITIAL), *((STEPS[0], f) for f in _FACTOR))
_STEPPED = tuple(
    Scheme("ogasched", "ogasched", {"initial": initial, "factor": factor})
    for initial, factor in dict.fromkeys(_TRIED)
)

REGRET_AXES = {"slots": ("slots",), "ports": ("ports", "density"), "servers": ("servers",)}
"""Sizes that regret is measured along, and what varies: a port has as many servers always."""

_TELLING = 1.0  # contention at which (14) lies below the best fixed reward, from T = 2000 on


def _sizes(
    base: Point, slots: Sequence[int], ports: Sequence[int], servers: Sequence[int], *kinds: str
) -> Grid:
    """Ports are added with all their servers, so that density grows with them."""
    wider = [{**base, "ports": n, "density": base["density"] * n / base["ports"]} for n in ports]
    points = Grid((base, {**base, "contention": _TELLING})) + Grid.star(base, slots=slots)
    points += Grid(tuple(wider)) + Grid.star(base, servers=servers)
    return points * Grid.cross(arrivals=kinds)


_LONG, _HALF = table_1(**{**_SMALL, "slots": 200}), table_1(servers=64)
_SLOTS, _PORTS, _SERVERS = (500, 1000, 2000, 4000, 8000), (5, 10, 20, 40, 80), (32, 64, 128, 256)
_ADVERSE = ("bernoulli", "alternating", "coin")
_REGRET = (
    _sizes(_LONG, (50, 100, 200), (2, 4, 8), (8, 16, 32), "bernoulli", "coin"),
    _sizes(_HALF, (250, 500, 1000, 2000), (5, 10, 20, 40), (16, 32, 64, 128), *_ADVERSE),
    _sizes(table_1(), _SLOTS, _PORTS, _SERVERS, *_ADVERSE),
)

# Single claims.
_TIMED = [Grid((table_1(slots=slots), table_1(**_LARGE, slots=slots))) for slots in (50, 500, 500)]
_ALONE = {"needs": Needs(alone=True), "kept": False}
_BY_HAND: dict[str, tuple[Point, ...]] = {
    "concavity": ({**table_1(ports=4, servers=8, slots=1), "pairs": 200},),
    "projections": (  # a point that fits as it is, and one where the second port is full
        {"z": [1.0, 1.0], "most": [10.0, 10.0], "capacity": 10.0},
        {"z": [10.0, 9.0], "most": [10.0, 1.0], "capacity": 5.0},
    ),
    "edges": ({"ports": 2, "servers": 3, "degree": 2},),
}

STUDIES: tuple[Study, ...] = (
    _curves("2", _SLOTS_2, 5, **_FIGURE_2),
    _curves("5", _SIZES_5, 3, **_FIGURE_5),
    _study("4", "measures:first_steps", _AT_BASE, (2, 3, 10), (*_STEPPED, *_named(*REFERENCES))),
    _sweep("3", "servers", "ports", "contention"),
    _sweep("6", "contention"),
    _study("7", "measures:totals", _star("utilities")),
    _sweep("table-2", "slots", "probability", "density"),
    _study("regret", "regret:step_rules", _REGRET, schemes=()),
    _study("gradients", "measures:gradients", _AT_BASE, (3, 3, 3), _named("ogasched-literal")),
    _study("times", "measures:seconds", _TIMED, (1, 1, 1), _named("ogasched"), **_ALONE),
    *(
        _study(name, f"measures:{name}", [Grid(points)] * 3, (1, 1, 1), schemes=())
        for name, points in _BY_HAND.items()
    ),
)
"""In the order of the figures; then regret, and what single claims are about."""
