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
    memory: str,
    series: str,
    note: str,
    level: float | None = None,
) -> Figure:
    """Draw two panels, a line for every series: medians over seeds, and the seeds.

    Parameters
    ----------
    frame : DataFrame
        One row per run: ``size`` (in the order in which the sizes are to stand), and the columns
        that the others name.
    seconds, memory : str
        Columns of positive numbers, seconds and MB; NaN is left out.
    series : str
        Column of names.
    note : str
        What stands above both.
    level : float, optional
        Draw a line at so many seconds.

    Returns
    -------
    Figure
    """
    sizes = frame["size"].nunique()
    left, right = panels(None, 2, min(max(7.2, 2.4 * sizes), 11.0), 4.2)
    for panel, y, label in ((left, seconds, "seconds taken"), (right, memory, "peak MB")):
        plot_medians(
            frame,
            panel,
            x="size",
            y=y,
            series=series,
            xlabel="jobs x slots x servers",
            ylabel=label,
            spacing="even",
            legend=panel is left,
        )
        if sizes > 3:  # side by side they would run into each other
            for tick in panel.get_xticklabels():
                tick.set(rotation=30, ha="right", rotation_mode="anchor")
    if level is not None:
        left.axhline(level, color="0.4", linewidth=1.0, linestyle=":")
    figure = figure_of(left)
    caption(figure, note)
    return figure


def seeds_in_words(frame: pd.DataFrame) -> str:
    """What lines and marks are, for the note above a picture."""
    seeds = frame["seed"].nunique()
    return "1 seed" if seeds == 1 else f"lines: median of {seeds} seeds, hollow marks: a seed each"


def caption(figure: Figure, text: str) -> None:
    """Write a note above all panels."""
    figure.suptitle(text, x=0.01, ha="left", fontsize="small")
