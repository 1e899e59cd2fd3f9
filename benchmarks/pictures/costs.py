"""What runs cost: seconds and memory against the size of the instance."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from benchmarks.pictures.medians import plot_medians
from benchmarks.pictures.style import figure_of, panels

__all__ = ["caption", "plot_costs", "seeds_in_words"]


def plot_costs(
    frame: pd.DataFrame,
    *,
    seconds: str,
    memory: str | None = None,
    series: str,
    note: str,
    level: float | None = None,
) -> Figure:
    """Draw a panel or two, a line for every series: medians over seeds, and the seeds.

    Parameters
    ----------
    frame : DataFrame
        One row per run: ``size`` (in the order in which the sizes are to stand), and the columns
        that the others name.
    seconds : str
        Column of positive numbers; NaN is left out.
    memory : str, optional
        The same in MB, for a panel of its own.
    series : str
        Column of names.
    note : str
        What stands above all.
    level : float, optional
        Draw a line at so many seconds.
    """
    sizes = frame["size"].nunique()
    drawn = [(seconds, "seconds taken")]
    if memory is not None:
        drawn.append((memory, "peak MB"))
    axes = panels(None, len(drawn), min(max(7.2, 1.2 * len(drawn) * sizes), 11.0), 4.2)
    for panel, (column, label) in zip(axes, drawn, strict=True):
        plot_medians(
            frame,
            panel,
            x="size",
            y=column,
            series=series,
            xlabel="jobs x slots x servers",
            ylabel=label,
            spacing="even",
            legend=panel is axes[0],
        )
        if sizes > 3:  # side by side they would run into each other
            for tick in panel.get_xticklabels():
                tick.set(rotation=30, ha="right", rotation_mode="anchor")
    if level is not None:
        axes[0].axhline(level, color="0.4", linewidth=1.0, linestyle=":")
    figure = figure_of(axes[0])
    caption(figure, note)
    return figure


def seeds_in_words(frame: pd.DataFrame) -> str:
    """What lines and marks are, for the note above a picture."""
    seeds = frame["seed"].nunique()
    return "1 seed" if seeds == 1 else f"lines: median of {seeds} seeds, hollow marks: a seed each"


def caption(figure: Figure, text: str) -> None:
    """Write a note above all panels."""
    figure.suptitle(text, x=0.01, ha="left", fontsize="small")
