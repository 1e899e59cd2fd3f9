"""Who runs where: jobs on servers over time."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from benchmarks.pictures.style import describe, figure_of, looks, ready

__all__ = ["plot_gantt"]

_HATCHES = ("", "////", "....", "xxxx")
_HEIGHT = 0.86


def plot_gantt(
    frame: pd.DataFrame,
    axes: Axes | None = None,
    *,
    servers: int,
    slots: int,
    jobs: Sequence[str] | None = None,
    ylabel: str = "server",
    title: str = "",
) -> Figure:
    """Draw what each server does in each slot.

    A row is a server, as high as the server is large: a block takes the share of the
    server's scarcest resource that the job uses there, so a full row is a full server. The
    number in a block counts the job's copies (workers or parameter servers).

    Parameters
    ----------
    frame : DataFrame
        One row per block: ``job`` (name), ``server``, ``start``, ``stop`` (slot after the
        last), ``count``, ``share`` (0 to 1).
    servers, slots : int
        How many there are, also where nothing runs.
    jobs : sequence of str, optional
        Names of all jobs: pictures of the same jobs then give each the same colour.
    """
    axes = ready(axes, 7.6, max(2.4, 1.4 + 0.42 * min(servers, 20)))
    names = list(dict.fromkeys(frame["job"]))
    styles = looks(jobs or names)
    hatch = {name: _HATCHES[i // 7 % len(_HATCHES)] for i, name in enumerate(styles)}
    for server in range(servers):
        axes.axhspan(
            server - _HEIGHT / 2, server + _HEIGHT / 2, color="0.95", linewidth=0, zorder=0
        )
    top: dict[tuple[int, int], float] = {}  # (server, slot) -> height taken so far
    for row in frame.itertuples():
        for slot in range(row.start, row.stop):
            base = top.get((row.server, slot), 0.0)
            height = min(row.share, 1.0 - base) * _HEIGHT
            top[row.server, slot] = base + height / _HEIGHT
            corner = (slot - 0.5, row.server + _HEIGHT / 2 - base * _HEIGHT - height)
            axes.add_patch(
                Rectangle(
                    corner,
                    1.0,
                    height,
                    facecolor=styles[row.job].colour,
                    alpha=0.75,
                    hatch=hatch[row.job],
                    edgecolor="white",
                    linewidth=0.6,
                )
            )
            if height > 0.2 and slots <= 40:
                axes.text(
                    slot,
                    corner[1] + height / 2,
                    str(row.count),
                    ha="center",
                    va="center",
                    fontsize="x-small",
                    path_effects=[withStroke(linewidth=2, foreground="white")],
                )
    axes.set_xlim(-0.5, slots - 0.5)
    axes.set_ylim(servers - 0.5, -0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=20))
    describe(axes, x="slot", y=ylabel, title=title, grid="")
    patches = [
        Patch(facecolor=styles[name].colour, alpha=0.75, hatch=hatch[name], label=str(name))
        for name in styles
        if name in names
    ]
    axes.legend(
        handles=patches,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize="small",
        title="job",
        title_fontsize="small",
        ncols=-(-len(names) // 16) or 1,
    )
    return figure_of(axes)
