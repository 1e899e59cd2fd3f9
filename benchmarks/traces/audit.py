"""What is in a trace: rows, dropped rows and why, span, arrival rates, quantiles of demands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.traces.table import Table, Trace

if TYPE_CHECKING:
    import pandas as pd

_RANKS = {"q10": 0.1, "q50": 0.5, "q90": 0.9, "q99": 0.99}
_HOUR_S = 3600.0
_TOP = 6


def audit(trace: Trace, mapping: Mapping[str, str]) -> dict[str, Any]:
    """Audit all tables of a trace, in JSON types.

    ``mapping`` has names of problems, and how the trace becomes an instance of each, in words.
    """
    tables = [{"table": name, **_audit(trace.table(name))} for name in trace.names]
    return {"kind": trace.kind, "path": trace.path, "tables": tables, "mapping": dict(mapping)}


def _audit(table: Table) -> dict[str, Any]:
    frame = table.frame
    arrivals = {"arrivals": _arrivals(frame["submit_s"].dropna())} if "submit_s" in frame else {}
    return {
        "files": list(map(str, table.files)),
        "rows": table.rows,
        "kept": len(frame),
        "dropped": dict(table.dropped),
        "facts": dict(table.facts),
        "distinct": {table.id: int(frame[table.id].nunique())},
        **arrivals,
        "demands": {name: _distribution(frame[name]) for name in table.demands},
        "groups": {name: _groups(frame[name]) for name in table.groups},
    }


def _arrivals(seconds: pd.Series) -> dict[str, Any]:
    """Span, and arrivals per full or begun hour from the first arrival to the last."""
    if seconds.empty:
        return {"count": 0}
    hours = (seconds // _HOUR_S).astype("int64")
    counts = np.bincount(hours - hours.min())
    first, last = float(seconds.min()), float(seconds.max())
    return {
        "count": len(seconds),
        "first_s": first,
        "last_s": last,
        "span_hours": (last - first) / _HOUR_S,
        "hours": len(counts),
        "per_hour": {"mean": float(counts.mean()), **_quantiles(counts), "max": int(counts.max())},
    }


def _quantiles(values: np.ndarray) -> dict[str, float]:
    return dict(zip(_RANKS, np.quantile(values, list(_RANKS.values())).tolist(), strict=True))


def _distribution(column: pd.Series) -> dict[str, Any]:
    values = column.dropna().to_numpy(dtype=float)
    record: dict[str, Any] = {"known": len(values), "missing": len(column) - len(values)}
    if len(values):
        record |= {"min": float(values.min()), **_quantiles(values), "max": float(values.max())}
        record["mean"] = float(values.mean())
    return record


def _groups(column: pd.Series) -> dict[str, int]:
    """Rows of the most frequent values, ties by value; the rest together."""
    counts = column.value_counts().sort_index().sort_values(ascending=False, kind="stable")
    counts.index = [f"{v:g}" if isinstance(v, float) else str(v) or "(none)" for v in counts.index]
    rest = {"others": int(counts.iloc[_TOP:].sum())} if len(counts) > _TOP else {}
    return {**counts.iloc[:_TOP].to_dict(), **rest}


def format_audit(record: Mapping[str, Any]) -> str:
    """The audit as text for people."""
    lines = [f"trace        {record['kind']}:{record['path']}"]
    for table in record["tables"]:
        files = len(table["files"])
        lines += [
            "",
            f"table        {table['table']} ({files} file{'s' if files > 1 else ''})",
            f"rows         {table['rows']:,} read, {table['kept']:,} kept",
            *(f"dropped      {count:,}: {why}" for why, count in table["dropped"].items()),
            *(f"distinct     {count:,} {name}" for name, count in table["distinct"].items()),
            *(f"count        {count:,} {name}" for name, count in table["facts"].items()),
            *_arrival_lines(table.get("arrivals")),
            *(f"{name:12} {_summary(found)}" for name, found in table["demands"].items()),
        ]
        for name, groups in table["groups"].items():
            shares = ", ".join(f"{value}: {count:,}" for value, count in groups.items())
            lines.append(f"by {name}: {shares}")
    for problem, text in record["mapping"].items():
        lines += ["", f"mapping to `{problem}`: {text}"]
    return "\n".join(lines)


def _arrival_lines(found: Mapping[str, Any] | None) -> list[str]:
    if not found:
        return []
    if not found["count"]:
        return ["arrivals     none"]
    return [
        f"span         {found['span_hours']:,.1f} h, {found['count']:,} arrivals",
        f"per hour     {_ranks(found['per_hour'])}, over {found['hours']:,} hours",
    ]


def _summary(found: Mapping[str, Any]) -> str:
    if not found["known"]:
        return "not known for any row"
    missing = f" (not known for {found['missing']:,} rows)" if found["missing"] else ""
    return f"{_ranks(found)}{missing}"


def _ranks(found: Mapping[str, float]) -> str:
    short = {k: f"{v:,.0f}" if abs(v) >= 1000 else f"{v:.4g}" for k, v in found.items()}
    least = f"min {short['min']}, " if "min" in short else ""
    values = "/".join(short[name] for name in _RANKS)
    return f"mean {short['mean']}, {least}10/50/90/99 % {values}, max {short['max']}"
