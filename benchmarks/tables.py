"""Tables for people: aligned to the terminal, or as Markdown or LaTeX; and rows for programs."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.study.closure import versions_and_machine
from benchmarks.study.rows import records_of, to_json_lines
from models.errors import InputError
from models.files import write_atomic

__all__ = [
    "ALL",
    "FORMATS",
    "PLAIN",
    "Column",
    "Layout",
    "add_table_arguments",
    "format_records",
    "layout_of",
    "print_rows",
    "render",
    "wrap",
    "write_rows",
]

FORMATS = ("table", "markdown", "latex", "csv", "json")
"""What ``--format`` offers: the first three show a table, the others all rows behind it."""

ALL = "all"
"""Stands for all columns on the command line."""

_NARROWEST = 80
_LATEX = {char: f"\\{char}" for char in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
}


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    name, head : str
        One word on the command line, and what stands above the column.
    left : bool
        Aligned to the left.
    rank : int
        Columns of the highest rank are the first to be left out where a table is too wide; those
        of rank 0 always stay.
    """

    name: str
    head: str
    left: bool = False
    rank: int = 0


@dataclass(frozen=True)
class Layout:
    """How tables are to be shown.

    Parameters
    ----------
    form : str
        One of ``FORMATS``.
    columns : tuple of str or None
        Names of the columns, in that order, or ``(ALL,)``; None = as many as fit.
    width : int or None
        Characters in a line; None = without limit.
    """

    form: str = "table"
    columns: tuple[str, ...] | None = None
    width: int | None = None


PLAIN = Layout()
"""A table with all its columns, however wide."""


def add_table_arguments(parser: argparse.ArgumentParser) -> None:
    """``--format`` and ``--columns``, for :func:`layout_of`."""
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default=FORMATS[0],
        help="a table for the terminal (default), for Markdown or for LaTeX (booktabs); or all "
        "rows: csv, or json, one object a line (JSON lines)",
    )
    parser.add_argument(
        "--columns",
        metavar="NAME,...",
        help=f"columns of the table, or {ALL} (default: as many as fit the terminal)",
    )


def layout_of(args: argparse.Namespace, columns: Sequence[Column]) -> Layout:
    """The layout that the options ask for, in the width of the terminal, at least 80.

    Raises
    ------
    InputError
        If a column is asked for that there is not, or columns of what is no table.
    """
    names = None if args.columns is None else tuple(args.columns.split(","))
    if names is not None and args.format in ("csv", "json"):
        raise InputError(f"--columns does not go with --format {args.format}, which has all")
    width = shutil.get_terminal_size((_NARROWEST, 24)).columns
    layout = Layout(args.format, names, max(_NARROWEST, width))
    _chosen(columns, layout)
    return layout


def render(
    columns: Sequence[Column], lines: Sequence[Sequence[str]], layout: Layout = PLAIN
) -> str:
    """A table as text, and below it which columns were left out, if any.

    Parameters
    ----------
    lines : sequence of sequence of str
        One text for each column.
    layout : Layout
        Of the forms ``table``, ``markdown`` and ``latex``; only the first is fitted to the width.

    Raises
    ------
    InputError
        If the layout names a column that there is not.
    """
    chosen = _chosen(columns, layout)
    left_out: list[str] = []
    if layout.columns is None and layout.form == "table" and layout.width is not None:
        left_out = _left_out(columns, lines, layout.width)
        chosen = [place for place in chosen if columns[place].name not in left_out]
    kept = [columns[place] for place in chosen]
    table = [[line[place] for place in chosen] for line in lines]
    if layout.form == "markdown":
        return _markdown(kept, table)
    if layout.form == "latex":
        return _latex(kept, table)
    text = _aligned(kept, table)
    if left_out:
        note = f"left out to fit the width: {', '.join(left_out)} (--columns {ALL} shows them)"
        text += f"\n{wrap([note], layout)}"
    return text


