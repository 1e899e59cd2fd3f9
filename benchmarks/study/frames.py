"""Parts of a study's tidy frame, and numbers of it, that tests and pictures look at."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from benchmarks.study.statistics import interval_of, slopes
from benchmarks.study.tests import Moves

Table = Callable[[pd.DataFrame, str], pd.DataFrame]
"""``(frame, varied setting) -> table`` like that of :func:`wide`."""


def wide(frame: pd.DataFrame, value: str, *varied: str) -> pd.DataFrame:
    """A value of the runs, each once: a row per seed and point, a column per policy."""
    return frame.pivot(index=["seed", *varied], columns="policy", values=value)


def by_seed(frame: pd.DataFrame, value: str, column: str) -> pd.DataFrame:
    """One row per seed, one column per value of a column."""
    return frame.pivot(index="seed", columns=column, values=value).astype(float)


def along(frame: pd.DataFrame, settings: Sequence[str], varied: Sequence[str]) -> pd.DataFrame:
    """Rows in which no setting but those ``varied`` differs from the base, which is the first row.

    They are sorted by the first of these; the order of the rest stays.
    """
    fixed = [name for name in settings if name not in varied]
    same = (frame[fixed] == frame[fixed].iloc[0]).all(axis=1)
    return frame[same].sort_values(varied[0], kind="stable")


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
    """``ratio`` of ``y`` of one policy to that of each other ``policy``, at every ``x`` and seed.

    NaN where the other one earned nothing or less.
    """
    own = frame[frame["policy"] == first].set_index([x, "seed"])[y]
    rest = frame[frame["policy"].isin(others)]
    under = rest[y].where(rest[y] > 0).to_numpy()
    over = own.reindex(pd.MultiIndex.from_frame(rest[[x, "seed"]])).to_numpy()
    return rest[[x, "seed", "policy"]].assign(ratio=over / under)


def expression(
    value: str,
    words: str,
    rows: str = "",
    *,
    once: Sequence[str] = (),
    means: Sequence[str] = (),
    limit: float = 1.0,
    **more: str,
) -> Callable[..., tuple[pd.Series, str]]:
    """Numbers that an expression over columns gives, for the tests ``Below`` and ``Above``.

    ``value`` is for :meth:`pandas.DataFrame.eval`, ``rows`` a condition on the rows; empty = all.
    ``words`` say what was measured, with places for ``low`` and ``high``, the least and the largest
    number; ``count``; ``inside`` and ``beyond``, how many are up to the limit and above it; and
    those of ``more``, each an expression. Rows of several frames that agree in the columns ``once``
    count once. ``means`` are columns of groups, of which the mean is taken.
    """

    def numbers(*frames: pd.DataFrame) -> tuple[pd.Series, str]:
        frame = pd.concat(frames, ignore_index=True)
        if once:
            frame = frame.drop_duplicates(list(once))
        if rows:
            frame = frame.query(rows)
        found = frame.eval(value)
        if means:
            found = found.groupby([frame[name] for name in means]).mean()
        inside = int((found <= limit).sum())
        told = {"count": len(found), "inside": inside, "beyond": len(found) - inside}
        told |= {"low": found.min(), "high": found.max()}
        told |= {name: frame.eval(what) for name, what in more.items()}
        return found, words.format(**told)

    return numbers


class _Joined(tuple[float, ...]):
    """Numbers, each in the same format."""

    def __format__(self, spec: str) -> str:
        return "/".join(format(mean, spec) for mean in self)


def slopes_against(
    varied: str, table: Table, series: Sequence[str], words: str, sign: float = 1.0
) -> Callable[[pd.DataFrame], tuple[Mapping[str, np.ndarray], str]]:
    """Slopes of columns of a table against a setting, seed by seed, for the test ``Moves``.

    ``words`` say what was measured of one, with places for ``means``, one per value of the setting,
    and ``slope``, its mean per 100 with an interval. ``sign`` is -1 for what falls.
    """

    def differences(frame: pd.DataFrame) -> tuple[Mapping[str, np.ndarray], str]:
        found = table(frame, varied)
        values, told = {}, []
        for name in series:
            part = found[name].unstack(varied)
            values[name] = sign * slopes(part)
            slope = interval_of(values[name])[2]
            told.append(f"{name} {words.format(means=_Joined(part.mean()), slope=slope)}")
        return values, "; ".join(told)

    return differences


def moves_along(
    what: str,
    value: str,
    column: str,
    policies: Sequence[str],
    settings: Sequence[str],
    *,
    least: float = -np.inf,
    most: float = np.inf,
    ends: bool = False,
    falls: bool = False,
) -> Moves:
    """A value (``what`` in words) of each of some policies rises, or falls, with a setting.

    This is the column, from ``least`` to ``most``; the other settings of the study are those of
    its base, the first row. ``ends``: from the first value of the setting to the last alone, not
    between every two neighbours.
    """
    way = "fall" if falls else "rise"
    within = f" from {least:g} on" * (least > -np.inf) + f" up to {most:g}" * (most < np.inf)
    steps = "from the first value to the last" if ends else "between every two neighbouring values"

    def changes(frame: pd.DataFrame) -> tuple[dict[str, pd.Series], str]:
        frame = along(frame, settings, (column,))
        frame = frame[frame[column].between(least, most)]
        found: dict[str, pd.Series] = {}
        pieces = []
        for policy in policies:
            table = by_seed(frame[frame["policy"] == policy], value, column)
            at = table.columns
            for one, two in [(at[0], at[-1])] if ends else itertools.pairwise(at):
                change = table[two] - table[one]
                found[f"{policy} ({one:g} to {two:g})"] = -change if falls else change
            pieces.append(f"{policy} {_Joined(table.mean()):.4g}")
        values = sorted(frame[column].unique())
        return found, f"{column} {_Joined(values):g}: {'; '.join(pieces)}"

    who = ", ".join(policies)
    return Moves(f"{way} of the {what} of each of {who} with {column}{within}, {steps}", changes)
