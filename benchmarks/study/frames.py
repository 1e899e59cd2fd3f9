"""Parts of a study's tidy frame that tests and pictures look at."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd

__all__ = ["along", "by_seed", "exponents", "listed", "ratios_to", "steps_along"]


def along(frame: pd.DataFrame, settings: Sequence[str], *varied: str) -> pd.DataFrame:
    """Rows in which no setting but these differs from the base, which is the first row's.

    Parameters
    ----------
    frame : DataFrame
    settings : sequence of str
        Columns: all settings of the study.
    *varied : str
        Those that may differ. The rows are sorted by the first; the order of the rest stays.
    """
    fixed = [name for name in settings if name not in varied]
    same = (frame[fixed] == frame[fixed].iloc[0]).all(axis=1)
    return frame[same].sort_values(varied[0], kind="stable")


def by_seed(frame: pd.DataFrame, value: str, column: str) -> pd.DataFrame:
    """One row per seed, one column per value of a column."""
    return frame.pivot(index="seed", columns=column, values=value).astype(float)


def listed(means: pd.Series) -> str:
    """Means by the value of a setting, in words."""
    return ", ".join(f"{name:g}: {mean:.4g}" for name, mean in means.items())


def exponents(wide: pd.DataFrame) -> np.ndarray:
    """Exponent of a power law for each row, in the numbers that name the columns."""
    place = np.log(wide.columns.to_numpy(dtype=float))
    return np.asarray(np.polyfit(place, np.log(wide.to_numpy()).T, 1)[0])


def ratios_to(
    frame: pd.DataFrame, first: str, others: Sequence[str], *, x: str, y: str
) -> pd.DataFrame:
    """Value of one policy over that of each of others, seed by seed.

    Returns
    -------
    DataFrame
        ``x``, ``seed``, ``policy`` (the other one) and ``ratio``; NaN where the other one earned
        nothing or less.
    """
    own = frame[frame["policy"] == first].set_index([x, "seed"])[y]
    rest = frame[frame["policy"].isin(others)]
    under = rest[y].where(rest[y] > 0).to_numpy()
    over = own.reindex(pd.MultiIndex.from_frame(rest[[x, "seed"]])).to_numpy()
    return rest[[x, "seed", "policy"]].assign(ratio=over / under)


def steps_along(
    frame: pd.DataFrame,
    column: str,
    value: str,
    policies: Sequence[str],
    *,
    ends: bool = False,
    sign: float = 1.0,
) -> tuple[dict[str, np.ndarray], str]:
    """How a value changes from each value of a setting to the next, for the test ``Moves``.

    Parameters
    ----------
    frame : DataFrame
    column, value : str
        Columns: the setting, and what changes with it.
    policies : sequence of str
    ends : bool
        From the first value of the setting to the last alone.
    sign : float
        -1 for what falls.

    Returns
    -------
    dict of str to ndarray
        Differences by seed; the names say which policy, and from where to where.
    str
        The means.
    """
    found: dict[str, np.ndarray] = {}
    pieces = []
    for policy in policies:
        wide = by_seed(frame[frame["policy"] == policy], value, column)
        steps = list(wide.columns)
        for one, two in [(steps[0], steps[-1])] if ends else itertools.pairwise(steps):
            change = sign * (wide[two] - wide[one])
            found[f"{policy} ({one:g} to {two:g})"] = change.to_numpy()
        pieces.append(f"{policy} {'/'.join(f'{mean:.4g}' for mean in wide.mean())}")
    at = "/".join(f"{step:g}" for step in sorted(frame[column].unique()))
    return found, f"{column} {at}: {'; '.join(pieces)}"
