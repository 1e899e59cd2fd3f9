"""What :mod:`benchmarks.regret` shows: regret beside its bound, exponents, verdicts, pictures."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pandas as pd
from matplotlib.figure import Figure

from benchmarks.contract import RegretSizes
from benchmarks.growth import Growth, fit_growth
from benchmarks.pictures.lines import plot_curves as draw_curves
from benchmarks.pictures.lines import plot_medians
from benchmarks.pictures.style import caption, legend_below, panels
from benchmarks.study.regret import along, at_base
from benchmarks.study.statistics import bootstrap_interval
from benchmarks.study.study import succeeded
from benchmarks.table import loads_of
from benchmarks.tables import ALL, PLAIN, Column, Layout, render, wrap

__all__ = [
    "COLUMNS",
    "format_growth",
    "format_regret",
    "growths",
    "plot_curves",
    "plot_growth",
]

COLUMNS = (
    Column("arrivals", "arrivals", left=True),
    Column("policy", "policy", left=True),
    Column("regret", "regret"),
    Column("spread", "95 % interval", rank=1),
    Column("worst", "worst (seed)", rank=3),
    Column("fixed", "of best fixed", rank=2),
    Column("bound", "of (14)", rank=4),
    Column("load", "load", rank=6),
    Column("dynamic", "dynamic regret", rank=5),
)
_GROWTH = (
    Column("arrivals", "arrivals", left=True),
    Column("policy", "policy", left=True),
    Column("over", "over", left=True),
    Column("exponent", "exponent"),
    Column("spread", "95 % interval", rank=1),
    Column("bound", "of (14)", rank=2),
    Column("verdict", "verdict", left=True),
)
_WORDS = {"slots": "horizon T", "ports": "ports |L|"}
_SHORT = {"slots": "T", "ports": "|L|"}
_BOUND = "bound (14)"
_FEW = 20  # seeds; with more, intervals of the bootstrap are about what they say


def format_regret(frame: pd.DataFrame, sizes: RegretSizes | None, layout: Layout = PLAIN) -> str:
    """Table of the rows of the base size, and notes on all rows.

    A policy of which a run failed has no means: those that are left would say nothing of it.
    """
    rows = succeeded(frame)
    whole = frame if sizes is None else frame[at_base(frame, sizes)]
    base = succeeded(whole)
    lines: list[tuple[str, ...]] = []
    for (arrivals, policy), planned in whole.groupby(["arrivals", "policy"], sort=False):
        group = succeeded(planned)
        if len(group) < len(planned):
            failed = f"{len(planned) - len(group)} of {len(planned)} failed"
            lines.append((str(arrivals), str(policy), failed, *"------"))
            continue
        worst = group.loc[group["regret_upper"].idxmax()]
        seed = "file" if pd.isna(worst["seed"]) else f"{int(worst['seed'])}"
        upper = group["regret_upper"]
        dynamic = group[["dynamic_lower", "dynamic_upper"]].astype(float).mean()
        lines.append(
            (
                str(arrivals),
                f"{policy}{'' if group['commits'].all() else '*'}",
                _span(group["regret_lower"].mean(), upper.mean()),
                _pair(bootstrap_interval(upper)),
                f"{_short(worst['regret_upper'])} ({seed})",
                _percent(upper.sum(), group["fixed_lower"].sum()),
                _percent(upper.sum(), group["bound"].sum()),
                f"{group['load'].mean():.3g}",
                "-" if dynamic.isna().any() else _span(*dynamic),
            )
        )
    title = loads_of(base)
    if sizes is not None:
        title = (
            f"{sizes.base[0]} ports, {sizes.base[1]} slots, {sizes.servers} servers, density "
            f"{base['density'].mean():.3g}, {title}; means over {len(sizes.seeds)} seeds"
        )
    table = render(COLUMNS, lines, layout)
    return f"{wrap([title], layout)}\n{table}\n\n{wrap(_notes(base, rows), layout)}"


def _notes(base: pd.DataFrame, rows: pd.DataFrame) -> list[str]:
    gap = rows["fixed_gap"].max()
    notes = [
        "regret: mean of (best fixed decision - achieved), a range where the best fixed decision "
        f"is not known to four digits; it is certified to {gap:.1e} relative at worst. The "
        f"95 % interval is of the bootstrap over instances{_too_short(base)}.",
    ]
    if not rows["commits"].all():
        notes.append(
            "* decides after the arrivals of the slot are known, as no fixed decision can: regret "
            "may be negative, and says little."
        )
    proven = rows[rows["bound_proven"]]
    names = ", ".join(dict.fromkeys(proven["policy"])) or "no policy here"
    instances = rows.drop_duplicates(["instance_hash", "arrivals"])
    empty = int((instances["bound"] >= instances["fixed_upper"]).sum())
    above = rows[rows["regret_lower"] > rows["bound"]]
    kept = f"{int((proven['regret_upper'] <= proven['bound']).sum())} of {len(proven)}"
    counts = ", ".join(
        f"{name} ({count})" for name, count in above["policy"].value_counts().items()
    )
    notes.append(
        f"(14) is proven for {names}: it holds on {kept} runs. On {empty} of {len(instances)} "
        "instances it says nothing, being above the best fixed decision itself; "
        f"{f'above it are {counts}' if counts else 'no policy is above it'}."
    )
    steps = rows.dropna(subset=["inequality_left"])
    if len(steps):
        room = 1e-9 * steps["inequality_right"].abs()
        held = int((steps["inequality_left"] <= steps["inequality_right"] + room).sum())
        notes.append(f"The inequality of its proof holds on {held} of {len(steps)} runs.")
    if base["dynamic_upper"].notna().any():
        notes.append(
            "dynamic regret: optima of the slots, their arrivals known - achieved; another "
            "comparator than that of regret and (14)."
        )
    return notes


def _too_short(base: pd.DataFrame) -> str:
    """What to say of intervals from few instances."""
    seeds = int(base.groupby(["arrivals", "policy"]).size().min())
    if not 2 <= seeds < _FEW:
        return ""
    return (
        f", too short for {seeds} seeds, as those of exponents are: of 3, 5, 10 and 20 normal "
        "draws it holds the mean in about 73, 83, 90 and 93 % of cases"
    )


def growths(frame: pd.DataFrame, sizes: RegretSizes) -> pd.DataFrame:
    """Exponents of regret and of (14), by arrivals, policy and axis.

    Returns
    -------
    DataFrame
        ``arrivals``, ``policy``, ``commits``, ``over`` ("slots" or "ports"), ``sizes``,
        ``exponent``, ``low``, ``high``, ``bound_exponent``, ``verdict``, ``why``.
    """
    found = []
    for (arrivals, policy), planned in frame.groupby(["arrivals", "policy"], sort=False):
        for axis, values in sizes.axes.items():
            growth, of_bound, commits = _growth(along(planned, sizes, axis), axis)
            head = {"arrivals": arrivals, "policy": policy, "commits": commits, "over": axis}
            fitted = {"exponent": growth.exponent, "low": growth.low, "high": growth.high}
            judged = {"bound_exponent": of_bound, "verdict": growth.verdict, "why": growth.why}
            found.append({**head, "sizes": " ".join(map(str, values)), **fitted, **judged})
    return pd.DataFrame(found)


def _growth(planned: pd.DataFrame, axis: str) -> tuple[Growth, float | None, bool]:
    """Growth along an axis, the exponent of (14), and whether all runs commit."""
    rows = succeeded(planned)
    if len(rows) < len(planned):
        failed = f"{len(planned) - len(rows)} of {len(planned)} failed"
        return Growth(None, None, None, "not applicable", failed), None, True
    table = rows.pivot(
        index=axis, columns="seed", values=["regret_lower", "regret_upper", "bound"]
    ).astype(float)
    values, bound = table.index.to_numpy(), table["bound"].to_numpy()
    ends = (table[name].to_numpy() for name in ("regret_lower", "regret_upper"))
    commits = bool(rows["commits"].all())
    return fit_growth(values, *ends), fit_growth(values, bound, bound).exponent, commits


def format_growth(
    growth: pd.DataFrame, sizes: RegretSizes, scaling: str, layout: Layout = PLAIN
) -> str:
    """Table of exponents, with all its columns, and what was varied."""
    lines = []
    shown = growth[growth["commits"]] if growth["commits"].any() else growth
    for row in shown.itertuples(index=False):
        spread = "-" if pd.isna(row.low) else f"{row.low:.2f} to {row.high:.2f}"
        exponents = _number(row.exponent), spread, _number(row.bound_exponent)
        verdict = row.verdict + (f": {row.why}" if row.why else "")
        lines.append((row.arrivals, row.policy, _SHORT[row.over], *exponents, verdict))
    keeps = "every port keeps its number of servers"
    same = keeps if scaling == "degree" else "density is the same"
    slots, ports = (", ".join(map(str, values)) for values in (sizes.slots, sizes.ports))
    title = [
        "growth: regret ~ size^exponent, fitted to the means over seeds; bootstrap over seeds",
        f"T in {slots} at {sizes.base[0]} ports; |L| in {ports} at {sizes.base[1]} slots, where "
        f"{same}",
    ]
    fitted = replace(layout, columns=None)
    table = render(_GROWTH, lines, layout if layout.columns == (ALL,) else fitted)
    rest = [] if len(shown) == len(growth) else ["", "Those marked * above: in growth.csv."]
    return "\n".join([wrap(title, layout), "", table, *rest])


def _number(value: float | None) -> str:
    return "-" if value is None or pd.isna(value) else f"{value:.2f}"


def _short(value: float) -> str:
    """Four digits, and zeros where there are more."""
    rounded = float(f"{value:.4g}")
    return f"{rounded:.4g}" if abs(rounded) < 1e4 else f"{rounded:,.0f}"


def _span(low: float, high: float) -> str:
    texts = _short(low), _short(high)
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"


def _pair(interval: tuple[float, float]) -> str:
    return "-" if pd.isna(interval[0]) else f"{_short(interval[0])} to {_short(interval[1])}"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.2f} %" if whole > 0 else "-"


def plot_curves(curves: pd.DataFrame) -> Figure:
    """Regret after t slots against t, mean and range: a panel for each kind of arrivals.

    Parameters
    ----------
    curves : DataFrame
        ``arrivals``, ``policy``, ``slot``, ``regret``, and the size of the instance (``ports``,
        ``slots``, ``servers``, ``density``); a row per point and instance.
    """
    kinds = list(dict.fromkeys(curves["arrivals"]))
    axes = panels(None, len(kinds), max(6.4, 3.4 * len(kinds)), 4.0)
    names = list(dict.fromkeys(curves["policy"]))
    for place, (panel, kind) in enumerate(zip(axes, kinds, strict=True)):
        draw_curves(
            curves[curves["arrivals"] == kind],
            panel,
            x="slot",
            y="regret",
            series="policy",
            xlabel="slot t",
            ylabel="" if place else "regret after t slots",
            title=str(kind),
            level=0.0,
            among=names,
            legend=False,
        )
    legend_below(axes[0], columns=2 * len(kinds) if len(kinds) < 4 else 8)
    what = "against the best decision over all slots; mean and range of instances"
    return caption(axes[0], f"{_size(curves)}; {what}")


def _size(rows: pd.DataFrame) -> str:
    """The size of all instances, if it is one."""
    sizes = rows[["ports", "slots", "servers", "density"]].drop_duplicates()
    if len(sizes) > 1:
        return "several sizes"
    (size,) = sizes.itertuples(index=False)
    return (
        f"{size.ports} ports, {size.slots} slots, {size.servers} servers, "
        f"density {size.density:.3g}"
    )


def plot_growth(rows: pd.DataFrame, sizes: RegretSizes) -> Figure:
    """Regret of the policies that commit, and (14), against horizon and number of ports."""
    committing = rows[rows["commits"]] if rows["commits"].any() else rows
    middle = 0.5 * (committing["regret_lower"] + committing["regret_upper"])
    shown = committing.assign(regret=middle.where(middle > 0))
    first = shown["policy"].iloc[0]
    bounds = shown[shown["policy"] == first].assign(
        policy=_BOUND, regret=lambda frame: frame["bound"]
    )
    shown = pd.concat([shown, bounds])
    varied = [axis for axis, values in sizes.axes.items() if len(values) > 1] or ["slots"]
    kinds = sizes.arrivals
    width, height = max(6.4, 3.2 * len(kinds)), 0.8 + 3.2 * len(varied)
    axes = panels(None, len(kinds), width, height, rows=len(varied))
    for panel, (axis, kind) in zip(axes, itertools.product(varied, kinds), strict=True):
        of_kind = along(shown[shown["arrivals"] == kind], sizes, axis)
        plot_medians(
            of_kind.sort_values(axis, kind="stable"),
            panel,
            x=axis,
            y="regret",
            series="policy",
            xlabel=_WORDS[axis],
            ylabel="" if kind != kinds[0] else "regret over all slots",
            title=str(kind),
            legend=False,
        )
    legend_below(axes[0], columns=3 if len(kinds) < 3 else 6)
    many = f"lines: median of {len(sizes.seeds)} seeds, hollow marks: a seed each"
    return caption(
        axes[0],
        f"{_size(rows[at_base(rows, sizes)])} and sizes around that; "
        f"{'1 seed' if len(sizes.seeds) == 1 else many}; regret not above 0 is left out",
    )
