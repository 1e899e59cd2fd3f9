"""What all pictures share: colours that colour-blind readers can tell apart, axes, files."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter, StrMethodFormatter

from models.files import make_folder, write_atomic

# Okabe and Ito's palette, without the yellow that vanishes on white, then a wine red and a grey.
_COLOURS = (
    *("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"),
    *("#882255", "#8C8C8C"),
)
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<")
_LINES: tuple[Any, ...] = (
    *("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1))),
    *((0, (8, 2)), (0, (6, 2, 2, 2))),
)
_LEGEND: dict[str, Any] = {"frameon": False, "fontsize": "small", "title_fontsize": "small"}
_LEGEND["alignment"] = "left"
_SMALL, _MEDIUM = 5.0, 5.8  # points that a letter takes, about

MEANS = "mean of {}, 95 % bootstrap interval"
RANGES = "mean of {}, bars from the least to the most"
MEDIANS = "median of {}, hollow marks: one each"


def looks(names: Iterable[Any]) -> dict[Any, dict[str, Any]]:
    """``color``, ``marker`` and ``linestyle`` of each name; after nine the lines are others."""
    return {
        name: {
            "color": _COLOURS[i % 9],
            "marker": _MARKERS[i % 9],
            "linestyle": _LINES[(i + i // 9) % 9],
        }
        for i, name in enumerate(names)
    }


def series_of(
    frame: pd.DataFrame, column: str, among: Iterable[str] | None = None
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Look, with its label, and rows of each series."""
    look_of = looks(frame[column].unique() if among is None else among)
    for name, rows in frame.groupby(column, sort=False):
        yield {**look_of[name], "label": str(name)}, rows


def side_by_side(count: int, step: float) -> np.ndarray:
    """How far each of so many stands from their middle."""
    return (np.arange(count) - (count - 1) / 2) * step


def ready(axes: Axes | None, width: float = 6.4, height: float = 4.0) -> Axes:
    """The given axes, or those of a new figure of so many inches."""
    return panels(None, 1, width, height)[0] if axes is None else axes


def panels(axes: Axes | None, count: int, width: float, height: float, rows: int = 1) -> list[Axes]:
    """Axes side by side, row by row: in a new figure of so many inches, or in place of axes."""
    if axes is None:
        figure = Figure(figsize=(width, height), layout="constrained")
        return list(figure.subplots(rows, count, squeeze=False).ravel())
    place = axes.get_subplotspec()
    assert place is not None, "axes must stand in a grid"
    axes.remove()
    return list(place.subgridspec(rows, count).subplots(squeeze=False).ravel())


def figure_of(axes: Axes) -> Figure:
    """The figure that axes belong to, however deep in subfigures."""
    found = axes.get_figure(root=True)
    assert found is not None
    return found


def told(frame: pd.DataFrame, marks: str = MEANS) -> str:
    """What the marks are, for a legend: the kind of interval, and of how many seeds.

    Where seeds are not known, as of instances from files, it counts instances.
    """
    counts = {name: frame[name].nunique() for name in ("seed", "instance") if name in frame}
    runs = next((f"{n} {name}{'s' * (n > 1)}" for name, n in counts.items() if n), "all runs")
    return f"{runs}, no interval" if runs.startswith("1 ") else marks.format(runs)


def _fill(text: str, points: float, letter: float) -> str:
    """A text in lines that are no longer than so many points."""
    return "\n".join(textwrap.fill(line, int(points / letter)) for line in text.splitlines())


