"""The pictures of ``completion``: Figures 2 to 12 of the paper."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.completion.readings import LOADS, OWN, READINGS
from benchmarks.completion.studies import ANY_TYPE, SCHEMES, TYPES
from benchmarks.pictures.intervals import plot_intervals
from benchmarks.pictures.lines import plot_lines
from benchmarks.pictures.style import log_axis, panels, sizes_told, titled
from benchmarks.study.claim import Picture
from benchmarks.study.study import in_every_reading

__all__ = ["PICTURES"]

_LABELS = {
    "jobs": "number of jobs",
    "servers": "number of servers that share the capacity",
    "factor": "F, as a multiple of the least that holds",
    "most_workers": "most workers of a job",
}
_TOTAL, _WEIGHT = "total weighted completion time", "weight scheduled by the deadline"
_MOVES = {"prices": "F of the prices alone", "weights": "F by the range of the weights"}
_VARIANTS = {"paper": "compact", "blocks": "blocks as planned", "literal": "one alpha, literal"}
_LETTERS = "abcd"


def _load(frame: pd.DataFrame) -> str:
    return f"load {frame['load'].min():.2g} to {frame['load'].max():.2g}"


def _schemes(frame: pd.DataFrame, axes: Axes | None, *, varied: str) -> Figure:
    """Three panels of the five schemes in a reading each; one of A_online in three variants."""
    every, drawn = in_every_reading(frame, READINGS), panels(axes, 2, 11.0, 8.0, rows=2)
    how: dict[str, Any] = {"x": varied, "y": "total", "xlabel": _LABELS[varied]}
    for place, (panel, reading) in enumerate(zip(drawn, READINGS[:3], strict=False)):
        part = every[every["reading"] == reading.name]
        title = f"({_LETTERS[place]}) {reading.words}, {_load(part)}"
        labels: dict[str, Any] = {"ylabel": _TOTAL, "title": title, "legend": place == 0}
        plot_lines(part, panel, series="policy", among=SCHEMES, **how, **labels)
    own = every[(every["policy"] == OWN) & every["reading"].isin(_VARIANTS)]
    own = own.assign(variant=own["reading"].map(_VARIANTS))
    plot_lines(own, drawn[3], series="variant", **how, title=f"(d) {OWN}, capacity as drawn")
    log_axis(drawn[3])
    return titled(drawn[0], sizes_told(frame, varied))


def _workers(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    """A panel for each of two loads."""
    drawn = panels(axes, 2, 11.0, 4.2)
    how: dict[str, Any] = {"x": "most_workers", "y": "total", "spacing": "log"}
    how |= {"xlabel": _LABELS["most_workers"], "ylabel": _TOTAL, "series": "policy"}
    for panel, reading in zip(drawn, LOADS, strict=True):
        part = frame[frame["reading"] == reading.name]
        plot_lines(part, panel, **how, title=f"{reading.words}, {_load(part)}")
    return titled(drawn[0], sizes_told(frame))


def _types(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    drawn = panels(axes, 2, 12.0, 4.2)
    names = frame["only_type"].map(dict(enumerate(TYPES))).astype(object)
    rows = frame.assign(type=names.where(names.notna(), ANY_TYPE))
    rows = rows.sort_values("only_type", kind="stable", na_position="first")
    for panel, reading in zip(drawn, LOADS, strict=True):
        part = rows[rows["reading"] == reading.name]
        labels: dict[str, Any] = {"xlabel": "worker type of all jobs", "ylabel": _TOTAL}
        labels |= {
            "title": reading.words,
            "lower": "total",
            "upper": "total",
            "hue": "architecture",
        }
        plot_intervals(part, panel, x="type", **labels, hue_title="a mark is a seed")
    return titled(drawn[0], sizes_told(frame))


def _bounds(frame: pd.DataFrame, axes: Axes | None, *, y: str, ylabel: str) -> Figure:
    """A panel for F of the prices alone, and one where the weights move it."""
    drawn = panels(axes, 2, 11.0, 4.2)
    frame = frame[frame["policy"] != "greedy"]
    for panel, (moves, words) in zip(drawn, _MOVES.items(), strict=True):
        part = frame[frame["moves"] == moves]
        labels: dict[str, Any] = {"xlabel": _LABELS["factor"], "ylabel": ylabel, "title": words}
        plot_lines(part, panel, x="factor", y=y, series="policy", spacing="log", **labels)
        if moves == "weights":
            log_axis(panel)
    return titled(drawn[0], sizes_told(frame))


def _along_jobs(
    frame: pd.DataFrame, axes: Axes | None, *, y: str, series: str, ylabel: str
) -> Figure:
    labels: dict[str, Any] = {"xlabel": _LABELS["jobs"], "ylabel": ylabel}
    labels["title"] = sizes_told(frame, "jobs", series)
    if series == "servers":
        frame = frame[frame["policy"] != "greedy"]
        frame = frame.assign(servers=frame["servers"].map("{} servers".format))
    return plot_lines(frame, axes, x="jobs", y=y, series=series, **labels)


def _picture(number: int, study: str, title: str, plot: Any, **how: str) -> Picture:
    source = f"heterogeneous jobs, Fig. {number}"
    return Picture(
        f"completion-{number}", title, source, f"completion-{study}", partial(plot, **how)
    )


def _five(number: int, varied: str, architecture: str) -> Picture:
    title = f"{_TOTAL} of five schemes against {varied}, {architecture}"
    return _picture(number, f"{varied}-{architecture}", title, _schemes, varied=varied)


_JOBS: dict[str, Any] = {"plot": _along_jobs, "y": "weight", "ylabel": _WEIGHT}
_F: dict[str, Any] = {"plot": _bounds}

PICTURES: tuple[Picture, ...] = (
    _five(2, "jobs", "ps"),
    _five(3, "servers", "ps"),
    _picture(
        4, "bounds", f"{_TOTAL} of A_online under different F", **_F, y="total", ylabel=_TOTAL
    ),
    _five(5, "jobs", "allreduce"),
    _five(6, "servers", "allreduce"),
    _picture(
        7,
        "seconds",
        "seconds of A_online, both architectures",
        _along_jobs,
        y="seconds",
        series="architecture",
        ylabel="seconds of a run",
    ),
    _picture(8, "batch-jobs", f"{_WEIGHT}, against the greedy one", **_JOBS, series="policy"),
    _picture(9, "types", f"{_TOTAL} with one worker type for all jobs, or any", _types),
    _picture(10, "workers", f"{_TOTAL} against the most workers of a job", _workers),
    _picture(11, "batch-bounds", f"{_WEIGHT} under different F", **_F, y="weight", ylabel=_WEIGHT),
    _picture(12, "batch-servers", f"{_WEIGHT}, servers and jobs", **_JOBS, series="servers"),
)
"""In the order of the paper."""
