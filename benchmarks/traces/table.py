"""What every trace reader returns: tables in plain units that account for every row read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from models.errors import InputError

_MOST_SLOTS = 10**8  # of a trace, whose arrivals are counted slot by slot
NEGATIVE = "a negative demand or capacity"
"""Why a row is dropped that asks for, or offers, less than nothing."""


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
