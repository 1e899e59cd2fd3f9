"""Tables for people: aligned to the terminal, or as Markdown or LaTeX; and rows for programs."""

from __future__ import annotations

import argparse
import re
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from benchmarks.study.rows import to_json_lines
from models.errors import InputError

FORMATS = ("table", "markdown", "latex", "csv", "json")
"""What ``--format`` offers: the first three show a table, the others all rows behind it."""

ALL = "all"
"""Stands for all columns on the command line."""

_NARROWEST = 80
_LATEX = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "|": r"\textbar{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


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
    kept, note = _chosen(columns, layout), ""
    if layout.form == "table" and layout.columns is None and layout.width is not None:
        by_rank = sorted(columns, key=lambda column: -column.rank)
        kept = _fitting(columns, lines, layout.width)
        if gone := ", ".join(column.name for column in by_rank if column not in kept):
            said = f"left out to fit the width: {gone} (--columns {ALL} shows them)"
            note = f"\n{wrap([said], layout)}"
    places = [columns.index(column) for column in kept]
    rows = [[row[place] for place in places] for row in ([c.head for c in columns], *lines)]
    if layout.form == "markdown":
        texts = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in r)} |" for r in rows]
        texts.insert(1, f"| {' | '.join(':---' if c.left else '---:' for c in kept)} |")
    elif layout.form == "latex":
        head, *body = (f"{' & '.join(cell.translate(_LATEX) for cell in r)} \\\\" for r in rows)
        sides = "".join("l" if column.left else "r" for column in kept)
        texts = [rf"\begin{{tabular}}{{{sides}}}", r"\toprule", head, r"\midrule", *body]
        texts += [r"\bottomrule", r"\end{tabular}"]
    else:
        sizes = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
        formats = [f"{{:{'<' if c.left else '>'}{n}}}" for c, n in zip(kept, sizes, strict=True)]
        texts = ["  ".join(formats).format(*row).rstrip() for row in rows]
        texts.insert(1, "-" * max(map(len, texts)))
    return "\n".join(texts) + note


def wrap(notes: Sequence[str], layout: Layout) -> str:
    """Notes below a table, one after the other, wrapped to the width; in LaTeX as comments."""
    if layout.form == "latex":
        return "\n".join(f"% {note}" for note in notes)
    if layout.form == "markdown":  # a note that begins with a mark is no item of a list
        return "\n\n".join(re.sub(r"^[+*-] ", r"\\\g<0>", note) for note in notes)
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


def _chosen(columns: Sequence[Column], layout: Layout) -> list[Column]:
    """The columns that a layout names, each once; all if it names none."""
    if layout.columns is None or layout.columns == (ALL,):
        return list(columns)
    known = {column.name: column for column in columns}
    for name in layout.columns:
        if name not in known:
            raise InputError(f"no column '{name}': choose from {', '.join(known)}, or {ALL}")
    return [known[name] for name in dict.fromkeys(layout.columns)]


def _fitting(columns: Sequence[Column], lines: Sequence[Sequence[str]], width: int) -> list[Column]:
    """The columns that are left when, the least important first, some go until all fit."""
    sizes = {
        column: max(map(len, (column.head, *(line[place] for line in lines))))
        for place, column in enumerate(columns)
    }
    for column in sorted(columns, key=lambda column: -column.rank):
        if sum(sizes.values()) + 2 * (len(sizes) - 1) <= width or column.rank == 0:
            break
        del sizes[column]
    return list(sizes)
