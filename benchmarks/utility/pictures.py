"""The pictures of ``utility``: the figures of the OASiS paper, and three of our own."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.pictures.intervals import plot_boxes, plot_intervals
from benchmarks.pictures.lines import plot_lines
from benchmarks.pictures.style import figure_of, panels
from benchmarks.study.claim import Picture
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


def _jobs(frame: pd.DataFrame) -> str:
    return f"{frame['jobs'].iat[0]} jobs" if "jobs" in frame else "testbed, simulated: 12 jobs"


def _cluster(frame: pd.DataFrame) -> str:
    slots, servers = frame["slots"].iat[0], frame["servers"].iat[0]
    return f"T = {slots}, {servers}+{servers} servers"


def _labels(x: str, y: str, title: str) -> dict[str, Any]:
    return {"xlabel": x, "ylabel": y, "title": title}


def _utilities(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    labels = _labels("number of jobs", _UTILITY, _cluster(frame))
    return plot_lines(frame, axes, x="jobs", y="utility", series="policy", **labels)


def _testbed_utilities(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    labels = _labels("scheme", _UTILITY, _jobs(frame))
    return plot_intervals(frame, axes, x="policy", lower="utility", upper="utility", **labels)


def _lateness(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    simulated = "jobs" in frame
    where = f"{_jobs(frame)}, {_cluster(frame)}" if simulated else _jobs(frame)
    frame = frame if simulated else frame.assign(kind="all jobs")
    done = frame.groupby(["policy", "kind"])["completed"].mean()
    notes = {(str(p), str(k)): f"{100 * share:.0f} %" for (p, k), share in done.items()}
    kinds = frame.sort_values("kind", kind="stable", ascending=False)
    rows = kinds.sort_values("policy", kind="stable", key=lambda names: names.map(POLICIES.index))
    how: dict[str, Any] = {"notes": notes, "level": 0.0}
    how |= _labels(_SCHEMES, f"{_LATE} (slots)", where)
    return plot_boxes(rows, axes, x="policy", y="lateness", hue="kind", **how)


def _intervals(
    frame: pd.DataFrame, axes: Axes | None, x: str, tick: str, title: str, hues: str, **how: Any
) -> Figure:
    ticks = {n: tick.format(n) for n in frame[x].unique().tolist()}
    how |= {"ylabel": "offline optimum / utility of OASiS", "level": 1.0, "hue": "hue"}
    how |= {"lower": "ratio_lower", "upper": "ratio_upper", "title": title, "hue_title": hues}
    return plot_intervals(frame, axes, x=x, ticks=ticks, **how)


def _ratio(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    spread = frame.groupby("priority")["log_u_over_l"].agg(["min", "max"]).itertuples()
    names = {top: f"[1, {top:g}]: {low:.0f} to {high:.0f}" for top, low, high in spread}
    rows = frame.assign(hue=frame["priority"].map(names))
    proven = int((frame["offline_status"] == "optimal").sum())
    where = f"{_jobs(frame)}, T = {frame['slots'].iat[0]}"
    title = f"{where}; optimum proven on {proven} of {len(frame)} instances"
    hues = "a mark is a seed; range of priorities: ln max(U/L)"
    label = "worker + parameter servers"
    return _intervals(rows, axes, "servers", "{0}+{0}", title, hues, xlabel=label)


def _large_ratio(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    rows = frame.assign(hue=frame["slots"].map("T = {}".format))
    servers = frame["servers"].iat[0]
    title = f"{servers}+{servers} servers; best schedule known to best bound"
    return _intervals(rows, axes, "jobs", "{}", title, "a mark is a seed", xlabel="jobs")


def _estimates(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    rows = frame.assign(series=frame["jobs"].map("{} jobs".format))
    xlabel = "estimate of U/L, as a multiple of the actual value"
    return _of_oasis(rows, axes, "scale", xlabel, _cluster(frame))


def _history(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    exact = {"series": "exact U and L (of the future)", "utility": frame["exact_utility"]}
    rows = pd.concat([frame.assign(series="U and L from past jobs"), frame.assign(**exact)])
    title = f"{_jobs(frame)}, {_cluster(frame)}"
    xlabel = "number of past jobs that U and L are estimated from"
    return _of_oasis(rows, axes, "past", xlabel, title)


def _of_oasis(frame: pd.DataFrame, axes: Axes | None, x: str, xlabel: str, title: str) -> Figure:
    labels = _labels(xlabel, f"{_UTILITY} of OASiS", title)
    return plot_lines(frame, axes, x=x, y="utility", series="series", spacing="log", **labels)


def _thresholds(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    drawn = panels(axes, len(_THRESHOLDS), 11.0, 3.8)
    titles = (f"{_jobs(frame)}, {_cluster(frame)}", "", "")
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


_RATIO = "performance ratio of OASiS {}, certified intervals"
_BED = "the testbed, simulated"
_OWN, _LARGE = "not in OASiS", "not in the paper: Fig. 5 with 100 and 200 jobs"

PICTURES: tuple[Picture, ...] = tuple(
    Picture(f"utility-{name}", title, source or f"OASiS, Fig. {name}", f"utility-{name}", plot)
    for name, title, source, plot in (
        ("3", f"{_UTILITY} against the number of jobs, five schemes", "", _utilities),
        ("4", f"{_LATE}, time-sensitive and time-critical jobs, five schemes", "", _lateness),
        ("5", _RATIO.format("against servers and priorities"), "", _ratio),
        ("6", f"{_UTILITY} of OASiS under wrong estimates of U/L", "", _estimates),
        ("8", f"{_UTILITY} of five schemes on {_BED}", "", _testbed_utilities),
        ("9", f"{_LATE} of all jobs on {_BED}, five schemes", "", _lateness),
        ("5-large", _RATIO.format("at the scale of the paper's simulations"), _LARGE, _large_ratio),
        ("thresholds", f"{_UTILITY} against the thresholds of RRH and Dorm", _OWN, _thresholds),
        ("history", f"{_UTILITY} of OASiS with U and L estimated from past jobs", _OWN, _history),
    )
)
"""In the order of the paper, whose figures they are where no other source is given; then ours."""
