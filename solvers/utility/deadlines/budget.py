"""The work and the time of a search: how much is left, and what each program may take of it."""

from __future__ import annotations

import math
import time

from models.errors import InputError
from solvers.highs import HighsOptions, LinearProgram
from solvers.utility.deadlines.options import DeadlineOptions
from solvers.utility.search_state import LOOKS_PER_UNIT, SearchState

__all__ = ["Budget"]


class Budget:
    """What a search may spend, and what it has spent.

    Parameters
    ----------
    known : SearchState
        It has the clock, and is told what the clock ended.
    deadline : float
        ``time.monotonic()`` at which to stop.
    options : DeadlineOptions
    may_prove : bool
        Whether the instance is small enough to hope for a proof of optimality.

    Attributes
    ----------
    deadline : float
    work : float
        The whole budget, in units of work (:class:`DeadlineOptions`): as many as seconds were left
        at the start if there is no limit of work.
    spent : float
        Work done so far.

    Raises
    ------
    InputError
        If neither the time nor the work is limited.
    """

    def __init__(
        self, known: SearchState, deadline: float, options: DeadlineOptions, *, may_prove: bool
    ) -> None:
        if options.work_limit is None and deadline == math.inf:
            raise InputError("the search by deadlines needs a finite deadline or a limit of work")
        self._known, self._options, self._pair = known, options, int(may_prove)
        self.deadline = deadline
        self.work = options.work_limit or deadline - time.monotonic()
        self.spent = 0.0

    @property
    def work_left(self) -> float:
        """Units of work; infinite where the clock alone is a limit."""
        return math.inf if self._options.work_limit is None else self.work - self.spent

    def is_over(self, share: float = 0.0) -> bool:
        """Whether no more than this share of all work is left, or no time."""
        least = share * self.work
        # Units of a limit of work are not seconds: then the clock only cuts the search off.
        late = self._known.seconds_left <= (least if self._options.work_limit is None else 0.0)
        self._known.timed = self._known.timed or late
        return late or self.work_left <= least

    def limits(
        self, program: LinearProgram, share: float, gap: float | None = None
    ) -> HighsOptions:
        """Options of HiGHS for a program that may take a share of all work.

        An infinite share is all the work that is left. The relative gap is `options.gap` if none is
        given. Without a limit of work, the clock stops the program after `options.slowest` seconds
        for each unit.
        """
        work, deadline = min(share * self.work, self.work_left), self.deadline
        if self._options.work_limit is None:
            slowest = self._options.slowest[self._pair]
            deadline = min(deadline, time.monotonic() + slowest * work)
        looks = LOOKS_PER_UNIT * work / max(1, program.matrix.nnz)
        return HighsOptions(
            work_limit=max(10, int(looks)) if looks < math.inf else None,
            mip_rel_gap=self._options.gap[self._pair] if gap is None else gap,
        ).until(deadline)

    def charge(self, looks: float, nonzeros: int) -> None:
        """Count the work of HiGHS on a program: how often it looked at its limits."""
        self.spent += looks * nonzeros / LOOKS_PER_UNIT
