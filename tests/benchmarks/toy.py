"""Experiments for tests of commands: two studies, pictures and claims that take no time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.pictures.lines import plot_lines
from benchmarks.study.cell import Result
from benchmarks.study.choice import read_choices
from benchmarks.study.claim import Claim, Picture, judged
from benchmarks.study.grid import Grid
from benchmarks.study.multiverse import Multiverse
from benchmarks.study.study import Each, Study
from benchmarks.study.tests import Below, Holds, NotTestable

__all__ = ["CLAIMS", "PICTURES", "READINGS", "STUDIES", "ran"]

LOG = "cells.log"  # in the current folder
TROUBLE = "trouble"  # where this file is, the cell of n = 3 and seed 1 fails


def square(*, n: int, seed: int, shift: float = 0.0, idle: bool = False) -> Callable[[], Result]:
    """Squares a number, and adds a shift; ``idle`` means nothing."""

    def measure() -> Result:
        with Path(LOG).open("a") as log:
            log.write(f"{n}/{seed}{f'+{shift:g}' * (shift > 0)}\n")
        if (n, seed) == (3, 1) and Path(TROUBLE).exists():
            raise ValueError("no square of 3")
        y = float(n * n + seed + shift)
        row = {"n": n, "seed": seed, "y": y, "name": "squares", "load": 1.0 + 0.1 * shift}
        return Result([row])

    return measure


def ran() -> list[str]:
    """Cells that ran so far, and forget them."""
    log = Path(LOG)
    found = log.read_text().split() if log.exists() else []
    log.unlink(missing_ok=True)
    return found


def _study(name: str) -> Study:
    return Study(
        name,
        "utility",
        Each(f"{__name__}:square"),
        {"quick": Grid.cross(n=[1, 2, 3]), "default": Grid.cross(n=[1, 2, 3, 4])},
        {"quick": 2, "default": 3},
    )


STUDIES = (_study("utility-squares"), _study("utility-others"))


def _plot(frame: Any, axes: Any) -> Any:
    return plot_lines(frame, axes, x="n", y="y", series="name", xlabel="n", ylabel="square")


PICTURES = (
    Picture("utility-1", "Squares", "Fig. 1", "utility-squares", _plot),
    Picture("utility-2", "Squares once more", "Fig. 2", "utility-squares", _plot),
    Picture(
        "utility-3",
        "Only where 3 is known",
        "ours",
        "utility-squares",
        lambda frame, axes: _plot(frame, axes) if len(frame) == 6 else frame["nothing"],
    ),
)
CLAIMS = (
    Claim(
        "fig1-small",
        "Fig. 1",
        "Squares are small.",
        Below("squares", 11.0, lambda frame: (frame["y"], f"at most {frame['y'].max():g}")),
        ("utility-squares",),
    ),
    Claim(
        "fig1-large",
        "Fig. 1",
        "Squares are large.",
        Holds("every y > 5", lambda frame: judged(bool((frame["y"] > 5).all()), "some are not")),
        ("utility-squares",),
    ),
    Claim("text", "Sec. 2", "Squares are nice.", NotTestable("a matter of taste")),
)
READINGS = Multiverse(
    read_choices("""
shift | Sec. 3 | whether squares are shifted | it is as printed
- none | as printed
+ ten | by ten | {"shift": 10.0}
idle | Sec. 4 | what means nothing | nobody knows
- no | it is not there
+ yes | it is there | {"idle": true}
"""),
    {"utility-squares": Grid.cross(n=[1, 3])},
    headlines=("fig1-small",),
    seeds=2,
    count=4,
)
