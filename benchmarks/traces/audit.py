"""What is in a trace: rows, dropped rows and why, span, arrival rates, quantiles of demands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.traces.table import Table, Trace

__all__ = ["audit", "format_audit"]

_QUANTILES = (0.1, 0.5, 0.9, 0.99)
_HOUR_S = 3600.0
_TOP = 6


def audit(trace: Trace, mapping: Mapping[str, str]) -> dict[str, Any]:
    """Audit all tables of a trace, in JSON types.

    ``mapping`` has names of problems, and how the trace becomes an instance of each, in words.
    """
    return {
        "kind": trace.kind,
        "path": trace.path,
        "tables": [_audit_table(trace.table(name)) for name in trace.names],
        "mapping": dict(mapping),
    }


def _audit_table(table: Table) -> dict[str, Any]:
    frame = table.frame
    record: dict[str, Any] = {
        "table": table.name,
        "files": list(table.files),
        "rows": table.rows,
        "kept": len(frame),
        "dropped": dict(table.dropped),
        "facts": dict(table.facts),
        "distinct": {table.id: int(frame[table.id].nunique())},
    }
    if table.arrival is not None:
        record["arrivals"] = _arrivals(frame[table.arrival].dropna().to_numpy())
    record["demands"] = {name: _distribution(frame[name]) for name in table.demands}
    record["groups"] = {name: _groups(frame[name]) for name in table.groups}
    return record


def _arrivals(seconds: np.ndarray) -> dict[str, Any]:
    """Span, and arrivals per full or begun hour from the first arrival to the last."""
    if not len(seconds):
        return {"count": 0}
    hours = np.floor(seconds / _HOUR_S).astype(np.int64)
    counts = np.bincount(hours - hours.min())
    return {
        "count": len(seconds),
        "first_s": float(seconds.min()),
        "last_s": float(seconds.max()),
        "span_hours": float((seconds.max() - seconds.min()) / _HOUR_S),
        "hours": len(counts),
        "per_hour": {"mean": float(counts.mean()), **_quantiles(counts), "max": int(counts.max())},
    }


def _quantiles(values: np.ndarray) -> dict[str, float]:
    found = np.quantile(values, _QUANTILES)
    return {f"q{100 * q:.0f}": float(value) for q, value in zip(_QUANTILES, found, strict=True)}


def _distribution(column: pd.Series) -> dict[str, Any]:
    values = column.dropna().to_numpy(dtype=float)
    record: dict[str, Any] = {"known": len(values), "missing": len(column) - len(values)}
    if len(values):
        record |= {"min": float(values.min()), **_quantiles(values), "max": float(values.max())}
        record["mean"] = float(values.mean())
    return record


def _groups(column: pd.Series) -> dict[str, int]:
    """Rows of the most frequent values, ties by value; the rest together."""
    counts = column.value_counts(sort=False)
    order = sorted(counts.index, key=lambda value: (-counts[value], value))
    names = {_label(value): int(counts[value]) for value in order[:_TOP]}
    if len(order) > _TOP:
        names["others"] = int(counts[order[_TOP:]].sum())
    return names


def _label(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value) or "(none)"


def format_audit(record: Mapping[str, Any]) -> str:
    """The audit as text for people."""
    lines = [f"trace        {record['kind']}:{record['path']}"]
    for table in record["tables"]:
        files = table["files"]
        lines += [
            "",
            f"table        {table['table']} ({len(files)} file{'s' if len(files) > 1 else ''})",
            f"rows         {table['rows']:,} read, {table['kept']:,} kept",
        ]
        lines += [f"dropped      {count:,}: {why}" for why, count in table["dropped"].items()]
        lines += [f"distinct     {count:,} {name}" for name, count in table["distinct"].items()]
        lines += [f"count        {count:,} {name}" for name, count in table["facts"].items()]
        lines += _arrival_lines(table.get("arrivals"))
        for name, found in table["demands"].items():
            lines.append(f"{name:12} {_summary(found)}")
        for name, groups in table["groups"].items():
            shares = ", ".join(f"{value}: {count:,}" for value, count in groups.items())
            lines.append(f"by {name}: {shares}")
    for problem, text in record["mapping"].items():
        lines += ["", f"mapping to `{problem}`: {text}"]
    return "\n".join(lines)


def _arrival_lines(found: Mapping[str, Any] | None) -> list[str]:
    if found is None:
        return []
    if not found["count"]:
        return ["arrivals     none"]
    rate = found["per_hour"]
    return [
        f"span         {found['span_hours']:,.1f} h, {found['count']:,} arrivals",
        f"per hour     mean {_short(rate['mean'])}, {_ranks(rate)}, over {found['hours']:,} hours",
    ]


def _summary(found: Mapping[str, Any]) -> str:
    if not found["known"]:
        return "not known for any row"
    missing = f" (not known for {found['missing']:,} rows)" if found["missing"] else ""
    return f"mean {_short(found['mean'])}, min {_short(found['min'])}, {_ranks(found)}{missing}"


def _ranks(found: Mapping[str, float]) -> str:
    names = [f"{100 * q:.0f}" for q in _QUANTILES]
    values = [_short(found[f"q{name}"]) for name in names]
    return f"{'/'.join(names)} % {'/'.join(values)}, max {_short(found['max'])}"


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
