"""Comma-separated trace files: read whole and fast; a row that cannot be read is named."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from models.errors import InputError
from models.files import read_bytes

_DTYPES = {"int": "int64", "float": "float64", "float?": "float64", "text": "str"}
_INT = re.compile(r"\s*[+-]?\d+\s*")
_FLOAT = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


def _text(path: Path) -> bytes:
    """Contents with plain line ends and without blank lines at the end (Philly's csv has one)."""
    data = read_bytes(path).replace(b"\r\n", b"\n").rstrip(b"\n")
    if not data:
        raise InputError(f"{path}: the file is empty")
    return data


def first_line(path: Path) -> list[str]:
    """Fields of the first line."""
    return _text(path).split(b"\n", 1)[0].decode("utf-8", "replace").split(",")


def read_rows(
    path: Path, kinds: Mapping[str, str], names: Sequence[str] | None = None
) -> pd.DataFrame:
    """Read some columns of a file, gzip-ed by ending.

    The kinds are those of the columns to read: ``int``, ``float`` or ``text``; ``float?`` may be
    empty, then NaN. The names are of all columns; by default the first line has them. Quotation
    marks have no meaning in these traces and none is given to them.

    InputError if a column is missing or a line cannot be read: not as many fields as there are
    names, a number that is missing, none or not finite. It names the file and the line, from 1 on.
    """
    data = _text(path)
    first = 0 if names else 1  # line of rows
    names = names or first_line(path)
    if missing := [name for name in kinds if name not in names]:
        raise InputError(f"{path}: line 1: no column {', '.join(missing)} in the header")
    _check_widths(path, data, len(names))
    try:
        frame: pd.DataFrame = pd.read_csv(
            io.BytesIO(data),
            header=None,
            skiprows=first,
            names=list(names),
            usecols=list(kinds),
            dtype={name: _DTYPES[kind] for name, kind in kinds.items()},
            quoting=csv.QUOTE_NONE,
            keep_default_na=False,
            na_values={name: [""] for name, kind in kinds.items() if kind == "float?"},
            lineterminator="\n",
            skip_blank_lines=False,
        )
        if np.isinf(frame.select_dtypes("float")).any(axis=None):
            raise ValueError("a number is not finite")
    except (ValueError, OverflowError) as error:
        fault = _first_fault(data.split(b"\n"), first, names, kinds)
        reason = fault or f"cannot be read: {' '.join(str(error).split())}"
        raise InputError(f"{path}: {reason}") from None
    return frame[list(kinds)]


def _check_widths(path: Path, data: bytes, width: int) -> None:
    """Number of fields of every line, counted at once."""
    text = np.frombuffer(data, dtype=np.uint8)
    ends = np.append(np.flatnonzero(text == ord("\n")), len(text))
    commas = np.searchsorted(np.flatnonzero(text == ord(",")), ends)
    found = np.diff(commas, prepend=0) + 1
    wrong = np.flatnonzero(found != width)
    if wrong.size:
        line = int(wrong[0])
        raise InputError(
            f"{path}: line {line + 1}: {found[line]} fields where {width} are expected"
        )


def _first_fault(
    lines: Sequence[bytes], first: int, names: Sequence[str], kinds: Mapping[str, str]
) -> str | None:
    """Name the first line at fault: slow, and only done once something is wrong."""
    for number, line in enumerate(lines[first:], first + 1):
        try:
            fields = dict(zip(names, line.decode().split(","), strict=True))
        except UnicodeDecodeError:
            return f"line {number}: not UTF-8 text"
        for name, kind in kinds.items():
            if fault := _fault(kind, fields[name]):
                return f"line {number}: {name} {fault}"
    return None


def _fault(kind: str, value: str) -> str | None:
    """What is wrong with a field, if anything."""
    if kind == "text" or (kind == "float?" and not value):
        return None
    if not value:
        return "is missing"
    shown = f"'{value[:40]}' is"
    if kind == "int":
        if not _INT.fullmatch(value):
            return f"{shown} not an integer"
        return None if -(2**63) <= int(value) < 2**63 else f"{shown} out of range"
    if not _FLOAT.fullmatch(value):
        return f"{shown} not a number"
    return None if np.isfinite(float(value)) else f"{shown} not finite"
