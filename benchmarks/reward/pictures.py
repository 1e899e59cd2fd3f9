"""The figures of the OGASched paper, its Table 2, and regret, as they are drawn."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.pictures.intervals import plot_intervals
from benchmarks.pictures.lines import plot_curves, plot_lines, plot_medians
from benchmarks.pictures.style import figure_of, legend_below, panels, ratio_axis
from benchmarks.reward.studies import (
    BASELINES,
    GENEROUS,
    REFERENCES,
    REGRET_AXES,
    RULES,
    SETTINGS,
    STEPS,
)
from benchmarks.study.frames import along, ratios_to
from benchmarks.study.picture import Picture

__all__ = ["PICTURES"]

_LABELS = {
    "servers": "servers |R|",
    "ports": "ports |L|, at the same density",
    "contention": "contention (multiplies requests)",
    "slots": "horizon T",
    "probability": "arrival probability ρ",
    "density": "graph density",
}
_AMONG = (*RULES, *BASELINES, *GENEROUS)
_ALL: dict[str, Any] = {"series": "policy", "among": _AMONG, "legend": False}
_curves = partial(
    plot_curves, x="slot", series="policy", xlabel="slots t", among=_AMONG, legend=False
)
_ratios = partial(ratios_to, others=(*BASELINES, *GENEROUS))


def _lines(frame: pd.DataFrame, axes: Axes, x: str, y: str, label: str, title: str = "") -> None:
    """Draw a column against a setting, a line for each policy."""
    words = _words(_LABELS[x], label, title)
    plot_lines(frame, axes, x=x, y=y, spacing="even", **_ALL, **words)


def _words(x: str, y: str, title: str) -> dict[str, Any]:
    return {"xlabel": x, "ylabel": y, "title": title}


def _setting(frame: pd.DataFrame, *varied: str) -> str:
    """Size, density and contention of the base, for a title, but for what is varied."""
    texts = {
        "ports": "{ports} ports",
        "servers": "{servers} servers",
        "slots": "T = {slots}",
        "density": "density {density:g}",
        "contention": "contention {contention:g}",
    }
    chosen = [text for name, text in texts.items() if name not in varied]
    return ", ".join(chosen).format(**frame.iloc[0])


def _means(frame: pd.DataFrame) -> str:
    """What the marks and bars of a line picture are, for its title."""
    return f"mean of {frame['seed'].nunique()} seeds, 95 % interval"


def _over_time(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    drawn = panels(axes, 2, 11.0, 7.0, rows=2)
    titles = (f"(a) {_setting(frame)}", f"(b) mean and range of {frame['seed'].nunique()} seeds")
    for panel, column, title in zip(drawn, ("average", "reward"), titles, strict=False):
        word = "accumulated" if column == "reward" else column
        _curves(frame, panel, y=column, ylabel=f"{word} reward until t", title=title)
    for panel, rule in zip(drawn[2:], RULES, strict=True):
        ratios = _ratios(frame, rule, x="slot", y="average")
        label = f"average of {rule} / baseline"
        _curves(ratios, panel, y="ratio", ylabel=label, title=f"(c) {rule}")
        ratio_axis(panel)
    legend_below(drawn[0], columns=5)
    return figure_of(drawn[0])


def _along_sizes(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    drawn = panels(axes, 3, 12.0, 9.5, rows=3)
    for place, x in enumerate(("servers", "ports", "contention")):
        part = along(frame, SETTINGS, (x,))
        label, title = "" if place else "accumulated reward", f"({'abc'[place]}) "
        _lines(part, drawn[place], x, "reward", label, title + _setting(frame, x))
        for row, rule in enumerate(RULES, 1):
            panel, label = drawn[3 * row + place], "" if place else f"{rule} / baseline"
            _lines(_ratios(part, rule, x=x, y="reward"), panel, x, "ratio", label)
            ratio_axis(panel)
    legend_below(drawn[0], columns=5)
    return figure_of(drawn[0])


def _first_steps(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    drawn = panels(axes, 2, 11.0, 4.4)
    initial, factor = STEPS
    swept = (
        ("initial", frame["factor"] == factor, "initial learning rate η0", f"(a) decay {factor:g}"),
        ("factor", frame["initial"] == initial, "decay", f"(b) η0 = {initial:g}"),
    )
    more = (_setting(frame), _means(frame))
    for panel, (x, chosen, label, title), below in zip(drawn, swept, more, strict=True):
        own = frame[chosen]
        rest = frame[frame["policy"].isin(REFERENCES)].drop(columns=x)
        level = rest.merge(own[x].drop_duplicates().sort_values(), how="cross")
        words = _words(
            label, "accumulated reward" if panel is drawn[0] else "", f"{title}\n{below}"
        )
        how: dict[str, Any] = {"series": "policy", "spacing": "even", "legend": False, **words}
        plot_lines(pd.concat([own, level]), panel, x=x, y="reward", **how)
    ends = [panel.get_ylim() for panel in drawn]
    for panel in drawn:  # one scale, so that the panels can be compared
        panel.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))
    legend_below(drawn[0], columns=4)
    return figure_of(drawn[0])


def _gain_and_penalty(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    drawn = panels(axes, 2, 10.0, 4.2)
    words = (
        ("gain", "computation gain", _setting(frame, "contention")),
        ("penalty", "communication penalty", _means(frame)),
    )
    for panel, (column, word, title) in zip(drawn, words, strict=True):
        label = f"average {word} of a slot"
        _lines(frame, panel, "contention", column, label, title)
    legend_below(drawn[0], columns=5)
    return figure_of(drawn[0])


def _by_utility(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    kinds = list(dict.fromkeys(frame["utilities"]))
    drawn = panels(axes, len(kinds), 12.0, 4.2)
    for panel, kind in zip(drawn, kinds, strict=True):
        words = _words("utilities", "", "")
        if panel is drawn[0]:
            title = f"{_setting(frame)}; a scale for each kind"
            words = _words("utilities", "accumulated reward", title)
        part, how = frame[frame["utilities"] == kind], {"level": 0.0, "legend": False, **words}
        how |= {"lower": "reward", "upper": "reward", "ticks": {kind: f"all {kind}"}}
        plot_intervals(part, panel, x="utilities", hue="policy", **how)
    legend_below(drawn[0], columns=5)
    return figure_of(drawn[0])


def _table_2(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    drawn = panels(axes, 3, 13.0, 4.2)
    size = ("ports", "servers", "contention")
    titles = {
        "slots": _setting(frame, "slots"),
        "probability": _setting(frame, *size),
        "density": f"{_setting(frame, *size, 'density')}; {_means(frame)}",
    }
    for panel, (x, title) in zip(drawn, titles.items(), strict=True):
        label = "average reward of a slot" if panel is drawn[0] else ""
        _lines(along(frame, SETTINGS, (x,)), panel, x, "average", label, title)
    legend_below(drawn[0], columns=5)
    return figure_of(drawn[0])


def _regret(frame: pd.DataFrame, axes: Axes | None) -> Figure:
    kinds = list(dict.fromkeys(frame["arrivals"]))
    labels = ("horizon T", "ports |L|, density grows with it", "servers |R|")
    drawn = panels(axes, len(labels), 11.0, 0.8 + 3.0 * len(kinds), rows=len(kinds))
    middle = 0.5 * (frame["regret_lower"] + frame["regret_upper"])
    # A logarithmic axis has no place for what is not above 0.
    shown = frame.assign(regret=middle.where(middle > 0))
    bound = shown[shown["policy"] == RULES[0]]
    shown = pd.concat([shown, bound.assign(policy="bound (14)", regret=bound["bound"])])
    for row, kind in enumerate(kinds):
        part = shown[shown["arrivals"] == kind]
        for place, (axis, label) in enumerate(zip(REGRET_AXES, labels, strict=True)):
            own, panel = along(part, SETTINGS, REGRET_AXES[axis]), drawn[row * len(labels) + place]
            words = _words(label, "", "")
            if place == 0:
                words = _words(label, "regret over all slots", f"{kind}: {_setting(frame)}")
            plot_medians(own, panel, x=axis, y="regret", series="policy", legend=False, **words)
    legend_below(drawn[0], columns=4)
    return figure_of(drawn[0])


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
