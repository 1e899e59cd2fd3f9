"""What the figures of ``jct`` share: the schemes, the instances, records of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from benchmarks.evaluate import Run, run_policy
from benchmarks.figure import Cell
from benchmarks.jct.settings import Settings
from benchmarks.jct.views import metrics
from benchmarks.jct.workload import generate
from benchmarks.pictures.lines import plot_lines
from benchmarks.pictures.style import figure_of, legend_below, panels
from models.jct import JctInstance
from online.registry import build_policy, find_policy

__all__ = [
    "BASELINES",
    "OWN",
    "READINGS",
    "SCHEMES",
    "cells_of",
    "draw",
    "in_every_reading",
    "means_of",
    "plot_readings",
    "rates",
    "record_of",
    "run_scheme",
]

OWN = ("a-online", "a-online-e")
"""The paper's own schemes. They choose how many workers a job has."""

BASELINES = ("srtf", "tiresias-l", "batchsche")
"""What they are compared with. A job asks these for a number of workers."""

SCHEMES = (*OWN, *BASELINES)

READINGS = {
    "gpus": "as many workers as GPUs in a trace, most often 1",
    "uniform": "1 to D workers",
    "chunks": "D workers",
    "edge": "D workers or all of the edge, gangs stay there",
}
"""How many workers a job asks the baselines for, of which the paper only says that it is "computed
according to the number of GPUs" of the trace. The first is that taken literally. In the last, SRTF
and Tiresias-L send no job to the cloud, and give it all workers of its type where it asks for
more."""

_STAY = ("srtf", "tiresias-l")  # with use_cloud=False


def cells_of(
    points: Sequence[Cell],
    default_seeds: int,
    seeds: Sequence[int] | None,
    own: Sequence[str] = OWN,
) -> list[Cell]:
    """One cell per point, seed, policy and, of the baselines, reading.

    The paper's own schemes have the first reading, to which they are indifferent.
    """
    chosen = range(default_seeds) if seeds is None else seeds
    schemes = [(policy, "gpus") for policy in own]
    schemes += [(policy, reading) for reading in READINGS for policy in BASELINES]
    return [
        {**point, "seed": seed, "policy": policy, "reading": reading}
        for point in points
        for seed in chosen
        for policy, reading in schemes
    ]


def in_every_reading(frame: pd.DataFrame) -> pd.DataFrame:
    """The data of a figure, with the rows of the paper's own schemes once for every reading."""
    own = frame[frame["policy"].isin(OWN)]
    parts = [
        rows
        for reading in READINGS
        for rows in (own.assign(reading=reading), frame[_asked(frame, reading)])
    ]
    return pd.concat(parts, ignore_index=True)


def _asked(frame: pd.DataFrame, reading: str) -> pd.Series:
    return ~frame["policy"].isin(OWN) & (frame["reading"] == reading)


def draw(*, seed: int, **settings: Any) -> JctInstance:
    """Draw an instance of the synthetic workload.

    ``settings`` are fields of :class:`benchmarks.jct.settings.Settings`.
    """
    return generate(Settings(seed=seed, **settings), np.random.default_rng(seed))[0]


def run_scheme(*, policy: str, reading: str, **settings: Any) -> tuple[JctInstance, Run]:
    """Run one scheme in one reading on one instance, see :func:`draw`."""
    instance = draw(requested="chunks" if reading == "edge" else reading, **settings)
    if reading == "edge" and policy in _STAY:
        stays = build_policy(find_policy("jct", policy), instance, use_cloud=False)
        return instance, run_policy(instance, stays)
    return instance, run_policy(instance, find_policy("jct", policy))


def record_of(cell: Cell) -> dict[str, Any]:
    """Run the scheme of a cell: the cell and the metrics of the run."""
    return {**cell, **metrics(*run_scheme(**cell))}


def rates(frame: pd.DataFrame, *points: str) -> pd.DataFrame:
    """JCT rates, in every reading: total JCT over that of SRTF at the same point and seed.

    Parameters
    ----------
    frame : DataFrame
        Data of a figure, with ``total_jct``.
    points : str
        Columns that tell the points apart.

    Returns
    -------
    DataFrame
        As :func:`in_every_reading`, with ``jct_rate``.
    """
    frame = in_every_reading(frame)
    keys = [*points, "reading", "seed"]
    base = frame[frame["policy"] == "srtf"].set_index(keys)["total_jct"]
    under = base.reindex(pd.MultiIndex.from_frame(frame[keys])).to_numpy()
    return frame.assign(jct_rate=frame["total_jct"] / under)


def means_of(frame: pd.DataFrame) -> str:
    """What the marks and bars of a line picture are, for its title."""
    return f"mean of {frame['seed'].nunique()} seeds, 95 % interval"


def plot_readings(
    frame: pd.DataFrame,
    axes: Axes | None,
    *,
    x: str,
    y: str,
    xlabel: str,
    ylabel: str,
    title: str,
    log_y: bool = False,
) -> Picture:
    """Four panels of lines along one setting: the baselines in one reading each.

    ``frame`` is one of :func:`in_every_reading`. Every scheme has the same look in every figure.
    """
    drawn = panels(axes, 2, 11.0, 7.5, rows=2)
    for place, (panel, reading) in enumerate(zip(drawn, READINGS, strict=True)):
        plot_lines(
            frame[frame["reading"] == reading],
            panel,
            x=x,
            y=y,
            series="policy",
            xlabel=xlabel,
            ylabel="" if place % 2 else ylabel,
            title=f"({'abcd'[place]}) {READINGS[reading]}",
            among=SCHEMES,
            legend=False,
        )
        if log_y:
            panel.set_yscale("log")
    figure_of(drawn[0]).suptitle(f"{title}; {means_of(frame)}", fontsize="medium")
    legend_below(drawn[0], columns=5)
    return figure_of(drawn[0])
