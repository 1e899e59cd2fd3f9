"""Comma-separated trace files: read whole and fast; a row that cannot be read is named."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from models.errors import InputError
from models.files import read_bytes

__all__ = ["columns", "first_line", "read_rows"]

_COMMA, _NEWLINE = 44, 10
_DTYPES = {"int": "int64", "float": "float64", "text": "str"}
_PATTERNS = {
    "int": re.compile(r"\s*[+-]?\d+\s*"),
    "float": re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*"),
}


class Column(NamedTuple):
    """A column to read: ``int``, ``float`` (may be empty, then NaN, if optional) or ``text``."""

    name: str
    kind: str
    optional: bool


def columns(**kinds: str) -> tuple[Column, ...]:
    """Columns to read: kinds by name; a kind with a question mark may be empty."""
    return tuple(Column(name, kind.rstrip("?"), "?" in kind) for name, kind in kinds.items())


def _text(path: Path) -> bytes:
    """Contents with plain line ends and without blank lines at the end (Philly's csv has one)."""
    data = read_bytes(path).replace(b"\r\n", b"\n").rstrip(b"\n")
    if not data:
        raise InputError(f"{path}: the file is empty")
    return data


def first_line(path: Path) -> list[str]:
    """Fields of the first line."""
    line = _text(path).split(b"\n", 1)[0]
    return line.decode("utf-8", "replace").split(",")


def read_rows(
    path: Path, columns: Sequence[Column], *, names: Sequence[str] | None = None
) -> pd.DataFrame:
    """Read some columns of a file.

    Every line must have the same number of fields. Quotation marks have no meaning in
    these traces and none is given to them.

    Parameters
    ----------
    path : Path
        Gzip-ed by ending.
    names : sequence of str, optional
        Names of all columns of a file without a header row. By default the first line
        names them.

    Raises
    ------
    InputError
        If a column is missing or a line cannot be read: wrong number of fields, a number
        that is not one or is not finite, or a required one that is missing. Names the file
        and the line, counted from 1.
    """
    data = _text(path)
    header = 0
    if names is None:
        header = 1
        names = data.split(b"\n", 1)[0].decode("utf-8", "replace").split(",")
        if missing := [column.name for column in columns if column.name not in names]:
            raise InputError(f"{path}: line 1: no column {', '.join(missing)} in the header")
    _check_widths(path, data, len(names))
    try:
        frame: pd.DataFrame = pd.read_csv(
            io.BytesIO(data),
            header=None,
            skiprows=header,
            names=list(names),
            usecols=[column.name for column in columns],
            dtype={column.name: _DTYPES[column.kind] for column in columns},
            quoting=csv.QUOTE_NONE,
            keep_default_na=False,
            na_values={c.name: [""] for c in columns if c.kind != "text"},
            lineterminator="\n",
            skip_blank_lines=False,
        )
    except pd.errors.EmptyDataError:
        raise InputError(f"{path}: a header and no rows") from None
    except (ValueError, OverflowError) as error:
        raise _unreadable(path, data, columns, names, header, str(error)) from None
    for column in columns:
        if column.kind == "float":
            values = frame[column.name].to_numpy()
            bad = np.isinf(values) if column.optional else ~np.isfinite(values)
            if bad.any():
                raise _unreadable(path, data, columns, names, header, "a number is not finite")
    return frame[[column.name for column in columns]]


def _check_widths(path: Path, data: bytes, width: int) -> None:
    """Number of fields of every line, counted at once."""
    text = np.frombuffer(data, dtype=np.uint8)
    ends = np.append(np.flatnonzero(text == _NEWLINE), len(text))
    commas = np.searchsorted(np.flatnonzero(text == _COMMA), ends)
    found = np.diff(commas, prepend=0) + 1
    wrong = np.flatnonzero(found != width)
    if wrong.size:
        line = int(wrong[0])
        raise InputError(
            f"{path}: line {line + 1}: {found[line]} fields where {width} are expected"
        )


def _unreadable(
    path: Path,
    data: bytes,
    columns: Sequence[Column],
    names: Sequence[str],
    header: int,
    reason: str,
) -> InputError:
    """Name the first line at fault: slow, and only taken once something is wrong."""
    for number, raw in enumerate(data.split(b"\n"), 1):
        if number <= header:
            continue
        try:
            fields = dict(zip(names, raw.decode("utf-8").split(","), strict=True))
        except UnicodeDecodeError:
            return InputError(f"{path}: line {number}: not UTF-8 text")
        for column in columns:
            value = fields[column.name]
            if fault := _fault(column, value):
                return InputError(f"{path}: line {number}: {column.name} {fault}")
    return InputError(f"{path}: cannot be read: {' '.join(reason.split())}")


def _fault(column: Column, value: str) -> str | None:
    """What is wrong with a field, if anything."""
    if column.kind == "text":
        return None
    if not value:
        return None if column.optional else "is missing"
    if not _PATTERNS[column.kind].fullmatch(value):
        return f"'{value[:40]}' is not {'an integer' if column.kind == 'int' else 'a number'}"
    if column.kind == "int" and not -(2**63) <= int(value) < 2**63:
        return f"'{value[:40]}' is out of range"
    if column.kind == "float" and not np.isfinite(float(value)):
        return f"'{value[:40]}' is not finite"
    return None
