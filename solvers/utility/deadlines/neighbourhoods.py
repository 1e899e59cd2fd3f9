"""Restrictions of the totals program that fix most deadlines, so that they are solved quickly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from solvers.highs import LinearProgram
from solvers.utility.search_state import ROUND_OFF

__all__ = ["where_undecided"]


def where_undecided(program: LinearProgram, points: Sequence[np.ndarray]) -> LinearProgram:
    """A program with every integer variable fixed that is the same whole number in all points.

    With the linear relaxation as the only point this is the neighbourhood RENS of Berthold (2014);
    with a schedule as a second point, it is RINS of Danna, Rothberg and Le Pape (2005).

    Parameters
    ----------
    program : LinearProgram
        Its integer variables are 0 or 1.
    points : sequence of ndarray
        In the columns of the program.
    """
    out = program.integer & (np.max(points, axis=0) <= ROUND_OFF)
    met = program.integer & (np.min(points, axis=0) >= 1 - ROUND_OFF)
    lower, upper = np.where(met, 1.0, program.lower), np.where(out, 0.0, program.upper)
    return replace(program, lower=lower, upper=upper)
