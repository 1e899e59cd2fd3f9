"""Rows of a trace's list, each of which is used at most once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from models.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["some_of"]


def some_of(
    frame: pd.DataFrame, count: int, what: str, rng: np.random.Generator, path: str
) -> pd.DataFrame:
    """As many rows, at random, each at most once, in the order of the list.

    Parameters
    ----------
    what : str
        What the rows are, e.g. "nodes", for the error.
    path : str
        Of the list.

    Raises
    ------
    InputError
        If there are fewer rows.
    """
    if len(frame) < count:
        raise InputError(f"{path}: {len(frame)} {what}, fewer than the {count} asked for")
    return frame.iloc[np.sort(rng.choice(len(frame), size=count, replace=False))]
