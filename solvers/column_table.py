"""Which columns run, and what they leave free: the state that searches for schedules change."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["ColumnTable"]


class ColumnTable(ABC):
    """At most one column per job, together within the capacities.

    A subclass keeps what is free.

    Attributes
    ----------
    columns : dict of int to Column
        By job; each has a ``job`` and a ``value``.
    """

    columns: dict[int, Any]

    @property
    def value(self) -> float:
        """Sum of the values of the columns."""
        return math.fsum(column.value for column in self.columns.values())

    def put(self, column: Any) -> None:
        """Run a column; the caller knows that it fits."""
        self._take(column, 1)
        self.columns[column.job] = column

    def remove(self, job: int) -> Any:
        """Stop running a job; returns its column."""
        column = self.columns.pop(job)
        self._take(column, -1)
        return column

    def undo(self, inserted: Iterable[int], removed: Iterable[Any]) -> None:
        """Stop running jobs, and run again the columns that were taken out for them."""
        for job in inserted:
            self.remove(job)
        for column in removed:
            self.put(column)

    def renew(self, columns: Mapping[int, Any]) -> None:
        """Begin anew with these columns alone, and without round-off of the past."""
        self._clear()
        self.columns = {}
        for column in columns.values():
            self.put(column)

    @abstractmethod
    def _take(self, column: Any, sign: int) -> None:
        """Take what a column uses, or give it back if ``sign`` is -1."""

    @abstractmethod
    def _clear(self) -> None:
        """Nothing is taken."""
