"""The figures of ``utility``: those of the OASiS paper, and three of our own."""

from __future__ import annotations

from benchmarks.figure import Figure
from benchmarks.utility.figures_estimates import FIGURE_6, FIGURE_HISTORY
from benchmarks.utility.figures_ratio import FIGURE_5, FIGURE_5_LARGE
from benchmarks.utility.figures_schemes import FIGURE_3, FIGURE_8
from benchmarks.utility.figures_thresholds import FIGURE_THRESHOLDS
from benchmarks.utility.figures_timeliness import FIGURE_4, FIGURE_9

__all__ = ["FIGURES"]

FIGURES: dict[str, Figure] = {
    figure.name: figure
    for figure in (
        FIGURE_3,
        FIGURE_4,
        FIGURE_5,
        FIGURE_6,
        FIGURE_8,
        FIGURE_9,
        FIGURE_5_LARGE,
        FIGURE_THRESHOLDS,
        FIGURE_HISTORY,
    )
}
"""By name, in the order of the paper; then our own."""
