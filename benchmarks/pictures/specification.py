"""Specification curves: what is measured of a claim in every reading, and which reading that is."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.pictures.style import caption, finish, looks, panels
from benchmarks.study.multiverse import PICK, REGISTERED

_VERDICTS = ("not reproduced", "reproduced", "not testable")
_BOTTOM = 0.03  # where there is no number, in shares of the height
_FAR = 20.0  # times the median, from which on the axis of the numbers is a logarithm beyond it


def plot_specification(
    frame: pd.DataFrame, axes: Axes | None = None, *, claims: Sequence[str]
) -> Figure:
    """Draw a curve for each claim, and below it the reading of each choice.

    ``frame`` is that of :meth:`benchmarks.study.multiverse.Multiverse.frame`. A curve has the
    number of the claim in every reading, in ascending order, a line at the level of its test. What
    is infinite stands at the edge; a reading without a number, at the right end, below all others.
    """
    picks = [name for name in frame if str(name).startswith(PICK)]
    names = [(pick, one) for pick in picks for one in frame[pick].unique()]
    height = 3.2 + 0.2 * len(names)
    drawn = panels(axes, len(claims), 1.6 + 4.6 * len(claims), height, rows=2)
    grid = drawn[0].get_gridspec()
    assert grid is not None
    grid.set_height_ratios([2.6, 0.2 * len(names)])
    for place, claim in enumerate(claims):
        rows = frame[frame["claim"] == claim].sort_values("number", kind="stable")
        rows = rows.assign(place=np.arange(len(rows)))
        first = place == 0
        _curve(rows, drawn[place], claim, first)
        _matrix(rows, drawn[len(claims) + place], names, first)
    readings = frame["reading"].nunique()
    said = f"{readings} readings; ringed: the registered one; dotted: the level of the test (its "
    said += "interval over seeds, if it has one, has to lie beyond); at the bottom: no number"
    return caption(drawn[0], said)


def _curve(rows: pd.DataFrame, axes: Axes, claim: str, first: bool) -> None:
    shown, numbers = looks(_VERDICTS), rows["number"].astype(float)
    level, finite = float(rows["level"].iat[0]), numbers[np.isfinite(numbers)]
    if len(finite):
        numbers = numbers.clip(finite.min(), finite.max())
        near = float(max(finite.abs().median(), abs(level), 1e-9))
        if finite.abs().max() > _FAR * near:
            axes.set_yscale("symlog", linthresh=near)
    bottom = axes.get_xaxis_transform()  # heights in shares of the axis
    for verdict, part in rows.groupby("verdict", sort=False):
        look = {**shown[verdict], "linestyle": "none", "markersize": 4, "label": verdict}
        axes.plot(part["place"], numbers[part.index], **look)
        lost = part.loc[numbers[part.index].isna(), "place"]
        axes.plot(lost, np.full(len(lost), _BOTTOM), transform=bottom, **{**look, "label": ""})
    own = rows[rows["reading"] == REGISTERED]
    ring: dict[str, Any] = {
        "marker": "o",
        "markersize": 9,
        "markerfacecolor": "none",
        "color": "black",
    }
    known = numbers[own.index].notna().all()
    ring["transform"] = axes.transData if known else bottom
    axes.plot(own["place"], numbers[own.index] if known else [_BOTTOM], linestyle="none", **ring)
    axes.axhline(level, color="0.4", linewidth=1.0, linestyle=":")
    axes.set_xticks([])
    axes.set_xlim(-0.8, len(rows) - 0.2)
    hits, tested = (rows["verdict"] == "reproduced").sum(), (rows["verdict"] != _VERDICTS[2]).sum()
    title = textwrap.fill(f"{claim}: reproduced in {hits} of {tested} readings", 52)
    if rows["load"].notna().any():
        title += f"\nload {rows['load'].min():.2g} to {rows['load'].max():.2g}"
    finish(axes, ylabel="number of the claim's test" * first, title=title)


def _matrix(rows: pd.DataFrame, axes: Axes, names: Sequence[tuple[str, str]], first: bool) -> None:
    """Which reading of each choice, a row each; choices are set apart by shade."""
    choices = list(dict.fromkeys(pick for pick, _ in names))
    for height, (pick, name) in enumerate(names):
        at = rows.loc[rows[pick] == name, "place"]
        axes.plot(at, np.full(len(at), -height), "s", color="0.25", markersize=3)
        if choices.index(pick) % 2 == 0:
            axes.axhspan(-height - 0.5, -height + 0.5, color="0.94", zorder=0)
    told = [f"{pick.removeprefix(PICK)}: {name}" for pick, name in names] if first else []
    axes.set_yticks(-np.arange(len(told)), told, fontsize="x-small")
    axes.set_ylim(0.5 - len(names), 0.5)
    axes.set_xlim(-0.8, len(rows) - 0.2)
    axes.set_xticks([])
    finish(axes, xlabel="readings, in the order of the number", grid="", legend=False)