def wrap(notes: Sequence[str], layout: Layout) -> str:
    """Notes below a table, one after the other, wrapped to the width; in LaTeX as comments."""
    if layout.form == "latex":
        return "\n".join(f"% {note}" for note in notes)
    if layout.form == "markdown":
        return "\n\n".join(notes)
    if layout.width is None:
        return "\n".join(notes)
    return "\n".join(
        textwrap.fill(note, layout.width, subsequent_indent="  ", break_on_hyphens=False)
        for note in notes
    )


def format_records(records: Sequence[Mapping[str, Any]], form: str) -> str:
    """Rows for programs, with all their columns: ``csv`` or, as JSON lines, ``json``.

    Values are written as they are: beside a row without one, too, a whole number stays one.
    """
    if form == "json":
        return to_json_lines(records)
    return str(pd.DataFrame(records, dtype=object).to_csv(index=False))


def print_rows(frame: pd.DataFrame, layout: Layout, *texts: str) -> None:
    """Print all rows for programs if the layout asks for them, else texts for people."""
    if layout.form in ("csv", "json"):
        print(format_records(records_of(frame), layout.form), end="")
    else:
        print("\n\n".join(texts))


def write_rows(frame: pd.DataFrame, folder: Path, **asked: Any) -> None:
    """Write ``rows.jsonl``, and ``settings.json``: what was asked for, versions, the machine."""
    settings = json.dumps({**asked, **versions_and_machine()}, indent=1, default=list) + "\n"
    write_atomic(folder / "settings.json", settings.encode())
    write_atomic(folder / "rows.jsonl", to_json_lines(records_of(frame)).encode())


def _chosen(columns: Sequence[Column], layout: Layout) -> list[int]:
    names = [column.name for column in columns]
    if layout.columns is None or layout.columns == (ALL,):
        return list(range(len(names)))
    for name in layout.columns:
        if name not in names:
            raise InputError(f"no column '{name}': choose from {', '.join(names)}, or {ALL}")
    return [names.index(name) for name in dict.fromkeys(layout.columns)]


def _widths(columns: Sequence[Column], lines: Sequence[Sequence[str]]) -> list[int]:
    return [
        max(map(len, (column.head, *(line[place] for line in lines))))
        for place, column in enumerate(columns)
    ]


def _left_out(columns: Sequence[Column], lines: Sequence[Sequence[str]], width: int) -> list[str]:
    """Names of the columns that go, the least important first, until the others fit."""
    widths = dict(zip((column.name for column in columns), _widths(columns, lines), strict=True))
    gone = []
    for column in sorted(columns, key=lambda column: -column.rank):
        if sum(widths.values()) + 2 * (len(widths) - 1) <= width or column.rank == 0:
            break
        del widths[column.name]
        gone.append(column.name)
    return gone


def _aligned(columns: Sequence[Column], lines: Sequence[Sequence[str]]) -> str:
    widths = _widths(columns, lines)
    text = [
        "  ".join(
            cell.ljust(width) if column.left else cell.rjust(width)
            for cell, column, width in zip(line, columns, widths, strict=True)
        ).rstrip()
        for line in ([column.head for column in columns], *lines)
    ]
    text.insert(1, "-" * max(map(len, text)))
    return "\n".join(text)


def _markdown(columns: Sequence[Column], lines: Sequence[Sequence[str]]) -> str:
    def row(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"

    rule = [":---" if column.left else "---:" for column in columns]
    return "\n".join([row([c.head for c in columns]), row(rule), *map(row, lines)])


def _latex(columns: Sequence[Column], lines: Sequence[Sequence[str]]) -> str:
    def row(cells: Sequence[str]) -> str:
        escaped = (re.sub(r"[&%$#_{}\\~^|]", lambda found: _LATEX[found[0]], c) for c in cells)
        return f"{' & '.join(escaped)} \\\\"

    return "\n".join(
        [
            rf"\begin{{tabular}}{{{''.join('l' if c.left else 'r' for c in columns)}}}",
            r"\toprule",
            row([column.head for column in columns]),
            r"\midrule",
            *map(row, lines),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )
