"""Trees of branchings on deadlines and workers, whose leaves cover all cases by construction.

A *deadline* of a job is a slot that it completes in or before, and f_i of that slot is what it
counts for; or T, the number of slots, if it does not complete and counts for nothing. In any
schedule the job's completion slot, or T, is such a deadline. A branching on a job and a slot says:
its deadline is the slot or an earlier one; or it is a later one. One that names a number of workers
as well says: the job runs at least so many in that slot; or fewer. One of the two holds, so every
schedule belongs to some leaf, wherever the branchings are and in whatever order.

Schedules without idle workers are meant, in which a job that completes runs as many worker-slots as
its work, and any other none: what a schedule has beyond that can be taken away, the last first, and
its worth remains. So a job that runs workers in a slot completes, and not before that slot.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from solvers import branching_tree

__all__ = ["Allowed", "Branch"]

_MANY = np.iinfo(np.int64).max  # workers: no limit


@dataclass(frozen=True)
class Branch(branching_tree.Branch):
    """Either job ``job`` has a deadline of at most ``slot``, or a later one.

    With ``workers`` above 0: either it runs at least so many in ``slot``, or fewer.
    """

    workers: int = 0


@dataclass(frozen=True, eq=False)
class Allowed(branching_tree.Deadlines):
    """Deadlines and workers that jobs may still have; T is the deadline of those that stay out.

    Parameters
    ----------
    first, last : ndarray of int64, shape (I,)
        The earliest and the latest deadline of each job.
    least, most : ndarray of int64, shape (I, T)
        Workers of each job in each slot.
    """

    least: np.ndarray
    most: np.ndarray

    @classmethod
    def all(cls, jobs: int, never: int) -> Allowed:
        """No branching yet; ``never`` is T."""
        slots, free = never, branching_tree.Deadlines.all(jobs, never)
        return cls(
            free.first,
            free.last,
            np.zeros((jobs, slots), dtype=np.int64),
            np.full((jobs, slots), _MANY, dtype=np.int64),
        )

    def split(self, branch: Branch) -> tuple[Allowed, Allowed]:
        """What is left if the job is done by the slot, or runs so many workers, and if not.

        Raises
        ------
        ValueError
            If one of the cases leaves no deadline, or no number of workers in the slot. A case with
            nothing left for another reason is no error: its bound is minus infinity.
        """
        job, slot, workers = branch.job, branch.slot, branch.workers
        if not workers:
            return super().split(branch)
        slots = self.least.shape[1]
        if slot >= slots:
            raise ValueError(f"slot {slot} is past the horizon")
        if not self.least[job, slot] < workers <= self.most[job, slot]:
            raise ValueError(f"{workers} workers do not part what is left of the job")
        first, last = self.first.copy(), self.last.copy()
        least, most = self.least.copy(), self.most.copy()
        least[job, slot], most[job, slot] = workers, workers - 1
        first[job], last[job] = max(first[job], slot), min(last[job], slots - 1)
        return replace(self, first=first, last=last, least=least), replace(self, most=most)
