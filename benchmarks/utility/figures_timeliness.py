"""Figures 4 and 9: completion minus target time of five schemes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from benchmarks.figure import Cell, Figure
from benchmarks.pictures.boxes import plot_boxes
from benchmarks.utility.figures_common import (
    EVERY_SCHEME,
    SCHEMES,
    Setting,
    draw,
    draw_testbed,
    instance_cells,
    setting_of,
    testbed_cells,
    timeliness_record,
)

__all__ = ["FIGURE_4", "FIGURE_9"]

_MIX = (0.0, 0.5, 0.5)  # as many time-sensitive as time-critical jobs
_SETTINGS = {
    "quick": Setting(slots=15, servers=4, jobs=(12,), seeds=3),
    "default": Setting(slots=100, servers=20, jobs=(80,), seeds=5),
    "paper": Setting(slots=100, servers=50, jobs=(200,), seeds=5),
}


def _cells(size: str, seeds: Sequence[int] | None) -> list[Cell]:
    return instance_cells(_SETTINGS[size], seeds, EVERY_SCHEME)


def _run(*, policy: str, **settings: Any) -> list[dict[str, Any]]:
    return timeliness_record(draw(mix=_MIX, **settings), policy, {**settings, "policy": policy})


def _boxes(frame: pd.DataFrame, axes: Axes | None, title: str) -> Picture:
    done = frame.groupby(["policy", "kind"])["completed"].mean()
    notes = {(str(p), str(k)): f"{100 * share:.0f} %" for (p, k), share in done.items()}
    return plot_boxes(
        frame.sort_values("kind", kind="stable", ascending=False).sort_values(
            "policy", kind="stable", key=lambda names: names.map(SCHEMES.index)
        ),
        axes,
        x="policy",
        y="lateness",
        hue="kind",
        xlabel="scheme (boxes: completed jobs only; below: the share that completed)",
        ylabel="completion minus target time (slots)",
        title=title,
        notes=notes,
        zero=True,
    )


def _plot(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    jobs, seeds = frame["jobs"].iat[0], frame["seed"].nunique()
    return _boxes(frame, axes, f"{jobs} jobs, {setting_of(frame)}, {seeds} seeds together")


FIGURE_4 = Figure(
    name="utility-4",
    title="completion minus target time, time-sensitive and time-critical jobs, five schemes",
    source="OASiS, Fig. 4",
    cells=_cells,
    run=_run,
    plot=_plot,
)


def _run_testbed(*, seed: int, policy: str) -> list[dict[str, Any]]:
    return timeliness_record(draw_testbed(seed), policy, {"seed": seed, "policy": policy})


def _plot_testbed(frame: pd.DataFrame, axes: Axes | None) -> Picture:
    title = f"testbed, simulated: 12 jobs, {frame['seed'].nunique()} seeds together"
    return _boxes(frame.assign(kind="all jobs"), axes, title)


FIGURE_9 = Figure(
    name="utility-9",
    title="completion minus target time of all jobs on the testbed, simulated, five schemes",
    source="OASiS, Fig. 9",
    cells=testbed_cells,
    run=_run_testbed,
    plot=_plot_testbed,
)
