"""The pictures of ``colocated``: Figures 6 to 10 of the paper, and four of our own."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.colocated.measures_theory import GAINS
from benchmarks.colocated.readings import LOADS, OWN
from benchmarks.pictures.intervals import plot_intervals
from benchmarks.pictures.lines import plot_lines
from benchmarks.pictures.style import panels, sizes_told, titled
from benchmarks.study.claim import Picture

__all__ = ["PICTURES"]

_LABELS = {
    "jobs": "number of jobs",
    "servers": "number of machines",
    "internal_times": "bandwidth on a machine over that between machines",
}


_where = partial(sizes_told, servers="machines")


def _by_load(frame: pd.DataFrame, axes: Axes | None, draw: Any, title: str) -> Figure:
    """A panel for each load."""
    drawn = panels(axes, len(LOADS), 11.0, 4.2)
    for panel, reading in zip(drawn, LOADS, strict=True):
        part = frame[frame["reading"] == reading.name]
        load = f"load {part['load'].min():.2g} to {part['load'].max():.2g}"
        draw(part, panel, title=f"{reading.words}: {load}", legend=panel is drawn[0])
    return titled(drawn[0], title)


def _lines(frame: pd.DataFrame, axes: Axes | None, *, varied: str) -> Figure:
    how: dict[str, Any] = {"x": varied, "y": "utility", "series": "policy"}
    how |= {"xlabel": _LABELS[varied], "ylabel": "total utility"}
    how |= {"spacing": "log"} if varied == "internal_times" else {}
    return _by_load(frame, axes, partial(plot_lines, **how), _where(frame, varied))


def _times(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    """Medians over all jobs, and over the completed ones."""
    words = {
        "time_all": "all jobs, the rest as if in slot T",
        "time_done": "completed jobs, where there are any",
    }
    rows = frame.melt(["policy", "seed", "load", "reading"], list(words), "of", "delay").dropna()
    rows = rows.assign(of=rows["of"].map(words), delay=rows["delay"].astype(float))
    how: dict[str, Any] = {"x": "policy", "lower": "delay", "upper": "delay", "hue": "of"}
    how |= {"xlabel": "", "ylabel": "median slots from arrival to completion"}
    return _by_load(rows, axes, partial(plot_intervals, **how), _where(frame))


def _ratios(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    rows = frame.assign(level=frame["asked_load"].map("load {:g}".format))
    proven = (frame["offline_status"] == "optimal").mean()
    how: dict[str, Any] = {"lower": "ratio_lower", "upper": "ratio_upper", "hue": "policy"}
    how |= {"xlabel": "", "ylabel": "competitive ratio", "log_y": True}
    how["title"] = f"{_where(frame)}\ncertified intervals, optimum proven for {100 * proven:.0f} %"
    return plot_intervals(rows, axes, x="level", **how)


def _readings(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    """Utility over that of the registered variant on the same instance."""
    keys = ["reading", "seed"]
    base = frame[frame["policy"] == "registered"].set_index(keys)["utility"]
    under = base.reindex(pd.MultiIndex.from_frame(frame[keys])).to_numpy()
    rows = frame.assign(share=frame["utility"] / under)
    rows = rows[rows["policy"] != "registered"]
    how: dict[str, Any] = {"x": "policy", "lower": "share", "upper": "share"}
    how |= {"xlabel": "", "ylabel": f"utility over that of {OWN} as registered"}

    def draw(part: pd.DataFrame, panel: Axes, **labels: Any) -> None:
        plot_intervals(part, panel, **how, **labels)
        panel.axhline(1.0, color="0.6", linewidth=0.8)
        for tick in panel.get_xticklabels():
            tick.set(rotation=30, ha="right", rotation_mode="anchor")

    return _by_load(rows, axes, draw, _where(frame))


def _rounding(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    """A panel for each way to scale, how often what is promised holds; and one of the costs.

    What is shown of a seed is the mean over its slots.
    """
    drawn = panels(axes, len(GAINS) + 1, 16.0, 4.2)
    kept = {"covers": "covering rows", "packs": "packing rows", "cheap": "cost", "all": "all"}
    rows = frame[frame["gain"].notna()].rename(columns=kept)
    deltas = sorted(frame["delta"].unique())
    for panel, way in zip(drawn, GAINS, strict=False):
        part = rows[rows["way"] == way].melt(
            ["delta", "seed"], list(kept.values()), "what", "share"
        )
        first = panel is drawn[0]
        labels: dict[str, Any] = {"xlabel": "delta; dotted: 1 - delta", "title": f"G: {way}"}
        labels |= {"ylabel": "share of the trials" * first, "legend": first}
        if len(part):
            part = part.astype({"share": float})
            part = part.groupby(["what", "delta", "seed"], sort=False, as_index=False).mean()
            plot_lines(part, panel, x="delta", y="share", series="what", **labels)
        panel.plot(deltas, [1.0 - delta for delta in deltas], color="0.4", linestyle=":")
        panel.set_ylim(-0.05, 1.05)
    of = {"mean": "all trials", "rounding": "rounding", "greedy": "greedy", "exact": "exact"}
    once = frame[(frame["way"] == "1") & (frame["delta"] == deltas[-1])].rename(columns=of)
    costs = once.melt("seed", list(of.values()), "of", "cost").astype({"cost": float})
    costs = costs.groupby(["of", "seed"], sort=False, as_index=False).mean()
    how: dict[str, Any] = {"xlabel": "", "ylabel": "cost over that of the relaxation"}
    plot_intervals(costs, drawn[-1], x="of", lower="cost", upper="cost", **how, title="G: 1")
    slots = len(frame) // (len(GAINS) * len(deltas))
    words = f"{frame['trials'].iat[0]} trials in each of {slots} slots; {_where(frame)}"
    return titled(drawn[0], words)


_JOBS, _MACHINES = (partial(_lines, varied=name) for name in ("jobs", "servers"))
_TOTAL = "total utility against"

# Number of the figure, or name of our own; study, title.
_PICTURES: tuple[tuple[str, str, str, Any], ...] = (
    ("6", "machines", f"{_TOTAL} machines", _MACHINES),
    ("7", "jobs", f"{_TOTAL} jobs", _JOBS),
    ("8", "split-jobs", f"{_TOTAL} jobs, beside OASiS", _JOBS),
    ("9", "split-machines", f"{_TOTAL} machines, beside OASiS", _MACHINES),
    ("10", "times", "median training time of five schemes", _times),
    (
        "bandwidth",
        "bandwidth",
        "what one machine for all of a job is worth",
        partial(_lines, varied="internal_times"),
    ),
    ("ratio", "ratio", "competitive ratios, certified", _ratios),
    ("rounding", "rounding", "randomised rounding in one slot", _rounding),
    ("readings", "readings", "PD-ORS with other parameters", _readings),
)
PICTURES: tuple[Picture, ...] = tuple(
    Picture(
        f"colocated-{name}",
        title,
        f"PD-ORS, Fig. {name}" if name.isdigit() else "ours",
        f"colocated-{study}",
        plot,
    )
    for name, study, title, plot in _PICTURES
)
"""In the order of the paper; then our own."""
