"""The test ``Moves`` of a value along a setting, in words that follow from what is compared."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from benchmarks.study.frames import along, by_seed
from benchmarks.study.tests import Moves

__all__ = ["moves_along"]


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
    """A value of each of some policies rises, or falls, with a setting.

    Parameters
    ----------
    what : str
        The value in words.
    value, column : str
        Columns: the value, and the setting.
    settings : sequence of str
        All settings of the study: the others are those of its base, the first row.
    least, most : float
        Range of the setting.
    ends : bool
        From the first value of the setting to the last alone, not between every two neighbours.
    """
    way = "fall" if falls else "rise"
    within = f" from {least:g} on" * (least > -np.inf) + f" up to {most:g}" * (most < np.inf)
    steps = "from the first value to the last" if ends else "between every two neighbouring values"
    return Moves(
        f"{way} of the {what} of each of {', '.join(policies)} with {column}{within}, {steps}",
        partial(
            _changes,
            value=value,
            column=column,
            policies=policies,
            settings=settings,
            span=(least, most),
            ends=ends,
            sign=-1.0 if falls else 1.0,
        ),
    )


def _changes(
    frame: pd.DataFrame,
    *,
    value: str,
    column: str,
    policies: Sequence[str],
    settings: Sequence[str],
    span: tuple[float, float],
    ends: bool,
    sign: float,
) -> tuple[dict[str, pd.Series], str]:
    """Differences by seed, named by policy and values of the setting; and the means in words."""
    frame = along(frame, settings, (column,))
    frame = frame[frame[column].between(*span)]
    found: dict[str, pd.Series] = {}
    pieces = []
    for policy in policies:
        wide = by_seed(frame[frame["policy"] == policy], value, column)
        steps = list(wide.columns)
        for one, two in [(steps[0], steps[-1])] if ends else itertools.pairwise(steps):
            found[f"{policy} ({one:g} to {two:g})"] = sign * (wide[two] - wide[one])
        pieces.append(f"{policy} {'/'.join(f'{mean:.4g}' for mean in wide.mean())}")
    at = "/".join(f"{step:g}" for step in sorted(frame[column].unique()))
    return found, f"{column} {at}: {'; '.join(pieces)}"
