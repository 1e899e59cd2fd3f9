"""A grid of time whose intervals follow a fractional solution."""

from __future__ import annotations

import math

import numpy as np

from solvers.utility.time_grid import TimeGrid
from solvers.utility.totals_program import TotalsProgram

__all__ = ["chosen_grid"]

_ARRIVING = 0.5  # weight of an interval's end where a job arrives, 1 where one completes


def chosen_grid(totals: TotalsProgram, completions: np.ndarray, share: float) -> TimeGrid:
    """Intervals bounded where most jobs arrive and complete in a fractional solution.

    Parameters
    ----------
    totals : TotalsProgram
        Slot by slot.
    completions : ndarray, shape (T, I)
        Share of each job that completes in each slot of the solution.
    share : float
        How many intervals there are, as a share of the slots.
    """
    slots, weight = totals.grid.slots, np.zeros(totals.grid.slots)
    for i in totals.limits:
        arrival, size = totals.limits[i].job.arrival, totals.share_of(i)
        if arrival > 0:
            weight[arrival - 1] += _ARRIVING * size * completions[:, i].sum()
        for slot in np.flatnonzero(completions[:, i]).tolist():
            end = totals.group_end(i, slot)
            if end is not None:
                weight[end] += size * completions[slot, i]
    most = np.argsort(-weight[:-1], kind="stable")[: math.ceil(share * slots) - 1]
    return TimeGrid(slots, most + 1)
