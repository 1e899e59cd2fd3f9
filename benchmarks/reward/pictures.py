"""The figures of the OGASched paper, its Table 2, and regret, as they are drawn."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.pictures.intervals import plot_intervals
from benchmarks.pictures.lines import plot_curves, plot_lines, plot_medians
from benchmarks.pictures.style import (
    MEDIANS,
    RANGES,
    legend_below,
    panels,
    ratio_axis,
    titled,
    told,
)
from benchmarks.reward import studies
from benchmarks.study.claim import Picture
from benchmarks.study.frames import along, ratios_to

__all__ = ["PICTURES"]

_LABELS = {
    "servers": "servers |R|",
    "ports": "ports |L|, at the same density",
    "contention": "contention (multiplies requests)",
    "slots": "horizon T",
    "probability": "arrival probability ρ",
    "density": "graph density",
}
_SETTING = {
    "ports": "{ports} ports",
    "servers": "{servers} servers",
    "slots": "T = {slots}",
    "density": "density {density:g}",
    "contention": "contention {contention:g}",
}
_AMONG = (*studies.RULES, *studies.BASELINES, *studies.GENEROUS)
_curves = partial(
    plot_curves, x="slot", series="policy", xlabel="slots t", among=_AMONG, legend=False
)
_ratios = partial(ratios_to, others=(*studies.BASELINES, *studies.GENEROUS))
_bare: dict[str, Any] = {"series": "policy", "legend": False}  # one legend for all panels


def _lines(frame: pd.DataFrame, panel: Axes, x: str, y: str, label: str, title: str = "") -> None:
    """Draw a column against a setting, a line for each policy."""
    labels: dict[str, Any] = {"xlabel": _LABELS[x], "ylabel": label, "title": title}
    plot_lines(frame, panel, x=x, y=y, spacing="even", among=_AMONG, **_bare, **labels)


def _setting(frame: pd.DataFrame, *varied: str) -> str:
    """Size, density and contention of the base, for a title, but for what is varied."""
    texts = (text for name, text in _SETTING.items() if name not in varied)
    return ", ".join(texts).format(**frame.iloc[0])


def _over_time(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    drawn = panels(axes, 2, 11.0, 7.0, rows=2)
    _curves(frame, drawn[0], y="average", ylabel="average reward until t", title="(a)")
    _curves(frame, drawn[1], y="reward", ylabel="accumulated reward until t", title="(b)")
    for letter, panel, rule in zip("cd", drawn[2:], studies.RULES, strict=True):
        ratios, label = _ratios(frame, rule, x="slot", y="average"), f"average of {rule} / baseline"
        _curves(ratios, panel, y="ratio", ylabel=label, title=f"({letter}) {rule}")
        ratio_axis(panel)
    titled(drawn[0], _setting(frame))
    return legend_below(drawn, 5, told(frame, RANGES))


def _along_sizes(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    drawn = panels(axes, 3, 12.0, 9.5, rows=3)
    for place, x in enumerate(("servers", "ports", "contention")):
        part = along(frame, studies.SETTINGS, (x,))
        label, title = "" if place else "accumulated reward", f"({'abc'[place]}) "
        _lines(part, drawn[place], x, "reward", label, title + _setting(frame, x))
        for row, rule in enumerate(studies.RULES, 1):
            panel, label = drawn[3 * row + place], "" if place else f"{rule} / baseline"
            _lines(_ratios(part, rule, x=x, y="reward"), panel, x, "ratio", label)
            ratio_axis(panel)
    return legend_below(drawn, 5, told(frame))


def _first_steps(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    drawn = panels(axes, 2, 11.0, 4.4)
    references = frame[frame["policy"].isin(studies.REFERENCES)]

    def draw(panel: Axes, x: str, own: pd.DataFrame, **labels: Any) -> None:
        values = own[x].drop_duplicates().sort_values()
        both = pd.concat([own, references.drop(columns=x).merge(values, how="cross")])
        plot_lines(both, panel, x=x, y="reward", spacing="even", **_bare, **labels)

    eta, decay = studies.STEPS
    labels = {"xlabel": "initial learning rate η0", "ylabel": "accumulated reward"}
    title = f"(a) decay {decay:g}"
    draw(drawn[0], "initial", frame[frame["factor"] == decay], title=title, **labels)
    title = f"(b) η0 = {eta:g}"
    draw(drawn[1], "factor", frame[frame["initial"] == eta], title=title, xlabel="decay", ylabel="")
    ends = [panel.get_ylim() for panel in drawn]
    for panel in drawn:  # one scale, so that the panels can be compared
        panel.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))
    titled(drawn[0], _setting(frame))
    return legend_below(drawn, 4, told(frame))


def _gain_and_penalty(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    drawn = panels(axes, 2, 10.0, 4.2)
    _lines(frame, drawn[0], "contention", "gain", "average computation gain of a slot")
    _lines(frame, drawn[1], "contention", "penalty", "average communication penalty of a slot")
    titled(drawn[0], _setting(frame, "contention"))
    return legend_below(drawn, 5, told(frame))


def _by_utility(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    kinds = list(dict.fromkeys(frame["utilities"]))
    drawn = panels(axes, len(kinds), 12.0, 4.2)
    how: dict[str, Any] = {"lower": "reward", "upper": "reward", "level": 0.0, "legend": False}
    for panel, kind in zip(drawn, kinds, strict=True):
        part, ticks = frame[frame["utilities"] == kind], {kind: f"all {kind}"}
        how |= {"xlabel": "utilities", "ticks": ticks}
        how["ylabel"] = "accumulated reward" if panel is drawn[0] else ""
        plot_intervals(part, panel, x="utilities", hue="policy", **how)
    titled(drawn[0], f"{_setting(frame)}; a scale for each kind")
    return legend_below(drawn, 5, "a mark is a seed")


def _table_2(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    drawn = panels(axes, 3, 13.0, 4.2)
    size = ("ports", "servers", "contention")
    titles = {
        "slots": _setting(frame, "slots"),
        "probability": _setting(frame, *size),
        "density": _setting(frame, *size, "density"),
    }
    for panel, (x, title) in zip(drawn, titles.items(), strict=True):
        label = "average reward of a slot" if panel is drawn[0] else ""
        _lines(along(frame, studies.SETTINGS, (x,)), panel, x, "average", label, title)
    return legend_below(drawn, 5, told(frame))


def _regret(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    kinds = list(dict.fromkeys(frame["arrivals"]))
    labels = ("horizon T", "ports |L|, density grows with it", "servers |R|")
    drawn = panels(axes, len(labels), 11.0, 0.8 + 3.0 * len(kinds), rows=len(kinds))
    middle = 0.5 * (frame["regret_lower"] + frame["regret_upper"])
    # A logarithmic axis has no place for what is not above 0.
    shown = frame.assign(regret=middle.where(middle > 0))
    bound = shown[shown["policy"] == studies.RULES[0]]
    shown = pd.concat([shown, bound.assign(policy="bound (14)", regret=bound["bound"])])
    places = itertools.product(kinds, zip(studies.REGRET_AXES.items(), labels, strict=True))
    for panel, (kind, ((axis, varied), label)) in zip(drawn, places, strict=True):
        own = along(shown[shown["arrivals"] == kind], studies.SETTINGS, varied)
        words: dict[str, Any] = {"ylabel": "", "title": ""}
        if axis == "slots":
            words = {"ylabel": "regret over all slots", "title": f"{kind}: {_setting(frame)}"}
        plot_medians(own, panel, x=axis, y="regret", xlabel=label, **_bare, **words)
    return legend_below(drawn, 4, told(frame, MEDIANS))


_TITLES = {
    "2": "average and accumulated reward over time, OGASched with two step rules and baselines",
    "3": "accumulated reward against servers, ports and contention",
    "4": "accumulated reward of OGASched against initial learning rate and decay",
    "5": "the same with 100 ports and 1024 servers",
    "6": "computation gain and communication penalty against contention",
    "7": "accumulated reward with the four kinds of utilities",
    "table-2": "average reward against horizon, arrival probability and graph density",
    "regret": "regret of OGASched with three step rules, and the bound (14), against size",
}

PICTURES = tuple(
    Picture(f"reward-{name}", _TITLES[name], f"OGASched, {source}", f"reward-{name}", plot)
    for name, source, plot in (
        ("2", "Fig. 2", _over_time),
        ("3", "Fig. 3", _along_sizes),
        ("4", "Fig. 4", _first_steps),
        ("5", "Fig. 5", _over_time),
        ("6", "Fig. 6", _gain_and_penalty),
        ("7", "Fig. 7", _by_utility),
        ("table-2", "Tab. 2", _table_2),
        ("regret", "Th. 1", _regret),
    )
)
"""In the order of the paper; then our own."""
