"""Parts of a study's tidy frame that tests and pictures look at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

__all__ = ["along", "by_seed", "end_of", "exponents", "listed", "ratios_to"]


def along(frame: pd.DataFrame, settings: Sequence[str], varied: Sequence[str]) -> pd.DataFrame:
    """Rows in which no setting but these differs from the base, which is the first row's.

    Parameters
    ----------
    settings : sequence of str
        Columns: all settings of the study.
    varied : sequence of str
        Those that may differ. The rows are sorted by the first; the order of the rest stays.
    """
    fixed = [name for name in settings if name not in varied]
    same = (frame[fixed] == frame[fixed].iloc[0]).all(axis=1)
    return frame[same].sort_values(varied[0], kind="stable")


def by_seed(frame: pd.DataFrame, value: str, column: str) -> pd.DataFrame:
    """One row per seed, one column per value of a column."""
    return frame.pivot(index="seed", columns=column, values=value).astype(float)


def end_of(frame: pd.DataFrame, x: str, share: float = 1.0) -> pd.DataFrame:
    """Points of curves at this share of the largest x, or the first ones after it."""
    places = np.sort(frame[x].unique())
    return frame[frame[x] == places[places >= share * places[-1]][0]]


def listed(means: pd.Series) -> str:
    """Means by the value of a setting, in words."""
    return ", ".join(f"{name:g}: {mean:.4g}" for name, mean in means.items())


def exponents(wide: pd.DataFrame) -> pd.Series:
    """Exponent of a power law for each row, in the numbers that name the columns."""
    place = np.log(wide.columns.to_numpy(dtype=float))
    return pd.Series(np.polyfit(place, np.log(wide.to_numpy()).T, 1)[0], index=wide.index)


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
