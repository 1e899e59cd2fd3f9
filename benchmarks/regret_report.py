"""What :mod:`benchmarks.regret` shows: regret beside its bound, exponents, verdicts, pictures."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from benchmarks.contract import ADAPTIVE, RegretSizes
from benchmarks.growth import Growth, fit_growth
from benchmarks.pictures import lines
from benchmarks.pictures.lines import plot_medians
from benchmarks.pictures.style import (
    MEDIANS,
    RANGES,
    caption,
    legend_below,
    panels,
    save_picture,
    told,
)
from benchmarks.study.statistics import t_interval
from benchmarks.study.study import succeeded
from benchmarks.table import loads_of
from benchmarks.tables import ALL, Column, Layout, cell, render, wrap

_SERIES = ["arrivals", "policy"]
_FIRST = tuple(Column(name, name, left=True) for name in _SERIES)
COLUMNS = (
    *_FIRST,
    Column("regret", "regret"),
    Column("spread", "95 % interval", rank=1),
    Column("worst", "worst (seed)", rank=3),
    Column("fixed", "of best fixed", rank=2),
    Column("bound", "of (14)", rank=4),
    Column("load", "load", rank=6),
    Column("anytime", "anytime", rank=7),
    Column("dynamic", "dynamic regret", rank=5),
    Column("path", "path of optima", rank=8),
)
_GROWTH = (
    *_FIRST,
    Column("over", "over", left=True),
    Column("exponent", "exponent"),
    Column("spread", "95 % interval", rank=1),
    Column("local", "between sizes", rank=3),
    Column("bound", "of (14)", rank=2),
    Column("verdict", "verdict", left=True),
)
CURVE = {"curve_slots": "slot", "curve_regret": "regret", "curve_anytime": "anytime"}
"""Columns of lists, and what they are called where each point is a row."""

_ENDS = ["regret_lower", "regret_upper", "bound"]
_SYMBOLS = {"slots": "T", "ports": "|L|"}


def report(
    frame: pd.DataFrame, sizes: RegretSizes | None, scaling: str, layout: Layout, out: Path
) -> tuple[list[str], list[Path]]:
    """Tables with notes, and files of pictures; none if nothing of the base size succeeded.

    Sizes and scaling are those of :func:`benchmarks.study.regret.sources_around`; without sizes no
    growth is fitted. The pictures, and what they show (csv), are in the folder ``out``.
    """
    planned, rows = _at_base(frame, sizes), succeeded(frame)
    base = succeeded(planned)
    if base.empty:
        return [], []
    title = loads_of(base)
    if sizes is not None:
        count = len(sizes.seeds)
        title = f"{_size(base)}, {title}; {f'means over {count} seeds' if count > 1 else '1 seed'}"
    lines = [
        (str(arrivals), *_cells(str(policy), group))
        for (arrivals, policy), group in planned.groupby(_SERIES, sort=False)
    ]
    table = f"{wrap([title], layout)}\n{render(COLUMNS, lines, layout)}"
    texts = [table, wrap(_notes(base, rows), layout)]
    curves = (
        base.explode(list(CURVE)).rename(columns=CURVE).astype({"regret": float, "anytime": float})
    )
    about = ["instance", "seed", "arrivals", "ports", "slots", "servers", "density"]
    curves = curves[[*about, "policy", *CURVE.values()]]
    paths = save_picture(plot_curves(curves), curves, out / "curves")
    if sizes is not None:
        growth = _growths(frame, sizes)
        paths += save_picture(_plot_growth(rows, sizes), growth, out / "growth")
        texts.append(_growth_table(growth, sizes, scaling, layout))
    return texts, paths


def _at_base(frame: pd.DataFrame, sizes: RegretSizes | None) -> pd.DataFrame:
    """Rows of the size of the base; all, where there is none."""
    return frame if sizes is None else _along("ports", _along("slots", frame, sizes), sizes)


def _along(axis: str, frame: pd.DataFrame, sizes: RegretSizes) -> pd.DataFrame:
    """Rows in which only this axis differs from the base."""
    ports, slots = sizes.base
    return frame[frame["ports"] == ports if axis == "slots" else frame["slots"] == slots]


def _cells(policy: str, planned: pd.DataFrame) -> tuple[str, ...]:
    """What the table says of a policy; no means, if a run failed: the rest say nothing of it."""
    rows = succeeded(planned)
    if len(rows) < len(planned):
        return policy, _lost(rows, planned), *"--------"
    upper = rows["regret_upper"]
    worst = rows.loc[upper.idxmax(), "seed"]
    dynamic = rows[["dynamic_lower", "dynamic_upper"]].astype(float).mean()
    path = rows["path_length"].astype(float).mean()
    return (
        policy if rows["commits"].all() else f"{policy}*",
        _span([rows["regret_lower"].mean(), upper.mean()]),
        _span(t_interval(upper)),
        f"{_short(upper.max())} ({'file' if pd.isna(worst) else int(worst)})",
        _percent(upper.sum(), rows["fixed_lower"].sum()),
        _percent(upper.sum(), rows["bound"].sum()),
        f"{rows['load'].mean():.3g}",
        _short(rows["anytime"].mean()),
        _span(dynamic),
        _span([path, path]),
    )


def _notes(base: pd.DataFrame, rows: pd.DataFrame) -> list[str]:
    """What may be concluded from the table."""
    proven = rows[rows["bound_proven"]]
    proof = "no policy here"
    if len(proven):
        kept = (proven["regret_upper"] <= proven["bound"]).sum()
        proof = f"{', '.join(proven['policy'].unique())}: it holds on {kept} of {len(proven)} runs"
    instances = rows.drop_duplicates(["instance_hash", "arrivals"])
    empty = f"{(instances['bound'] >= instances['fixed_upper']).sum()} of {len(instances)}"
    above = rows.loc[rows["regret_lower"] > rows["bound"], "policy"].value_counts()
    counts = ", ".join(f"{name} ({count})" for name, count in above.items())
    steps = rows.dropna(subset=["inequality_left"])
    room = 1e-9 * steps["inequality_right"].abs()
    held = (steps["inequality_left"] <= steps["inequality_right"] + room).sum()
    notes = {
        "regret: mean of (best fixed decision - achieved), a range where the best fixed decision "
        f"is not known to four digits; it is certified to {rows['fixed_gap'].max():.1e} relative "
        "at worst. The 95 % interval is Student's t over instances.": True,
        "* decides after the arrivals of the slot are known, as no fixed decision can: regret may "
        "be negative, and says little.": not rows["commits"].all(),
        "(14): the paper's bound on the regret, diameter of decisions x largest gradient x root of "
        "the number of slots.": True,
        f"(14) is proven for {proof}. On {empty} instances it says "
        "nothing, being above the best fixed decision itself; "
        f"{f'above it are {counts}' if counts else 'no policy is above it'}.": True,
        f"The inequality of its proof holds on {held} of {len(steps)} runs.": not steps.empty,
        "anytime: the largest regret after any number of slots (20 or more were tried) against the "
        "decision that is best over these slots.": True,
        f"{ADAPTIVE}: an adversary that sees a policy's last decision sends jobs where it is weak, "
        "so every policy has arrivals of its own, and the best fixed decision is that on these; it "
        "would have met others itself.": (base["arrivals"] == ADAPTIVE).any(),
        "dynamic regret: optima of the slots, their arrivals known - achieved; another comparator "
        "than that of regret and (14). Path of optima: the sum of the distances between each and "
        "the next, ports without a job having nothing.": base["dynamic_upper"].notna().any(),
    }
    return [note for note, applies in notes.items() if applies]


def _growths(frame: pd.DataFrame, sizes: RegretSizes) -> pd.DataFrame:
    """Exponents of regret and of (14), by arrivals, policy and axis: "slots" or "ports"."""
    found = []
    for names, group in frame.groupby(_SERIES, sort=False):
        for axis, values in sizes.axes.items():
            planned = _along(axis, group, sizes)
            rows = succeeded(planned)
            growth, of_bound, commits = Growth(why=_lost(rows, planned)), Growth(), True
            if len(rows) == len(planned):
                table = rows.pivot(index=axis, columns="seed", values=_ENDS).astype(float)
                lower, upper, bound = (table[name].to_numpy() for name in _ENDS)
                growth = fit_growth(table.index.to_numpy(), lower, upper)
                of_bound = fit_growth(table.index.to_numpy(), bound, bound)
                commits = bool(rows["commits"].all())
            told = " ".join(map(str, values)), growth.exponent, growth.low, growth.high
            judged = growth.local, of_bound.exponent, growth.verdict, growth.why
            found.append((*names, commits, axis, *told, *judged))
    columns = "commits over sizes exponent low high local bound_exponent verdict why"
    return pd.DataFrame(found, columns=[*_SERIES, *columns.split()])


def _growth_table(growth: pd.DataFrame, sizes: RegretSizes, scaling: str, layout: Layout) -> str:
    """Table of exponents, with all its columns, and what was varied."""
    shown = growth[growth["commits"]] if growth["commits"].any() else growth
    lines = []
    for row in shown.itertuples(index=False):
        fits = row.exponent, row.low, row.high, row.bound_exponent
        exponent, low, high, bound = (cell(fit, ".2f") for fit in fits)
        verdict = f"{row.verdict}: {row.why}" if row.why else row.verdict
        told = exponent, "-" if low == "-" else f"{low} to {high}", row.local, bound, verdict
        lines.append((row.arrivals, row.policy, _SYMBOLS[row.over], *told))
    slots, ports = (", ".join(map(str, values)) for values in sizes.axes.values())
    kept = {"degree": "every port keeps its number of servers", "density": "density is the same"}
    title = [
        "growth: regret ~ size^exponent; mean over seeds, t-interval; exponents between sizes",
        f"T in {slots} at {sizes.base[0]} ports; |L| in {ports} at {sizes.base[1]} slots, where "
        f"{kept[scaling]}",
    ]
    chosen = layout if layout.columns == (ALL,) else replace(layout, columns=None)
    notes = [
        "Below 1: the interval is, and each further slot or port adds less and less regret, as in "
        "no line with an offset. It says nothing of sizes beyond these."
    ]
    notes += ["Those marked * above: in growth.csv."] * (len(shown) < len(growth))
    return f"{wrap(title, layout)}\n\n{render(_GROWTH, lines, chosen)}\n\n{wrap(notes, layout)}"


def _lost(rows: pd.DataFrame, planned: pd.DataFrame) -> str:
    return f"{len(planned) - len(rows)} of {len(planned)} failed"


def _short(value: float) -> str:
    """Four digits, and zeros where there are more."""
    rounded = float(f"{value:.4g}")
    return f"{rounded:.4g}" if abs(rounded) < 1e4 else f"{rounded:,.0f}"


def _span(ends: Iterable[float]) -> str:
    """From where to where, once if that looks the same; a dash if it is not known."""
    low, high = ends
    return "-" if pd.isna(low) else " to ".join(dict.fromkeys([_short(low), _short(high)]))


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.2f} %" if whole > 0 else "-"


def _size(rows: pd.DataFrame) -> str:
    """The size of all instances, if it is one."""
    if len(rows[["ports", "slots", "servers"]].drop_duplicates()) > 1:
        return "several sizes"
    one, density = rows.iloc[0], rows["density"].mean()
    return f"{one.ports} ports, {one.slots} slots, {one.servers} servers, density {density:.3g}"


def plot_curves(curves: pd.DataFrame) -> Figure:
    """Regret after t slots against t, mean and range: a panel for each kind of arrivals."""
    kinds, policies = (list(curves[name].unique()) for name in _SERIES)
    axes = panels(None, len(kinds), max(6.4, 3.4 * len(kinds)), 4.0)
    draw = partial(lines.plot_curves, x="slot", y="regret", series="policy", level=0.0)
    for panel, kind in zip(axes, kinds, strict=True):
        label = "" if panel is not axes[0] else "regret after t slots"
        words: dict[str, Any] = {"xlabel": "slot t", "ylabel": label, "title": str(kind)}
        draw(curves[curves["arrivals"] == kind], panel, among=policies, legend=False, **words)
    legend_below(axes, 2 * len(kinds) if len(kinds) < 4 else 8, told(curves, RANGES))
    return caption(axes[0], f"{_size(curves)}; against the best decision over all slots")


def _plot_growth(rows: pd.DataFrame, sizes: RegretSizes) -> Figure:
    """Regret of the policies that commit, and (14), against horizon and number of ports."""
    rows = rows[rows["commits"]] if rows["commits"].any() else rows
    middle = 0.5 * (rows["regret_lower"] + rows["regret_upper"])
    first = rows[rows["policy"] == rows["policy"].iloc[0]]
    bounds = first.assign(policy="bound (14)", regret=first["bound"])
    shown = pd.concat([rows.assign(regret=middle.where(middle > 0)), bounds])
    varied = [axis for axis, values in sizes.axes.items() if len(values) > 1] or ["slots"]
    kinds, words = sizes.arrivals, {"slots": "horizon T", "ports": "ports |L|"}
    width, height = max(6.4, 3.2 * len(kinds)), 0.8 + 3.2 * len(varied)
    axes = panels(None, len(kinds), width, height, rows=len(varied))
    draw = partial(plot_medians, y="regret", series="policy", legend=False)
    for panel, (axis, kind) in zip(axes, itertools.product(varied, kinds), strict=True):
        part = _along(axis, shown[shown["arrivals"] == kind], sizes).sort_values(
            axis, kind="stable"
        )
        label = "" if kind != kinds[0] else "regret over all slots"
        draw(part, panel, x=axis, xlabel=words[axis], ylabel=label, title=str(kind))
    legend_below(axes, 3 if len(kinds) < 3 else 6, told(rows, MEDIANS))
    size = f"{_size(_at_base(rows, sizes))} and sizes around that"
    return caption(axes[0], f"{size}; regret not above 0 is left out")
