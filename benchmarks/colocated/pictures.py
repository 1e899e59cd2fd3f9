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
from benchmarks.pictures.style import figure_of, panels
from benchmarks.study.claim import Picture

__all__ = ["PICTURES"]

_LABELS = {
    "jobs": "number of jobs",
    "servers": "number of machines",
    "internal_times": "bandwidth on a machine over that between machines",
}


def _where(frame: pd.DataFrame, varied: str = "") -> str:
    """What is the same everywhere, and what marks are."""
    names = {"jobs": "jobs", "servers": "machines"}
    same = [f"{frame[name].iat[0]} {word}" for name, word in names.items() if name != varied]
    words = ", ".join([*same, f"T = {frame['slots'].iat[0]}"])
    return f"{words}; mean of {frame['seed'].nunique()} seeds, 95 % interval"


def _by_load(frame: pd.DataFrame, axes: Axes | None, draw: Any, title: str) -> Figure:
    """A panel for each load."""
    drawn = panels(axes, len(LOADS), 11.0, 4.2)
    for panel, reading in zip(drawn, LOADS, strict=True):
        part = frame[frame["reading"] == reading.name]
        load = f"load {part['load'].min():.2g} to {part['load'].max():.2g}"
        draw(part, panel, title=f"{reading.words}: {load}", legend=panel is drawn[0])
    figure = figure_of(drawn[0])
    figure.suptitle(title, fontsize="medium")
    return figure


def _lines(frame: pd.DataFrame, axes: Axes | None, *, varied: str) -> Figure:
    how: dict[str, Any] = {"x": varied, "y": "utility", "series": "policy"}
    how |= {"xlabel": _LABELS[varied], "ylabel": "total utility"}
    how |= {"spacing": "log"} if varied == "internal_times" else {}
    return _by_load(frame, axes, partial(plot_lines, **how), _where(frame, varied))


def _times(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    """Medians over all jobs, and over the completed ones."""
    words = {"time_all": "all jobs, T for the rest", "time_done": "completed jobs"}
    rows = frame.melt(["policy", "seed", "load", "reading"], list(words), "of", "delay")
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
    """A panel for each way to scale, how often what is promised holds; and one of the costs."""
    drawn = panels(axes, len(GAINS) + 1, 16.0, 4.2)
    kept = {"covers": "covering rows", "packs": "packing rows", "cheap": "cost", "all": "all"}
    rows = frame[frame["gain"].notna()].rename(columns=kept)
    deltas = sorted(frame["delta"].unique())
    for panel, way in zip(drawn, GAINS, strict=False):
        part = rows[rows["way"] == way].melt("delta", list(kept.values()), "what", "share")
        first = panel is drawn[0]
        labels: dict[str, Any] = {"xlabel": "delta; dotted: 1 - delta", "title": f"G: {way}"}
        labels |= {"ylabel": "share of the trials" * first, "legend": first}
        if len(part):
            part = part.astype({"share": float})
            plot_lines(part, panel, x="delta", y="share", series="what", **labels)
        panel.plot(deltas, [1.0 - delta for delta in deltas], color="0.4", linestyle=":")
        panel.set_ylim(-0.05, 1.05)
    of = {"mean": "all trials", "rounding": "rounding", "greedy": "greedy", "exact": "exact"}
    once = frame[(frame["way"] == "1") & (frame["delta"] == deltas[-1])].rename(columns=of)
    costs = once.melt("seed", list(of.values()), "of", "cost").astype({"cost": float})
    how: dict[str, Any] = {"xlabel": "", "ylabel": "cost over that of the relaxation"}
    plot_intervals(costs, drawn[-1], x="of", lower="cost", upper="cost", **how, title="G: 1")
    figure = figure_of(drawn[0])
    slots = len(frame) // (len(GAINS) * len(deltas))
    words = f"{frame['trials'].iat[0]} trials in each of {slots} slots; {_where(frame)}"
    figure.suptitle(words, fontsize="medium")
    return figure


def _picture(name: str, study: str, title: str, source: str, plot: Any, **how: str) -> Picture:
    return Picture(f"colocated-{name}", title, source, f"colocated-{study}", partial(plot, **how))


def _figure(number: int, study: str, title: str, plot: Any, **how: str) -> Picture:
    return _picture(str(number), study, title, f"PD-ORS, Fig. {number}", plot, **how)


_OURS = "ours"
_AXES = (
    (6, "machines", "machines"),
    (7, "jobs", "jobs"),
    (8, "split-jobs", "jobs, beside OASiS"),
    (9, "split-machines", "machines, beside OASiS"),
)

PICTURES: tuple[Picture, ...] = (
    *(
        _figure(
            number,
            study,
            f"total utility against {words}",
            _lines,
            varied="jobs" if "jobs" in study else "servers",
        )
        for number, study, words in _AXES
    ),
    _figure(10, "times", "median training time of five schemes", _times),
    _picture(
        "bandwidth",
        "bandwidth",
        "what one machine for all of a job is worth",
        _OURS,
        _lines,
        varied="internal_times",
    ),
    _picture("ratio", "ratio", "competitive ratios, certified", _OURS, _ratios),
    _picture("rounding", "rounding", "randomised rounding in one slot", _OURS, _rounding),
    _picture("readings", "readings", "PD-ORS with other parameters", _OURS, _readings),
)
"""In the order of the paper; then our own."""
