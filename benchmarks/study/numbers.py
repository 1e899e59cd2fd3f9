"""Numbers of frames that tests of claims look at, and what was measured in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from benchmarks.study.statistics import interval_of, slopes

__all__ = ["Table", "expression", "slopes_against", "wide"]

Table = Callable[[pd.DataFrame, str], pd.DataFrame]
"""``(frame, varied setting) -> table`` like that of :func:`wide`."""


def wide(frame: pd.DataFrame, value: str, *varied: str) -> pd.DataFrame:
    """A value of the runs, each once: a row per seed and point, a column per policy."""
    return frame.pivot(index=["seed", *varied], columns="policy", values=value)


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

    Parameters
    ----------
    value : str
        The expression, as :meth:`pandas.DataFrame.eval` takes it.
    words : str
        What was measured, with places for ``low`` and ``high``, the least and the largest number;
        ``count``; ``inside`` and ``beyond``, how many are up to the limit and above it.
    rows : str
        Condition on the rows that count; empty = all.
    once : sequence of str
        Rows of several frames that agree in these columns count once; empty = all count.
    means : sequence of str
        Columns of groups, of which the mean is taken; empty = the numbers themselves.
    **more : str
        Further places in the words, each with an expression.

    Returns
    -------
    callable
        ``(*frames) -> (numbers, words)``.
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
        return found, words.format(
            **told, **{name: frame.eval(what) for name, what in more.items()}
        )

    return numbers


class _Means(tuple[float, ...]):
    """Formats each of them."""

    def __format__(self, spec: str) -> str:
        return "/".join(format(mean, spec) for mean in self)


def slopes_against(
    varied: str,
    table: Table,
    series: Sequence[str],
    words: str,
    sign: float = 1.0,
) -> Callable[[pd.DataFrame], tuple[Mapping[str, np.ndarray], str]]:
    """Slopes of some series against a setting, seed by seed, for the test ``Moves``.

    Parameters
    ----------
    varied : str
        The setting.
    series : sequence of str
        Columns of the table.
    words : str
        What was measured of one, with places for ``means``, one per value of the setting, and
        ``slope``, its mean per 100 with an interval.
    sign : float
        -1 for what falls.
    """

    def differences(frame: pd.DataFrame) -> tuple[Mapping[str, np.ndarray], str]:
        found = table(frame, varied)
        parts = {name: found[name].unstack(varied) for name in series}
        values = {name: sign * slopes(part) for name, part in parts.items()}
        told = [
            f"{name} " + words.format(means=_Means(part.mean()), slope=interval_of(values[name])[2])
            for name, part in parts.items()
        ]
        return values, "; ".join(told)

    return differences
