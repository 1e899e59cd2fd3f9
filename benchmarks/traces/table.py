"""What every trace reader returns, tables that account for every row; and how files are read.

Files of comma-separated values are read whole and fast; a row that cannot be read is named.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from models.errors import InputError
from models.files import read_bytes

if TYPE_CHECKING:
    import pandas as pd

MOST_BYTES = 2**30
"""Most bytes of a file of a trace, unpacked: 1 GiB."""
_MOST_SLOTS = 10**8  # of a trace, whose arrivals are counted slot by slot
NEGATIVE = "a negative demand or capacity"
"""Why a row is dropped that asks for, or offers, less than nothing."""
ZERO_DURATION = "zero or negative duration"
NO_GPU = "no GPU"
_DTYPES = {"int": "int64", "float": "float64", "float?": "float64", "text": "str"}
_INT = re.compile(r"\s*[+-]?\d+\s*")
_FLOAT = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


@dataclass(eq=False)
class Table:
    """One table of a trace: ``rows``, those read, are either in the frame or counted as dropped.

    The frame has all rows read, then those kept; names of columns end in their unit (``_s``
    seconds, ``_gib``). ``submit_s``, if any, is the arrival since the trace's start (NaN: before
    it). ``id`` is the column that identifies a job, a task or a machine.
    """

    files: Sequence[Path]
    frame: pd.DataFrame
    id: str
    demands: tuple[str, ...] = ()  # columns of which the audit prints quantiles
    groups: tuple[str, ...] = ()  # columns of which it prints the most frequent values
    facts: Mapping[str, int] = field(default_factory=dict)  # counts, before rows were dropped
    rows: int = field(init=False)
    dropped: dict[str, int] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.rows = len(self.frame)

    def drop(self, reason: str, mask: pd.Series) -> None:
        """Drop and count the rows where the mask, of all rows read or of those left, holds."""
        hit = mask.loc[self.frame.index]
        if hit.any():
            self.dropped[reason] = int(hit.sum())
            self.frame = self.frame[~hit]


Loaders = dict[str, Callable[[], Table]]
"""Names of tables, and functions that read them."""


@dataclass(frozen=True, eq=False)
class Trace:
    """A trace on disk, of a kind in ``benchmarks.traces.KINDS``.

    A table is read when it is first asked for.
    """

    kind: str
    path: str
    loaders: Loaders
    _read: dict[str, Table] = field(default_factory=dict, init=False, repr=False)

    @property
    def spec(self) -> str:
        """``KIND:PATH``, as on the command line."""
        return f"{self.kind}:{self.path}"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tables that are there."""
        return tuple(self.loaders)

    def find(self, *names: str) -> str:
        """The first of the names that is one of a table; raises InputError if none is."""
        for name in names:
            if name in self.loaders:
                return name
        raise InputError(
            f"{self.path}: no table {' or '.join(names)}; it holds {', '.join(self.names)}"
        )

    def table(self, *names: str) -> Table:
        """The first of the named tables; InputError if none is there or a row cannot be read."""
        name = self.find(*names)
        if name not in self._read:
            self._read[name] = self.loaders[name]()
        return self._read[name]

    def windows(
        self, name: str, slots: int, slot_seconds: float, jobs: int, rng: np.random.Generator
    ) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Windows of ``slots`` slots with at least ``jobs`` arrivals in the named table, shuffled.

        Windows begin at whole slots, counted from the trace's start, and end within it. Of each
        come its first slot, the rows in it, and their slots, counted from the first. InputError if
        the trace has no arrivals, too few slots or too many, or no window holds enough.
        """
        seconds = self.table(name).frame["submit_s"].to_numpy()
        spans, length = f"{self.path}: spans", f"slots of {slot_seconds:g} s"
        if not len(seconds):
            raise InputError(f"{spans} 0 slots, as it has no usable arrival")
        if not seconds.max() < _MOST_SLOTS * slot_seconds:
            raise InputError(f"{spans} {seconds.max():g} s, more than {_MOST_SLOTS} {length}")
        slot = np.floor(seconds / slot_seconds).astype(np.int64)
        before = np.append(0, np.cumsum(np.bincount(slot)))
        if len(before) <= slots:
            few = f"fewer than the {slots} asked for"
            raise InputError(f"{spans} {len(before) - 1} {length}, {few}")
        held = before[slots:] - before[:-slots]
        starts = np.flatnonzero(held >= jobs)
        if not len(starts):
            none = f"no window of {slots} slots holds {jobs} arrivals"
            raise InputError(f"{self.path}: {none}; the fullest holds {held.max()}")
        for start in rng.permutation(starts).tolist():
            rows = np.flatnonzero((slot >= start) & (slot < start + slots))
            yield start, rows, slot[rows] - start


def _text(path: Path) -> bytes:
    """Contents with plain line ends and without blank lines at the end (Philly's csv has one)."""
    data = read_bytes(path, most=MOST_BYTES).replace(b"\r\n", b"\n").rstrip(b"\n")
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
    import pandas as pd

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
