"""Plans of the ``utility`` problem: what a policy wants one job to do from now on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.utility.column import Column

__all__ = ["Plan", "Segment", "plan_from_column"]


@dataclass(frozen=True, eq=False)
class Segment:
    """One placement, kept for some slots.

    Parameters
    ----------
    start : int
        First slot.
    stop : int or None
        First slot after it; None = until the job completes or is planned anew.
    workers, ps : ndarray of int64, shape (n, 2)
        Rows (server, count), each server at most once, counts positive.
    """

    start: int
    stop: int | None
    workers: np.ndarray
    ps: np.ndarray


Plan = tuple[Segment, ...]
"""Segments in order of time; a plan ends by itself when the job's work is done."""


def plan_from_column(column: Column) -> Plan:
    """One segment per slot of a column."""
    ps_slots = column.ps[:, 0]
    segments = []
    slots, begin = np.unique(column.workers[:, 0], return_index=True)
    bounds = [*begin.tolist(), len(column.workers)]
    ps_begin = np.searchsorted(ps_slots, slots, side="left").tolist()
    ps_end = np.searchsorted(ps_slots, slots, side="right").tolist()
    for j, slot in enumerate(slots.tolist()):
        segments.append(
            Segment(
                slot,
                slot + 1,
                column.workers[bounds[j] : bounds[j + 1], 1:],
                column.ps[ps_begin[j] : ps_end[j], 1:],
            )
        )
    return tuple(segments)
