"""The pictures of ``completion``: Figures 2 to 12 of the paper."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.completion.studies import ANY_TYPE, LOADS, OWN, READINGS, SCHEMES, TYPES
from benchmarks.pictures.intervals import plot_intervals
from benchmarks.pictures.lines import plot_lines
from benchmarks.pictures.style import figure_of, log_axis, panels
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


def _where(frame: pd.DataFrame, *varied: str) -> str:
    """What is the same everywhere, and what marks are."""
    same = [f"{frame[name].iat[0]} {name}" for name in ("jobs", "servers") if name not in varied]
    words = [*same, f"T = {frame['slots'].iat[0]}"]
    return f"{', '.join(words)}; mean of {frame['seed'].nunique()} seeds, 95 % interval"


def _load(frame: pd.DataFrame) -> str:
    return f"load {frame['load'].min():.2g} to {frame['load'].max():.2g}"


def _titled(drawn: list[Axes], text: str) -> Figure:
    figure = figure_of(drawn[0])
    figure.suptitle(text, fontsize="medium")
    return figure


def _schemes(frame: pd.DataFrame, axes: Axes | None, *, varied: str) -> Figure:
    """Three panels of the five schemes in a reading each; one of A_online in three variants."""
    every, drawn = in_every_reading(frame, READINGS), panels(axes, 2, 11.0, 8.0, rows=2)
    how: dict[str, Any] = {"x": varied, "y": "total", "xlabel": _LABELS[varied]}
    for place, (panel, reading) in enumerate(zip(drawn, READINGS[:3], strict=False)):
        part = every[every["reading"] == reading.name]
        title = f"({_LETTERS[place]}) {reading.words}, {_load(part)}"
        labels = {"ylabel": _TOTAL, "title": title, "legend": place == 0}
        plot_lines(part, panel, series="policy", among=SCHEMES, **how, **labels)
    own = every[(every["policy"] == OWN) & every["reading"].isin(_VARIANTS)]
    own = own.assign(variant=own["reading"].map(_VARIANTS))
    plot_lines(own, drawn[3], series="variant", **how, title=f"(d) {OWN}, capacity as drawn")
    log_axis(drawn[3])
    return _titled(drawn, _where(frame, varied))


def _loads(frame: pd.DataFrame, axes: Axes | None, *, spacing: str, x: str) -> Figure:
    """A panel for each of two loads."""
    drawn = panels(axes, 2, 11.0, 4.2)
    for panel, reading in zip(drawn, LOADS, strict=True):
        part = frame[frame["reading"] == reading.name]
        title = f"{reading.words}, {_load(part)}"
        labels: dict[str, Any] = {"xlabel": _LABELS[x], "ylabel": _TOTAL, "title": title}
        plot_lines(part, panel, x=x, y="total", series="policy", spacing=spacing, **labels)
    return _titled(drawn, _where(frame))


def _types(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    drawn = panels(axes, 2, 12.0, 4.2)
    names = {None: ANY_TYPE, **dict(enumerate(TYPES))}
    kinds = frame["only_type"].astype(object).where(frame["only_type"].notna(), None).map(names)
    rows = frame.assign(type=kinds).sort_values("only_type", kind="stable", na_position="first")
    for panel, reading in zip(drawn, LOADS, strict=True):
        part = rows[rows["reading"] == reading.name]
        labels = {"xlabel": "worker type of all jobs", "ylabel": _TOTAL, "title": reading.words}
        ends = {"lower": "total", "upper": "total", "hue": "architecture"}
        plot_intervals(part, panel, x="type", **ends, **labels, hue_title="a mark is a seed")
    return _titled(drawn, _where(frame))


def _bounds(frame: pd.DataFrame, axes: Axes | None, *, y: str, ylabel: str) -> Figure:
    """A panel for F of the prices alone, and one where the weights move it."""
    drawn = panels(axes, 2, 11.0, 4.2)
    frame = frame[frame["policy"] != "greedy"]
    for panel, (moves, words) in zip(drawn, _MOVES.items(), strict=True):
        part = frame[frame["moves"] == moves]
        labels = {"xlabel": _LABELS["factor"], "ylabel": ylabel, "title": words}
        plot_lines(part, panel, x="factor", y=y, series="policy", spacing="log", **labels)
        if moves == "weights":
            log_axis(panel)
    return _titled(drawn, _where(frame))


def _along_jobs(
    frame: pd.DataFrame, axes: Axes | None, *, y: str, series: str, ylabel: str
) -> Figure:
    labels = {"xlabel": _LABELS["jobs"], "ylabel": ylabel, "title": _where(frame, "jobs", series)}
    if series == "servers":
        frame = frame[frame["policy"] != "greedy"]
        frame = frame.assign(servers=frame["servers"].map("{} servers".format))
    return plot_lines(frame, axes, x="jobs", y=y, series=series, **labels)


_ALLREDUCE = "with Ring-AllReduce"

PICTURES: tuple[Picture, ...] = tuple(
    Picture(
        f"completion-{number}",
        title,
        f"heterogeneous jobs, Fig. {number}",
        f"completion-{study}",
        plot,
    )
    for number, title, study, plot in (
        (
            2,
            f"{_TOTAL} of five schemes against jobs, PS",
            "jobs-ps",
            partial(_schemes, varied="jobs"),
        ),
        (
            3,
            f"{_TOTAL} of five schemes against servers, PS",
            "servers-ps",
            partial(_schemes, varied="servers"),
        ),
        (
            4,
            f"{_TOTAL} of A_online under different F",
            "bounds",
            partial(_bounds, y="total", ylabel=_TOTAL),
        ),
        (
            5,
            f"{_TOTAL} of five schemes against jobs, {_ALLREDUCE}",
            "jobs-allreduce",
            partial(_schemes, varied="jobs"),
        ),
        (
            6,
            f"{_TOTAL} of five schemes against servers, {_ALLREDUCE}",
            "servers-allreduce",
            partial(_schemes, varied="servers"),
        ),
        (
            7,
            "seconds of A_online, both architectures",
            "seconds",
            partial(_along_jobs, y="seconds", series="architecture", ylabel="seconds of a run"),
        ),
        (
            8,
            f"{_WEIGHT}, A_maxweight and the greedy algorithm",
            "batch-jobs",
            partial(_along_jobs, y="weight", series="policy", ylabel=_WEIGHT),
        ),
        (9, f"{_TOTAL} with one worker type for all jobs, or any", "types", _types),
        (
            10,
            f"{_TOTAL} against the most workers of a job",
            "workers",
            partial(_loads, spacing="log", x="most_workers"),
        ),
        (
            11,
            f"{_WEIGHT} under different F",
            "batch-bounds",
            partial(_bounds, y="weight", ylabel=_WEIGHT),
        ),
        (
            12,
            f"{_WEIGHT} against servers and jobs",
            "batch-servers",
            partial(_along_jobs, y="weight", series="servers", ylabel=_WEIGHT),
        ),
    )
)
"""In the order of the paper."""
