"""Restrictions of the totals program that fix most deadlines, so that they are solved quickly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from solvers.highs import LinearProgram
from solvers.utility.search_state import ROUND_OFF

__all__ = ["where_undecided"]


def where_undecided(
    program: LinearProgram, done: Iterable[np.ndarray], points: Sequence[np.ndarray], slack: int
) -> LinearProgram:
    """A program with every d fixed on which points agree, unless an undecided one is near.

    With the linear relaxation as the only point this is the neighbourhood RENS of Berthold (2014);
    with a schedule as a second point, it is RINS of Danna, Rothberg and Le Pape (2005).

    Parameters
    ----------
    program : LinearProgram
        A totals program, or a part of one.
    done : iterable of ndarray of int64
        The columns of d of each job, one per group, the earlier ones first.
    points : sequence of ndarray
        In the columns of the program.
    slack : int
        How many groups of deadlines are left free on either side of those on which the points
        differ, or of the one at which a job completes in all of them. Jobs that complete in none
        of the points stay out.
    """
    lower, upper = np.array(program.lower), np.array(program.upper)
    for groups in done:
        values = np.array([point[groups] for point in points])
        out = values.max(axis=0) <= ROUND_OFF
        met = values.min(axis=0) >= 1 - ROUND_OFF
        later = np.minimum(np.arange(len(groups)) + slack, len(groups) - 1)
        sooner = np.arange(len(groups)) - slack
        upper[groups[out[later]]] = 0.0
        lower[groups[met[np.maximum(sooner, 0)] & (sooner >= 0)]] = 1.0
    return replace(program, lower=np.minimum(lower, upper), upper=upper)
