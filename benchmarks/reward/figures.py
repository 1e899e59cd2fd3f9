"""The figures of ``reward``: those of the OGASched paper, its Table 2, and its regret."""

from __future__ import annotations

from benchmarks.figure import Figure
from benchmarks.reward.figures_curves import FIGURE_2, FIGURE_5
from benchmarks.reward.figures_regret import FIGURE_REGRET
from benchmarks.reward.figures_steps import FIGURE_4
from benchmarks.reward.figures_sweeps import FIGURE_3, FIGURE_6, FIGURE_7, TABLE_2

__all__ = ["FIGURES"]

FIGURES: dict[str, Figure] = {
    figure.name: figure
    for figure in (
        FIGURE_2,
        FIGURE_3,
        FIGURE_4,
        FIGURE_5,
        FIGURE_6,
        FIGURE_7,
        TABLE_2,
        FIGURE_REGRET,
    )
}
"""By name, in the order of the paper; then our own."""
