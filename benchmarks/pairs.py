"""Two policies on the same instances: the paired difference, and how many seeds would show it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.study.statistics import pairs_needed, t_interval
from benchmarks.study.study import has_failed
from benchmarks.tables import PLAIN, Column, Layout, cell, render, wrap
from models.errors import InputError
from models.problem import problem

_TIE = 1e-9  # relative
_VALUES = {"objective": "objective", "ratio": "ratio_upper"}
_COLUMNS = (
    Column("pair", "first - second", left=True),
    Column("of", "of", left=True),
    Column("difference", "difference"),
    Column("interval", "95 % interval"),
    Column("wins", "won/tied/lost"),
    Column("needed", "needed"),
)


def paired(frame: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Compare two policies on the instances on which both succeeded.

    Parameters
    ----------
    frame : DataFrame
        Rows of one problem, as :func:`benchmarks.compare` returns and ``ratio`` writes them.
    first, second : str
        Names of policies in it.

    Returns
    -------
    DataFrame
        A row ``of`` the ``objective`` and one of the ``ratio`` (with the bound, as in the table of
        ``ratio``) for each reading, if there are any. The ratio has none where the two are held
        against different optima (``offline_allows``). The columns: ``pairs``, on how many
        instances; ``difference``, the mean of first - second, and its 95 % t-interval ``low``,
        ``high``; ``wins``, ``ties`` (equal up to 1e-9 relative) and ``losses`` of the first;
        ``needed``, how many pairs a t-test would need
        (:func:`benchmarks.study.statistics.pairs_needed`); ``failed``, the rows that failed, whose
        instances are left out. What is not known is NaN: with an infinite ratio, the difference.

    Raises
    ------
    InputError
        If a policy is not in the frame, is compared with itself, or has two rows of one instance.

    Examples
    --------
    >>> rows = [("x", "a", 5.0), ("x", "b", 4.0), ("y", "a", 7.0), ("y", "b", 5.0)]
    >>> rows += [("z", "a", 6.0), ("z", "b", 3.0)]
    >>> frame = pd.DataFrame(rows, columns=["instance_hash", "policy", "objective"])
    >>> more = {"problem": "utility", "offline_allows": "", "ratio_upper": 9 / frame["objective"]}
    >>> row = paired(frame.assign(**more), "a", "b").loc[0]
    >>> f"{row['difference']} [{row['low']:.2f}, {row['high']:.2f}], needed {row['needed']}"
    '2.0 [-0.48, 4.48], needed 5'
    """
    known = frame["policy"].unique()
    for name in (first, second):
        if name not in known:
            raise InputError(f"no policy '{name}' to compare: there are {', '.join(known)}")
    if first == second:
        raise InputError(f"policy '{first}' is compared with itself: want two")
    rows = frame[frame["policy"].isin((first, second))]
    readings = ["reading"] if "reading" in frame else []
    groups = rows.groupby(readings, sort=False) if readings else [((), rows)]
    return pd.DataFrame(
        [
            {**dict(zip(readings, key, strict=True)), **record}
            for key, group in groups
            for record in _records(group, first, second)
        ]
    ).astype({"needed": "Int64"})


def _records(rows: pd.DataFrame, first: str, second: str) -> list[dict[str, Any]]:
    lost = has_failed(rows)
    failed = "; ".join(f"{row.policy} on {row.instance}" for row in rows[lost].itertuples())
    left = rows[~lost].set_index("instance_hash")
    one, other = (left[left["policy"] == name] for name in (first, second))
    if not (one.index.is_unique and other.index.is_unique):
        raise InputError("a policy has two rows of one instance: choose those to compare")
    both = one.index.intersection(other.index)
    one, other = one.loc[both], other.loc[both]
    sense = problem(rows["problem"].iloc[0]).sense
    better = {"objective": 1.0 if sense == "max" else -1.0, "ratio": -1.0}
    if (one["offline_allows"].map(str) != other["offline_allows"].map(str)).any():
        del better["ratio"]
    records = []
    for of, sign in better.items():
        mine, its = (part[_VALUES[of]].to_numpy(dtype=float) for part in (one, other))
        tied = np.isclose(mine, its, rtol=_TIE, atol=0.0)
        wins = int((~tied & (sign * mine > sign * its)).sum())
        apart = np.full(len(both), np.nan)
        if np.isfinite([mine, its]).all():
            apart = mine - its
        low, high = t_interval(apart)
        record = {"first": first, "second": second, "of": of, "pairs": len(both)}
        record |= {"difference": apart.mean() if len(both) else np.nan, "low": low, "high": high}
        record |= {"wins": wins, "ties": int(tied.sum())}
        record |= {"losses": len(both) - wins - int(tied.sum()), "needed": pairs_needed(apart)}
        records.append({**record, "failed": failed})
    return records


def format_pairs(pairs: pd.DataFrame, sense: str, layout: Layout = PLAIN) -> str:
    """Rows of :func:`paired`, of one reading, as a table with what they mean."""
    lines = []
    for row in pairs.itertuples():
        interval = "-" if pd.isna(row.low) else f"{row.low:.4g} to {row.high:.4g}"
        told = cell(row.difference, ".4g"), interval, f"{row.wins}/{row.ties}/{row.losses}"
        lines.append((f"{row.first} - {row.second}", row.of, *told, cell(row.needed)))
    counts = ", ".join(map(str, dict.fromkeys(pairs["pairs"])))
    better = "more" if sense == "max" else "less"
    notes = [
        f"difference: mean over {counts} common instances, with Student's t-interval. objective: "
        f"{better} is better; ratio: less is. won: by the first.",
        "needed: seeds for a paired t-test, two-sided at 5 %, that finds with power 0.8 a "
        "difference as large as the one measured, if the spread is as measured, too.",
    ]
    for _, group in pairs.groupby(["first", "second"], sort=False):
        row = group.iloc[0]
        if row["failed"]:
            notes.append(f"left out, since a run failed: {row['failed']}.")
        if len(group) < len(_VALUES):
            notes.append(f"{row['first']}, {row['second']}: no ratios, as their optima differ (+).")
    table = render(_COLUMNS, lines, replace(layout, columns=None))
    return f"{table}\n\n{wrap(notes, layout)}"
