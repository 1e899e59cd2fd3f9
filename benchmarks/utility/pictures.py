"""The pictures of ``utility``: the figures of the OASiS paper, and three of our own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import nan
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.pictures.intervals import plot_boxes, plot_intervals
from benchmarks.pictures.lines import plot_lines
from benchmarks.pictures.style import panels, sizes_told, titled
from benchmarks.study.claim import Picture
from benchmarks.utility.studies import POLICIES

__all__ = ["PICTURES"]

_UTILITY, _BED = "total job utility", "testbed, simulated"
_LATE = "completion minus target time"
_SCHEMES = "scheme (boxes: completed jobs only; below: the share that completed)"
_THRESHOLDS = {
    "rrh threshold": "least gain at which RRH admits (utility)",
    "dorm theta1": "Dorm: fairness threshold θ1",
    "dorm theta2": "Dorm: adjustment threshold θ2",
}


def _sizes(frame: pd.DataFrame, *varied: str) -> str:
    both = frame.assign(servers=frame["servers"].map("{0}+{0}".format))
    return sizes_told(both, *varied)


def _by_load(
    frame: pd.DataFrame, axes: Axes | None, draw: Callable[..., object], title: str
) -> Figure:
    """A panel for the work as drawn, and one for each load that it is scaled to."""
    asked = frame.get("asked_load", pd.Series(nan, frame.index))
    parts = sorted(frame.groupby(asked, dropna=False), key=lambda part: pd.notna(part[0]))
    columns, rows = min(len(parts), 2), -(-len(parts) // 2)
    drawn = panels(axes, columns, 6.4 * columns, 4.2 * rows, rows)
    for panel, (load, part) in zip(drawn, parts, strict=False):
        ends = dict.fromkeys(f"{end:.2g}" for end in (part["load"].min(), part["load"].max()))
        way = "work as drawn" if pd.isna(load) else "work scaled"
        draw(part, panel, title=f"{way}: load {' to '.join(ends)}", legend=panel is drawn[0])
    return titled(drawn[0], title)


def _utilities(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    labels: dict[str, Any] = {"xlabel": "number of jobs", "ylabel": _UTILITY}
    draw = partial(plot_lines, x="jobs", y="utility", series="policy", **labels)
    return _by_load(frame, axes, draw, _sizes(frame, "jobs"))


def _testbed_utilities(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    how = dict[str, Any](x="policy", lower="utility", upper="utility", title=f"{_BED}: 12 jobs")
    return plot_intervals(frame, axes, xlabel="scheme", ylabel=_UTILITY, **how)


def _lateness(frame: pd.DataFrame, axes: Axes | None, **labels: Any) -> Figure:
    done = frame.groupby(["policy", "kind"])["completed"].mean()
    notes = {(str(p), str(k)): f"{100 * share:.0f} %" for (p, k), share in done.items()}
    rows = frame.sort_values("kind", kind="stable", ascending=False)
    rows = rows.sort_values("policy", kind="stable", key=lambda names: names.map(POLICIES.index))
    how: dict[str, Any] = {"notes": notes, "level": 0.0, "xlabel": _SCHEMES}
    how |= {"ylabel": f"{_LATE} (slots)", **labels}
    return plot_boxes(rows, axes, x="policy", y="lateness", hue="kind", **how)


def _testbed_lateness(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    return _lateness(frame.assign(kind="all jobs"), axes, title=f"{_BED}: 12 jobs")


def _classes(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    return _by_load(frame, axes, _lateness, _sizes(frame))


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
    rows = frame.assign(hue=frame["priority"].map(names)).sort_values("servers", kind="stable")
    proven = int((frame["offline_status"] == "optimal").sum())
    told = f"optimum proven on {proven} of {len(frame)} instances"
    how: dict[str, Any] = {"hues": "a mark is a seed; range of priorities: ln max(U/L)"}
    how |= {"xlabel": "worker + parameter servers", "among": list(names.values())}
    draw = partial(_intervals, x="servers", tick="{0}+{0}", **how)
    return _by_load(rows, axes, draw, f"{_sizes(frame, 'servers')}; {told}")


def _large_ratio(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    rows = frame.assign(hue=frame["slots"].map("T = {}".format))
    title = "{0}+{0} servers; best schedule known to best bound".format(frame["servers"].iat[0])
    return _intervals(rows, axes, "jobs", "{}", title, "a mark is a seed", xlabel="jobs")


def _estimates(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    rows = frame.assign(series=frame["jobs"].map("{} jobs".format))
    xlabel = "estimate of U/L, as a multiple of the actual value"
    return _of_oasis(rows, axes, "scale", xlabel, _sizes(frame, "jobs"))


def _history(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    exact = {"series": "exact U and L (of the future)", "utility": frame["exact_utility"]}
    rows = pd.concat([frame.assign(series="U and L from past jobs"), frame.assign(**exact)])
    xlabel = "number of past jobs that U and L are estimated from"
    return _of_oasis(rows, axes, "past", xlabel, _sizes(frame))


def _of_oasis(frame: pd.DataFrame, axes: Axes | None, x: str, xlabel: str, title: str) -> Figure:
    how: dict[str, Any] = {"x": x, "y": "utility", "series": "series", "spacing": "log"}
    how |= {"xlabel": xlabel, "ylabel": f"{_UTILITY} of OASiS", "title": title}
    return plot_lines(frame, axes, **how)


def _thresholds(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    drawn = panels(axes, len(_THRESHOLDS), 11.0, 3.8)
    for panel, (parameter, label) in zip(drawn, _THRESHOLDS.items(), strict=True):
        part = frame[frame["parameter"] == parameter]
        oasis = part.assign(policy="oasis", utility=part["oasis_utility"])
        both = pd.concat([oasis, part.assign(policy=parameter.split()[0])])
        how: dict[str, Any] = {"xlabel": label, "ylabel": _UTILITY * (panel is drawn[0])}
        plot_lines(both, panel, x="value", y="utility", series="policy", spacing="even", **how)
    ends = [panel.get_ylim() for panel in drawn]
    for panel in drawn:  # one scale, so that the panels can be compared
        panel.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))
    return titled(drawn[0], _sizes(frame))


_RATIO = "performance ratio of OASiS {}, certified intervals"
_OWN, _LARGE = "not in OASiS", "not in the paper: Fig. 5 with 100 and 200 jobs"

PICTURES: tuple[Picture, ...] = tuple(
    Picture(
        *(f"utility-{name}", title, source or f"OASiS, Fig. {name}", f"utility-{name}", plot),
        beside=f"utility-{name}-loads" if plot in (_utilities, _classes, _ratio) else "",
    )
    for name, title, source, plot in (
        ("3", f"{_UTILITY} against the number of jobs, five schemes", "", _utilities),
        ("4", f"{_LATE}, time-sensitive and time-critical jobs, five schemes", "", _classes),
        ("5", _RATIO.format("against servers and priorities"), "", _ratio),
        ("6", f"{_UTILITY} of OASiS under wrong estimates of U/L", "", _estimates),
        ("8", f"{_UTILITY} of five schemes on the {_BED}", "", _testbed_utilities),
        ("9", f"{_LATE} of all jobs on the {_BED}, five schemes", "", _testbed_lateness),
        ("5-large", _RATIO.format("at the scale of the paper's simulations"), _LARGE, _large_ratio),
        ("thresholds", f"{_UTILITY} against the thresholds of RRH and Dorm", _OWN, _thresholds),
        ("history", f"{_UTILITY} of OASiS with U and L estimated from past jobs", _OWN, _history),
    )
)
"""In the order of the paper, whose figures they are where no other source is given; then ours."""