def finish(
    axes: Axes,
    *,
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    grid: str = "y",
    level: float | None = None,
    legend: bool = True,
    legend_title: str = "",
    beside: bool = False,
) -> Figure:
    """Label axes, with light grid lines behind the data and no box around them.

    A legend of what has labels covers no data: it stands above them or, if so wished, beside them.
    Titles are wrapped to the width of the panel.
    """
    ticks, place = axes.yaxis.get_major_formatter(), axes.get_subplotspec()
    if isinstance(ticks, ScalarFormatter):  # a factor above the axis would stand in the legend
        ticks.set_scientific(False)
        ticks.set_useOffset(False)
    grids = place.get_gridspec() if place else None
    # Of the axes, without the labels beside them.
    points = 0.85 * 72 * figure_of(axes).get_figwidth() / (grids.ncols if grids else 1)
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.spines[["top", "right"]].set_visible(False)
    if grid:
        axes.grid(axis=grid, color="0.9", linewidth=0.8)  # type: ignore[arg-type]
        axes.set_axisbelow(True)
    if level is not None:
        axes.axhline(level, color="0.35", linewidth=0.8, zorder=1.5)
    handles, rows = _handles(axes) if legend else {}, 0
    if handles:
        legend_title = _fill(legend_title, points, _SMALL)
        columns = _columns(list(handles), points)
        where: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0)}
        where |= {"borderaxespad": 0.2}
        rows = -(-len(handles) // columns) + len(legend_title.splitlines())
        if beside:
            where = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
            columns, rows = -(-len(handles) // 16), 0
        where |= {"ncols": columns, "title": legend_title}
        axes.legend(handles.values(), handles.keys(), **_LEGEND, **where)
    axes.set_title(_fill(title, points, _MEDIUM), loc="left", fontsize="medium", pad=6 + 15 * rows)
    return figure_of(axes)


def _columns(labels: Sequence[str], points: float) -> int:
    """How many columns of a legend fit: a wider one would leave the axes no room."""
    lengths = list(map(len, labels))
    for count in range(min(5, len(labels)), 1, -1):
        parts = np.array_split(lengths, count)  # as matplotlib shares them out
        if sum(45 + 5.5 * part.max() for part in parts) <= points:
            return count
    return 1


def _handles(*panels: Axes) -> dict[str, Any]:
    """What a legend shows, by label: each once, however often it is drawn."""
    found = [panel.get_legend_handles_labels() for panel in panels]
    return {label: handle for part in found for handle, label in zip(*part, strict=True)}


def legend_below(panels: Sequence[Axes], columns: int, title: str) -> Figure:
    """Put one legend for all panels of a figure below them; its title is :func:`told`."""
    where: dict[str, Any] = {"loc": "outside lower left", "ncols": columns, "title": title}
    handles, figure = _handles(*panels), figure_of(panels[0])
    figure.legend(handles.values(), handles.keys(), **_LEGEND, **where)
    return figure


def caption(axes: Axes, text: str) -> Figure:
    """Write a note above all panels of a figure."""
    figure = figure_of(axes)
    text = _fill(text, 72 * figure.get_figwidth(), _SMALL)
    figure.suptitle(text, x=0.01, ha="left", fontsize="small")
    return figure


def titled(axes: Axes, text: str) -> Figure:
    """Write what is the same everywhere above all panels of a figure."""
    figure = figure_of(axes)
    figure.suptitle(_fill(text, 72 * figure.get_figwidth(), _MEDIUM), fontsize="medium")
    return figure


def tell_load(figure: Figure, frame: pd.DataFrame) -> Figure:
    """Say above a figure which load the instances of its frame have, unless it says so itself."""
    loads = frame.get("load", pd.Series(dtype=float)).dropna()
    texts = [text.get_text() for text in figure.findobj(Text)]
    if loads.empty or any("load" in text for text in texts):
        return figure
    ends = dict.fromkeys(f"{end:.2g}" for end in (loads.min(), loads.max()))
    parts = [figure.get_suptitle(), f"load {' to '.join(ends)}"]
    return caption(figure.axes[0], "; ".join(filter(None, parts)))


def sizes_told(frame: pd.DataFrame, *varied: str, servers: str = "servers") -> str:
    """The sizes of a study that do not vary, in words."""
    names = {"jobs": "jobs", "servers": servers}
    same = [f"{frame[name].iat[0]} {word}" for name, word in names.items() if name not in varied]
    return ", ".join([*same, f"T = {frame['slots'].iat[0]}"])


def log_axis(axes: Axes, *steps: float) -> None:
    """Make the vertical axis logarithmic, with labels at these multiples of powers of ten."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=steps or (1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def ratio_axis(axes: Axes) -> None:
    """Make the vertical axis a logarithmic one for ratios, with a line at 1."""
    axes.axhline(1.0, color="0.4", linewidth=0.8)
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    log_axis(axes, *((1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 7.0) if high < 10 * low else ()))


def save_picture(picture: Figure, frame: pd.DataFrame, stem: str | Path) -> list[Path]:
    """Write ``<stem>.pdf``, ``<stem>.png`` and ``<stem>.csv``, which holds what is drawn.

    The files carry no date, so equal data gives equal bytes. Nothing is written before all
    three are rendered. The folder is made if absent, or InputError says why not.
    """
    pdf, png = io.BytesIO(), io.BytesIO()
    picture.savefig(pdf, format="pdf", metadata={"CreationDate": None})
    picture.savefig(png, format="png", dpi=150, metadata={"Software": None})
    contents = {".pdf": pdf.getvalue(), ".png": png.getvalue()}
    contents[".csv"] = frame.to_csv(index=False).encode()
    make_folder(Path(stem).parent)
    for ending, content in contents.items():
        write_atomic(Path(f"{stem}{ending}"), content)
    return [Path(f"{stem}{ending}") for ending in contents]
