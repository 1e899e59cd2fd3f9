"""Plans made of segments: what a policy wants one job to do from now on, slot by slot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from online.answers import kind_of, whole_number
from online.run import InfeasibleDecision

__all__ = ["Plan", "Rows", "Segment", "copy_plan", "plan_from_column"]


class Rows(Protocol):
    """Rows (slot, server, count) of one schedule of a job, sorted: a Column, say."""

    @property
    def workers(self) -> np.ndarray:
        """Of its workers, shape (n, 3)."""

    @property
    def ps(self) -> np.ndarray:
        """Of its parameter servers, shape (m, 3)."""


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


def plan_from_column(column: Rows) -> Plan:
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


def copy_plan(job: str, plan: Any) -> Plan:
    """Copy a plan, so that nothing the policy does later changes what was accepted.

    Parameters
    ----------
    job : str
        Id of the job, for messages.
    plan : Plan
        What a policy answered, unchecked.

    Returns
    -------
    Plan
        Python integers and rows of int64.

    Raises
    ------
    InfeasibleDecision
        If it does not have the form of a plan; constraints are not checked.
    """
    if not isinstance(plan, tuple | list):
        raise InfeasibleDecision(f"job '{job}': a plan is a tuple of Segment, not {kind_of(plan)}")
    copied = []
    for place, segment in enumerate(plan):
        where = f"job '{job}', segment {place}"
        if not isinstance(segment, Segment):
            raise InfeasibleDecision(f"{where}: is not a Segment but {kind_of(segment)}")
        stop = segment.stop
        copied.append(
            Segment(
                whole_number(f"{where}: start", segment.start),
                None if stop is None else whole_number(f"{where}: stop", stop),
                _rows(where, segment.workers),
                _rows(where, segment.ps),
            )
        )
    return tuple(copied)


def _rows(where: str, rows: Any) -> np.ndarray:
    if not (
        isinstance(rows, np.ndarray)
        and rows.ndim == 2
        and rows.shape[1] == 2
        and np.issubdtype(rows.dtype, np.integer)
    ):
        raise InfeasibleDecision(f"{where}: rows must be integers (server, count)")
    return np.array(rows, dtype=np.int64)
