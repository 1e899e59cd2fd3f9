"""The figures of ``jct``: those of the edge-cloud paper that can be computed."""

from __future__ import annotations

from benchmarks.figure import Figure
from benchmarks.jct.figures_ratio import FIGURE_12, FIGURE_13
from benchmarks.jct.figures_sweeps import FIGURE_7, FIGURE_8, FIGURE_9, FIGURE_10
from benchmarks.jct.figures_testbed import FIGURE_4, FIGURE_5
from benchmarks.jct.figures_utilisation import FIGURE_11

__all__ = ["FIGURES"]

FIGURES: dict[str, Figure] = {
    figure.name: figure
    for figure in (
        FIGURE_4,
        FIGURE_5,
        FIGURE_7,
        FIGURE_8,
        FIGURE_9,
        FIGURE_10,
        FIGURE_11,
        FIGURE_12,
        FIGURE_13,
    )
}
"""By name, in the order of the paper. Figures 3 and 6 are measured on its testbed."""
