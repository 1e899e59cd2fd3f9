"""The pictures of ``jct``: figures of the edge-cloud paper that can be computed."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from benchmarks.jct.measures import SHOWN
from benchmarks.jct.readings import OWN, READINGS
from benchmarks.jct.studies import SCHEMES
from benchmarks.jct.tables import rates
from benchmarks.pictures.intervals import plot_intervals
from benchmarks.pictures.lines import plot_curves, plot_lines
from benchmarks.pictures.style import (
    RANGES,
    finish,
    legend_below,
    looks,
    panels,
    sizes_told,
    titled,
    told,
)
from benchmarks.study.claim import Picture
from benchmarks.study.study import in_every_reading

__all__ = ["PICTURES"]

_LABELS = {
    "jobs": "number of jobs",
    "servers": "number of edge servers",
    "jct_rate": "total JCT / total JCT of SRTF",
    "preemptions": "preempted chunks",
}
_PANELS = {reading.name: reading.words.removeprefix("a job asks for ") for reading in READINGS}


# Every scheme has the same look in every figure.
_lines = partial(plot_lines, series="policy", among=SCHEMES, legend=False)
_curves = partial(plot_curves, series="policy", among=SCHEMES, legend=False)


def _plot_readings(frame: pd.DataFrame, axes: Axes | None, *, varied: str, y: str) -> Figure:
    """Four panels of lines along one setting: the baselines in one reading each."""
    if y == "preemptions":
        frame = frame[frame["policy"] != "batchsche"]
    frame = rates(in_every_reading(frame, READINGS), varied)
    drawn = panels(axes, 2, 11.0, 7.5, rows=2)
    for place, (panel, (reading, words)) in enumerate(zip(drawn, _PANELS.items(), strict=True)):
        how: dict[str, Any] = {"x": varied, "y": y, "xlabel": _LABELS[varied]}
        how |= {"ylabel": "" if place % 2 else _LABELS[y], "title": f"({'abcd'[place]}) {words}"}
        _lines(frame[frame["reading"] == reading], panel, **how)
        if y == "jct_rate":
            panel.set_yscale("log")
    legend_below(drawn, 5, told(frame))
    where = f"{'testbed, simulated' if 'scale' in frame else 'edge'} and the cloud"
    load = f"load {frame['load'].min():.2g} to {frame['load'].max():.2g}"
    return titled(drawn[0], f"{where}, {load}, {sizes_told(frame, varied)}")


def _plot_utilisation(frame: pd.DataFrame, axes: Axes | None, *, varied: str) -> Figure:
    drawn = panels(axes, 2, 11.0, 7.5, rows=3)
    first = frame[(frame["policy"] == "a-online") & (frame["slot"] < frame["slots"])]
    means = first.groupby(varied)["submissions"].mean()
    span = means.index[1] - means.index[0] if len(means) > 1 else 1
    colour = looks(["jobs"])["jobs"]["color"]
    drawn[0].bar(means.index, means, width=span, align="edge", color=colour)
    size = f"{frame['jobs'].iat[0]} jobs, {frame['servers'].iat[0]} servers and the cloud"
    submitted = f"jobs submitted in {'a slot' if span == 1 else f'{span} slots'}"
    finish(drawn[0], xlabel="slot of one hour", ylabel=submitted)
    own = frame["policy"].isin(OWN)
    parts = {"the paper's own schemes": frame[own]}
    for reading, words in _PANELS.items():
        parts[words] = frame[~own & (frame["reading"] == reading)]
    for panel, (words, part) in zip(drawn[1:], parts.items(), strict=True):
        how = {"xlabel": "slot of one hour", "ylabel": "edge workers that train", "title": words}
        _curves(part, panel, x=varied, y="utilisation", **how)
        panel.set_ylim(-0.02, 1.02)
        panel.yaxis.set_major_formatter(PercentFormatter(1.0))
    for panel in drawn:
        panel.set_xlim(0, SHOWN * frame["slots"].iat[0])
    titled(drawn[0], f"{size}, load {frame['load'].mean():.3g}")
    return legend_below(drawn, 5, told(frame, RANGES))


def _plot_ratios(frame: pd.DataFrame, axes: Axes | None, *, varied: str) -> Figure:
    fixed = "servers" if varied == "jobs" else "jobs"
    once = frame[frame["epsilon"] == 0.0]
    proven = int((once["offline_status"] == "optimal").sum())
    return plot_intervals(
        frame.assign(speed=[f"ε = {value:g}" for value in frame["epsilon"]]),
        axes,
        x=varied,
        lower="ratio_lower",
        upper="ratio_upper",
        hue="speed",
        xlabel=_LABELS[varied],
        ylabel="total JCT of A_online / offline optimum",
        title=f"{frame[fixed].iat[0]} {fixed} and the cloud; optimum proven on {proven} of "
        f"{len(once)} instances",
        hue_title="a mark is a seed; A_online has speed 1 + ε, the optimum speed 1: "
        "a ratio may be below 1",
        ticks={value: str(value) for value in np.unique(frame[varied]).tolist()},
        level=1.0,
    )


_plot_rates = partial(_plot_readings, y="jct_rate")
_plot_preemptions = partial(_plot_readings, y="preemptions")
_TESTBED = "schemes on the testbed, simulated"
_SWEEP = "schemes against the number of {}"
_OVER_TIME = "submissions and utilisation of the edge over time, five schemes"
_RATIO = "competitive ratio of A_online against {} at three speeds, certified intervals"

PICTURES: tuple[Picture, ...] = tuple(
    Picture(
        f"jct-{number}",
        title.format(varied),
        f"edge-cloud, Fig. {number}",
        f"jct-{study.format(varied)}",
        partial(plot, varied=varied),
    )
    for number, title, study, varied, plot in (
        (4, f"JCT rate of four {_TESTBED}", "testbed", "jobs", _plot_rates),
        (5, f"preemptions of three {_TESTBED}", "testbed", "jobs", _plot_preemptions),
        (7, f"JCT rate of five {_SWEEP}", "{}", "jobs", _plot_rates),
        (8, f"JCT rate of five {_SWEEP}", "{}", "servers", _plot_rates),
        (9, f"preemptions of four {_SWEEP}", "{}", "jobs", _plot_preemptions),
        (10, f"preemptions of four {_SWEEP}", "{}", "servers", _plot_preemptions),
        (11, _OVER_TIME, "utilisation", "slot", _plot_utilisation),
        (12, _RATIO, "speeds-{}", "jobs", _plot_ratios),
        (13, _RATIO, "speeds-{}", "servers", _plot_ratios),
    )
)
"""In the order of the paper. Figures 3 and 6 are measured on its testbed."""
