"""What every trace reader returns: tables in plain units that account for every row read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from models.errors import InputError

__all__ = ["NEGATIVE", "Sieve", "Table", "Trace"]

NEGATIVE = "a negative demand or capacity"
"""Why a row is dropped that asks for, or offers, less than nothing."""


@dataclass(frozen=True, eq=False)
class Table:
    """One table of a trace.

    Every row read is either a row of ``frame`` or counted in ``dropped``:
    ``rows == len(frame) + sum(dropped.values())``.

    Parameters
    ----------
    frame : DataFrame
        The rows kept; units are part of the column names (``_s`` seconds, ``_gib``).
    rows : int
        Data rows in the files.
    dropped : mapping of str to int
        Rows that did not become a row of the frame, by reason.
    id : str
        Column that identifies a job, a task or a machine.
    arrival : str or None
        Column with the arrival in seconds since the trace's start (NaN: before it), if any.
    demands : tuple of str
        Columns whose quantiles the audit prints.
    groups : tuple of str
        Columns whose most frequent values the audit prints.
    facts : mapping of str to int
        Further counts worth knowing, taken before rows were dropped.
    """

    name: str
    files: tuple[str, ...]
    frame: pd.DataFrame
    rows: int
    dropped: Mapping[str, int]
    id: str
    arrival: str | None = None
    demands: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    facts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Trace:
    """A trace on disk; a table is read when it is first asked for.

    Parameters
    ----------
    kind : str
        One of ``benchmarks.traces.KINDS``.
    loaders : mapping of str to callable
        Name of a table -> function that reads it.
    """

    kind: str
    path: str
    loaders: Mapping[str, Callable[[], Table]]
    _read: dict[str, Table] = field(default_factory=dict, init=False, repr=False)

    @property
    def spec(self) -> str:
        """``KIND:PATH``, as on the command line."""
        return f"{self.kind}:{self.path}"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tables that are there."""
        return tuple(self.loaders)

    def table(self, *names: str) -> Table:
        """The first of the named tables that is there.

        Raises
        ------
        InputError
            If none is there, or a row of it cannot be read.
        """
        for name in names:
            if name in self.loaders:
                if name not in self._read:
                    self._read[name] = self.loaders[name]()
                return self._read[name]
        raise InputError(
            f"{self.path}: no table {' or '.join(names)}; it holds {', '.join(self.names)}"
        )


class Sieve:
    """Rows that go through a series of filters, each counted by its reason."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame
        self.rows = len(frame)
        self.dropped: dict[str, int] = {}

    def drop(self, mask: np.ndarray | pd.Series, reason: str) -> None:
        """Drop the rows where ``mask`` holds; a row counts under the first reason that hits it."""
        mask = np.asarray(mask, dtype=bool)
        if count := int(mask.sum()):
            self.dropped[reason] = self.dropped.get(reason, 0) + count
            self.frame = self.frame[~mask]

    def table(self, name: str, files: Sequence[Path], frame: pd.DataFrame, **more: Any) -> Table:
        """The table of what is left: ``frame``, made of the rows kept, with all that was dropped.

        ``more`` are further fields of :class:`Table`.
        """
        return Table(name, tuple(map(str, files)), frame, self.rows, self.dropped, **more)
