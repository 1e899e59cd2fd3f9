"""A job in :mod:`solvers.utility.deadline_relaxation`: its rows, bounds and branchings."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from solvers.utility.deadline_tree import Allowed, Branch
from solvers.utility.kernels import least_costs
from solvers.utility.sparse_rows import NEVER, SparseRows
from solvers.utility.totals_program import SIDES, TotalsProgram

__all__ = ["JobProgram"]

_FRACTION = 1e-6  # up to which a variable is whole

Candidate = tuple[float, Branch] | None
"""A branching, and how far from whole is what it decides: 1/2 at most."""


@dataclass(frozen=True, eq=False)
class JobProgram:
    """Where the variables of a job are, named as in :mod:`solvers.utility.totals_program`.

    Parameters
    ----------
    job : int
    work : int
    ends, done : ndarray of int64
        Last slots of its groups of deadlines, and columns of d.
    slots : ndarray of int64
        Slots that it may run in.
    first : ndarray of int64
        Places in `slots` where intervals of the grid begin.
    n, m : ndarray of int64
        Columns there, one per interval.
    needed : ndarray of int64
        Parameter servers that 0, 1, ... workers need.
    """

    job: int
    work: int
    ends: np.ndarray
    done: np.ndarray
    slots: np.ndarray
    first: np.ndarray
    n: np.ndarray
    m: np.ndarray
    needed: np.ndarray

    @classmethod
    def of(cls, totals: TotalsProgram, job: int) -> JobProgram:
        """That of a job that can complete."""
        limits = totals.limits[job]
        n, m = (totals.counts(side)[:, job] for side in SIDES)
        used = n != NEVER
        needed = limits.job.ps_needed_table(limits.most)
        work, ends, done = limits.job.work, totals.ends_of(job), totals.done[job]
        slots = np.arange(limits.job.arrival, int(ends[-1]) + 1)
        first = np.flatnonzero(np.diff(totals.grid.interval[slots], prepend=-1))
        return cls(job, work, ends, done, slots, first, n[used], m[used], needed)

    def add_rows(self, rows: SparseRows) -> None:
        """By each deadline it runs the fewest parameter servers that its work takes, or more.

        Summed over the slots: a row of the program for one slot lets workers share them in
        fractions with those of other slots.
        """
        fewest = least_costs(self.needed.astype(float), self.work, len(self.slots))
        for column, end in zip(self.done.tolist(), self.ends.tolist(), strict=True):
            here = self.m[self.slots[self.first] <= end]
            count = int((self.slots <= end).sum())
            rows.add(1, 0.0, math.inf, (0, here, 1.0), (0, column, -fewest[count - 1]))

    def restrict(self, allowed: Allowed, lower: np.ndarray, upper: np.ndarray) -> None:
        """Bound its variables by what is allowed."""
        least, most = (x[self.job, self.slots] for x in (allowed.least, allowed.most))
        upper[self.done[self.ends < allowed.first[self.job]]] = 0.0
        if allowed.last[self.job] < allowed.least.shape[1]:
            lower[self.done[self.ends >= allowed.last[self.job]]] = 1.0
        for columns, value in ((self.n, np.arange(len(self.needed))), (self.m, self.needed)):
            fewest, greatest = value[np.minimum([least, most], len(value) - 1)]
            lower[columns] = np.add.reduceat(fewest, self.first)
            upper[columns] = np.minimum(upper[columns], np.add.reduceat(greatest, self.first))

    def deadline(self, x: np.ndarray) -> Candidate:
        """Part its deadlines where they are least decided."""
        share, place = _middle(x[self.done])
        return (share, Branch(self.job, int(self.ends[place]))) if share > _FRACTION else None

    def parameter_servers(self, x: np.ndarray) -> Candidate:
        """Part what it runs in a slot by the fewest workers that need one more of them."""
        share, place = _middle(x[self.m])
        if share <= _FRACTION:
            return None
        workers = int(np.searchsorted(self.needed, math.floor(x[self.m[place]]), "right"))
        return share, Branch(self.job, int(self.slots[self.first[place]]), workers)

    def workers(self, x: np.ndarray) -> Candidate:
        """Part its workers in a slot."""
        share, place = _middle(x[self.n])
        workers = math.ceil(x[self.n[place]])
        if share <= _FRACTION:  # whole, but with too few parameter servers perhaps
            count = np.round(x[self.n]).astype(np.int64)
            lacking = (self.needed[count] - x[self.m]) / (2.0 * np.maximum(self.needed[count], 1))
            place = int(np.argmax(lacking))
            share, workers = float(lacking[place]), int(count[place])
        return (
            (share, Branch(self.job, int(self.slots[self.first[place]]), workers))
            if share > _FRACTION
            else None
        )


def _middle(values: np.ndarray) -> tuple[float, int]:
    """How far from whole the value is that is furthest from it, and its place."""
    far = np.abs(values - np.round(values))
    place = int(np.argmax(far))
    return float(far[place]), place
