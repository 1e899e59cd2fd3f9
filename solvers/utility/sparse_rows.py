"""Rows of a sparse matrix, collected piece by piece."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

__all__ = ["NEVER", "Part", "SparseRows"]

NEVER = -1
"""Column of a variable that does not exist; its entries are left out."""

Part = tuple[ArrayLike, ArrayLike, ArrayLike]
"""Entries of new rows: row within them, column, value."""


class SparseRows:
    """Lower and upper sides, and the entries between them."""

    def __init__(self) -> None:
        self.lower: list[np.ndarray] = []
        self.upper: list[np.ndarray] = []
        self._entries: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self.count = 0

    def add(
        self,
        count: int,
        lower: float,
        upper: float | np.ndarray,
        *parts: Part,
    ) -> None:
        """Add ``count`` rows; a part is (row within them, column, value), spread to one shape."""
        self.lower.append(np.full(count, lower))
        self.upper.append(np.full(count, upper))
        for part in parts:
            row, column, value = (np.ravel(x) for x in np.broadcast_arrays(*part))
            used = column != NEVER
            self._entries.append((row[used] + self.count, column[used], value[used]))
        self.count += count

    def matrix(self, columns: int) -> sparse.csr_array:
        """All rows."""
        row, column, value = (
            np.concatenate([entry[k] for entry in self._entries] or [np.zeros(0)]) for k in range(3)
        )
        return sparse.csr_array(
            (value, (row.astype(int), column.astype(int))), shape=(self.count, columns)
        )
