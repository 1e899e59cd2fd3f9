"""The pictures of ``utility``: the figures of the OASiS paper, and three of our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.pictures.boxes import plot_boxes
from benchmarks.pictures.intervals import plot_intervals
from benchmarks.pictures.lines import plot_lines
from benchmarks.pictures.style import figure_of, panels
from benchmarks.study.picture import Picture
from benchmarks.utility.studies import POLICIES

__all__ = ["PICTURES"]

_UTILITY = "total job utility"
_LATE = "completion minus target time"
_SCHEMES = "scheme (boxes: completed jobs only; below: the share that completed)"
_THRESHOLDS = {
    "rrh threshold": "least gain at which RRH admits (utility)",
    "dorm theta1": "Dorm: fairness threshold θ1",
    "dorm theta2": "Dorm: adjustment threshold θ2",
}


def _setting(frame: pd.DataFrame) -> str:
    slots, servers = frame["slots"].iat[0], frame["servers"].iat[0]
    return f"T = {slots}, {servers}+{servers} servers"


def _means(frame: pd.DataFrame) -> str:
    """What marks and bars are."""
    return f"mean of {frame['seed'].nunique()} seeds, 95 % interval"


def _labels(x: str, y: str, title: str) -> dict[str, Any]:
    return {"xlabel": x, "ylabel": y, "title": title}


def _utilities(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    labels = _labels("number of jobs", _UTILITY, f"{_setting(frame)}; {_means(frame)}")
    return plot_lines(frame, axes, x="jobs", y="utility", series="policy", **labels)


def _testbed_utilities(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    title = f"testbed, simulated: 12 jobs, {frame['seed'].nunique()} seeds"
    labels = _labels("scheme", _UTILITY, title)
    return plot_intervals(frame, axes, x="policy", lower="utility", upper="utility", **labels)


def _boxes(frame: pd.DataFrame, axes: Axes | None, title: str) -> Figure:
    done = frame.groupby(["policy", "kind"])["completed"].mean()
    notes = {(str(p), str(k)): f"{100 * share:.0f} %" for (p, k), share in done.items()}
    kinds = frame.sort_values("kind", kind="stable", ascending=False)
    rows = kinds.sort_values("policy", kind="stable", key=lambda names: names.map(POLICIES.index))
    labels = _labels(_SCHEMES, f"{_LATE} (slots)", title)
    how: dict[str, Any] = {"notes": notes, "zero": True, **labels}
    return plot_boxes(rows, axes, x="policy", y="lateness", hue="kind", **how)


def _lateness(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    jobs, seeds = frame["jobs"].iat[0], frame["seed"].nunique()
    return _boxes(frame, axes, f"{jobs} jobs, {_setting(frame)}, {seeds} seeds together")


def _testbed_lateness(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    title = f"testbed, simulated: 12 jobs, {frame['seed'].nunique()} seeds together"
    return _boxes(frame.assign(kind="all jobs"), axes, title)


def _intervals(
    frame: pd.DataFrame, axes: Axes | None, x: str, xlabel: str, title: str, **how: Any
) -> Figure:
    labels = _labels(xlabel, "offline optimum / utility of OASiS", title)
    how |= {"lower": "ratio_lower", "upper": "ratio_upper", "level": 1.0}
    return plot_intervals(frame, axes, x=x, **labels, **how)


def _ratio(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    spread = frame.groupby("priority")["log_u_over_l"].agg(["min", "max"])
    names = {
        priority: f"[1, {priority:g}]: {row['min']:.0f} to {row['max']:.0f}"
        for priority, row in spread.iterrows()
    }
    proven = int((frame["offline_status"] == "optimal").sum())
    return _intervals(
        frame.assign(range=frame["priority"].map(names)),
        axes,
        "servers",
        "worker + parameter servers",
        f"{frame['jobs'].iat[0]} jobs, T = {frame['slots'].iat[0]}; optimum proven on {proven} of "
        f"{len(frame)} instances",
        hue="range",
        hue_title="a mark is a seed; range of priorities: ln max(U/L)",
        ticks={n: f"{n}+{n}" for n in frame["servers"].unique().tolist()},
    )


def _large_ratio(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    servers, seeds = frame["servers"].iat[0], frame["seed"].nunique()
    return _intervals(
        frame.assign(timespan=[f"T = {slots}" for slots in frame["slots"]]),
        axes,
        "jobs",
        "jobs",
        f"{servers}+{servers} servers; best schedule known to best bound, {seeds} seed(s)",
        hue="timespan",
        hue_title="a mark is a seed",
        ticks={n: str(n) for n in frame["jobs"].unique().tolist()},
    )


def _estimates(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    rows = frame.assign(series=frame["jobs"].map("{} jobs".format))
    xlabel, title = "estimate of U/L, as a multiple of the actual value", _setting(frame)
    return _of_oasis(rows, axes, "scale", xlabel, f"{title}; {_means(frame)}")


def _history(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    exact = {"series": "exact U and L (of the future)", "utility": frame["exact_utility"]}
    rows = pd.concat([frame.assign(series="U and L from past jobs"), frame.assign(**exact)])
    title = f"{frame['jobs'].iat[0]} jobs, {_setting(frame)}; {_means(frame)}"
    xlabel = "number of past jobs that U and L are estimated from"
    return _of_oasis(rows, axes, "past", xlabel, title)


def _of_oasis(frame: pd.DataFrame, axes: Axes | None, x: str, xlabel: str, title: str) -> Figure:
    labels = _labels(xlabel, f"{_UTILITY} of OASiS", title)
    return plot_lines(frame, axes, x=x, y="utility", series="series", spacing="log", **labels)


def _thresholds(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    drawn = panels(axes, len(_THRESHOLDS), 11.0, 3.8)
    titles = (f"{frame['jobs'].iat[0]} jobs, {_setting(frame)}", _means(frame), "")
    for panel, (parameter, label), title in zip(drawn, _THRESHOLDS.items(), titles, strict=True):
        part = frame[frame["parameter"] == parameter]
        oasis = part.assign(policy="oasis", utility=part["oasis_utility"])
        both = pd.concat([oasis, part.assign(policy=parameter.split()[0])])
        how = {**_labels(label, _UTILITY if panel is drawn[0] else "", title), "spacing": "even"}
        plot_lines(both, panel, x="value", y="utility", series="policy", **how)
    ends = [panel.get_ylim() for panel in drawn]
    for panel in drawn:  # one scale, so that the panels can be compared
        panel.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))
    return figure_of(drawn[0])


_TITLES = {
    "3": f"{_UTILITY} against the number of jobs, five schemes",
    "4": f"{_LATE}, time-sensitive and time-critical jobs, five schemes",
    "5": "performance ratio of OASiS against servers and priorities, certified intervals",
    "6": f"{_UTILITY} of OASiS under wrong estimates of U/L",
    "8": f"{_UTILITY} of five schemes on the testbed, simulated",
    "9": f"{_LATE} of all jobs on the testbed, simulated, five schemes",
    "5-large": "performance ratio of OASiS at the scale of the paper's simulations, certified "
    "intervals",
    "thresholds": f"{_UTILITY} against the thresholds of RRH and Dorm",
    "history": f"{_UTILITY} of OASiS with U and L estimated from past jobs",
}


def _picture(
    name: str, source: str, plot: Callable[[pd.DataFrame, Axes | None], Figure]
) -> Picture:
    """The picture of the study of the same name."""
    return Picture(f"utility-{name}", _TITLES[name], source, f"utility-{name}", plot)


PICTURES: tuple[Picture, ...] = (
    _picture("3", "OASiS, Fig. 3", _utilities),
    _picture("4", "OASiS, Fig. 4", _lateness),
    _picture("5", "OASiS, Fig. 5", _ratio),
    _picture("6", "OASiS, Fig. 6", _estimates),
    _picture("8", "OASiS, Fig. 8", _testbed_utilities),
    _picture("9", "OASiS, Fig. 9", _testbed_lateness),
    _picture("5-large", "not in the paper: Fig. 5 with 100 and 200 jobs", _large_ratio),
    _picture("thresholds", "not in OASiS", _thresholds),
    _picture("history", "not in OASiS", _history),
)
"""In the order of the paper; then our own."""
