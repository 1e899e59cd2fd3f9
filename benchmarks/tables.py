"""Tables for people: aligned to the terminal, or as Markdown or LaTeX; and rows for programs."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.study.rows import to_json_lines
from models.errors import InputError

FORMATS = ("table", "markdown", "latex", "csv", "json")
"""What ``--format`` offers: the first three show a table, the others all rows behind it."""

ALL = "all"  # stands for all columns
_NARROWEST = 80
_LATEX = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "|": r"\textbar{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


@dataclass(frozen=True)
class Column:
    """One column of a table: a word for the command line, what stands above it, how it is set.

    Where a table is too wide, columns of the highest rank go first; those of rank 0 always stay.
    """

    name: str
    head: str
    left: bool = False
    rank: int = 0


@dataclass(frozen=True)
class Layout:
    """How tables are to be shown; by default with all their columns, however wide.

    ``form`` is one of ``FORMATS``; ``columns`` are the names of the columns, in that order, or
    ``(ALL,)``; None = as many as fit ``width``, the characters in a line of the form ``table``.
    """

    form: str = "table"
    columns: tuple[str, ...] | None = None
    width: int = sys.maxsize


PLAIN = Layout()


def add_table_arguments(parser: argparse.ArgumentParser) -> None:
    """``--format`` and ``--columns``, for :func:`layout_of`."""
    form = "a table for the terminal (default), for Markdown or for LaTeX (booktabs); or all rows: "
    form += "csv, or json, one object a line (JSON lines)"
    columns = f"columns of the table, or {ALL} (default: as many as fit the terminal)"
    parser.add_argument("--format", choices=FORMATS, default=FORMATS[0], help=form)
    parser.add_argument("--columns", metavar="NAME,...", help=columns)


def layout_of(args: argparse.Namespace, columns: Sequence[Column]) -> Layout:
    """The layout that the options ask for, in the width of the terminal, at least 80.

    InputError if a column is asked for that there is not, or columns of what is no table.
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

    Each line has one text for each column. InputError if the layout names a column that there is
    not.
    """
    rows = [[column.head for column in columns], *lines]
    texts_of = zip(*rows, strict=True)
    sizes = {c: max(map(len, texts)) for c, texts in zip(columns, texts_of, strict=True)}
    kept, gone = _chosen(columns, layout), list[str]()
    if layout.form == "table" and layout.columns is None:
        for column in sorted(columns, key=lambda column: -column.rank):
            if sum(sizes[c] + 2 for c in kept) - 2 > layout.width and column.rank > 0:
                kept.remove(column)
                gone.append(column.name)
    places = [columns.index(column) for column in kept]
    rows = [[row[place] for place in places] for row in rows]
    if layout.form == "markdown":
        texts = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in r)} |" for r in rows]
        texts.insert(1, f"| {' | '.join(':---' if c.left else '---:' for c in kept)} |")
    elif layout.form == "latex":
        head, *body = (f"{' & '.join(cell.translate(_LATEX) for cell in r)} \\\\" for r in rows)
        sides = "".join("l" if column.left else "r" for column in kept)
        texts = [rf"\begin{{tabular}}{{{sides}}}", r"\toprule", head, r"\midrule", *body]
        texts += [r"\bottomrule", r"\end{tabular}"]
    else:
        cells = "  ".join(f"{{:{'<' if column.left else '>'}{sizes[column]}}}" for column in kept)
        texts = [cells.format(*row).rstrip() for row in rows]
        texts.insert(1, "-" * max(map(len, texts)))
    if gone:
        note = f"left out to fit the width: {', '.join(gone)} (--columns {ALL} shows them)"
        texts.append(wrap([note], layout))
    return "\n".join(texts)


def cell(value: Any, form: str = "") -> str:
    """A number as text; a dash where there is none."""
    import pandas as pd

    return "-" if pd.isna(value) else format(value, form)


def wrap(notes: Sequence[str], layout: Layout) -> str:
    """Notes below a table, one after the other, wrapped to the width; in LaTeX as comments."""
    if layout.form == "latex":
        return "\n".join(f"% {note}" for note in notes)
    if layout.form == "markdown":  # a note that begins with a mark is no item of a list
        return "\n\n".join(re.sub(r"^[+*-] ", r"\\\g<0>", note) for note in notes)
    wrapper = textwrap.TextWrapper(layout.width, subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(map(wrapper.fill, notes))


def format_records(records: Sequence[Mapping[str, Any]], form: str) -> str:
    """Rows for programs, with all their columns: ``csv`` or, as JSON lines, ``json``.

    Values are written as they are: beside a row without one, too, a whole number stays one.
    """
    import pandas as pd

    if form == "json":
        return to_json_lines(records)
    return str(pd.DataFrame(records, dtype=object).to_csv(index=False))


def print_rows(rows: Sequence[Mapping[str, Any]], layout: Layout, *texts: str) -> None:
    """Print all rows for programs if the layout asks for them, else texts for people."""
    if layout.form in ("csv", "json"):
        print(format_records(rows, layout.form), end="")
    else:
        print("\n\n".join(texts))


def _chosen(columns: Sequence[Column], layout: Layout) -> list[Column]:
    """The columns that a layout names, each once; all if it names none."""
    if layout.columns is None or layout.columns == (ALL,):
        return list(columns)
    known = {column.name: column for column in columns}
    for name in layout.columns:
        if name not in known:
            raise InputError(f"no column '{name}': choose from {', '.join(known)}, or {ALL}")
    return [known[name] for name in dict.fromkeys(layout.columns)]
