"""Rows of whole numbers that say what runs where when: key columns, then a count."""

from __future__ import annotations

import numpy as np

__all__ = ["summed_rows"]


def summed_rows(rows: np.ndarray | list, width: int) -> np.ndarray:
    """Sorted, read-only rows without zeros; the counts of equal keys are added up.

    Parameters
    ----------
    rows : array_like of int
        In any order.
    width : int
        Columns of a row, of which the last is the count.

    Returns
    -------
    ndarray of int64, shape (n, width)
    """
    table = np.asarray(rows, dtype=np.int64).reshape(-1, width)
    keys, place = np.unique(table[:, :-1], axis=0, return_inverse=True)
    count = np.zeros(len(keys), dtype=np.int64)
    np.add.at(count, place.ravel(), table[:, -1])
    table = np.column_stack([keys, count])[count != 0]
    table.setflags(write=False)
    return table
