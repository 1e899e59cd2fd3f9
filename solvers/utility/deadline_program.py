"""What rounds of deadlines first share: the coarse program, its cuts, and what is known."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence

import numpy as np

from models.errors import InputError
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from solvers.highs import HighsOptions, LinearProgram, MatrixResult
from solvers.highs import solve as run_highs
from solvers.result import OPTIMAL_GAP
from solvers.utility.cut_pool import CutPool
from solvers.utility.knowledge import Knowledge, WrongSolution
from solvers.utility.scaling import scale_utilities
from solvers.utility.separation import PackingCut
from solvers.utility.totals_program import TotalsProgram

__all__ = ["DeadlineProgram", "bound_of"]

# Of the bound, shared among the jobs: what may be lost by taking it coarsely. And the relative
# gap of the programs. By whether there is hope to prove the optimum.
_COARSE = {True: 2e-5, False: 1e-3}
_GAP = {True: 3e-5, False: 5e-4}
_HARDLY = OPTIMAL_GAP / 2  # better: a schedule that is not looked for
_MOST_VARIABLES = 400  # deadlines up to which there is
_NEAR = 0.95  # share of its capacity from which on a cut becomes a row of a slot
_PLACING_SECONDS = 0.1  # for one load: what is left over then is made up in other slots


def bound_of(result: MatrixResult) -> float:
    """Bound of a maximisation; minus infinity where there is nothing, infinity if not known."""
    if result.status == "infeasible":
        return -math.inf
    return math.inf if result.bound is None else result.bound


class DeadlineProgram:
    """The totals program of an instance, made coarse.

    Parameters
    ----------
    instance : UtilityInstance
    bound : float
        On the worth of all schedules.
    deadline : float
        ``time.monotonic()`` at which to stop; finite.

    Attributes
    ----------
    totals : TotalsProgram
        Utilities are in a unit that suits HiGHS: objectives and bounds of it are `factor` times
        those of the instance.
    cuts : CutPool
    known : Knowledge
    fine : bool
        Whether the instance is small enough to hope for a proof.
    seconds : float
        All there are.
    restricted : bool
        Whether programs leave out what is not worth more than the best schedule known.
    """

    def __init__(self, instance: UtilityInstance, bound: float, deadline: float) -> None:
        self.instance = instance
        scaled = scale_utilities(instance)
        self.factor = scaled.factor
        share = bound * scaled.factor / max(1, len(instance.jobs))
        self.totals = TotalsProgram(scaled.instance, coarse=_COARSE[True] * share)
        self.fine = self.totals.deadlines <= _MOST_VARIABLES
        if not self.fine:
            self.totals = TotalsProgram(scaled.instance, coarse=_COARSE[False] * share)
        self.cuts = CutPool(self.totals)
        self.known = Knowledge(instance, self.totals.limits, deadline, _PLACING_SECONDS)
        self.known.lower_bound_to(bound)
        self.seconds = deadline - time.monotonic()
        self.restricted = False

    def begin(
        self,
        cuts: Iterable[tuple[int, PackingCut]],
        loads: Sequence[np.ndarray],
        start: UtilitySchedule,
    ) -> None:
        """Take over what is known already."""
        for side, cut in cuts:
            self.cuts.know(side, cut)
        self.cuts.add_near(loads, _NEAR)
        self.known.offer(start)

    @property
    def least(self) -> float:
        """Objective of the program that a schedule has to reach to be of interest."""
        return self.known.objective * (1 + _HARDLY) * self.factor - self.totals.left_out

    def is_met(self, upper: float) -> bool:
        """Whether a bound of the program is hardly above the best schedule known."""
        most = (upper + self.totals.left_out) / self.factor
        return most <= self.known.objective * (1 + _HARDLY)

    def forbid(self, x: np.ndarray) -> None:
        """Leave out the deadlines of a point, and all later ones or fewer: they are done with."""
        self.restricted = True
        if not self.totals.forbid(x):
            self.lower_bound_to(-math.inf)

    def lower_bound_to(self, bound: float) -> None:
        """Take in a bound of the program."""
        bound = (bound + self.totals.left_out) / self.factor
        if self.restricted:  # what is left out is no better than this
            bound = max(bound, self.known.objective * (1 + _HARDLY))
        self.known.lower_bound_to(bound)

    def learn(self, x: np.ndarray) -> int:
        """Find the packing cuts that a point breaks; returns how many rows that makes."""
        for side, cut in self.known.cuts(self.totals, x):
            self.cuts.know(side, cut)
        return self.cuts.add_near([self.totals.loads(x, side) for side in (0, 1)], _NEAR)

    def goes_on(self, least: float) -> bool:
        """Whether a share of all the time is left, and the gap not closed."""
        return self.known.left > least * self.seconds and not self.known.closed(OPTIMAL_GAP)

    def options(self, seconds: float) -> HighsOptions:
        """Options of HiGHS for a program."""
        limit = max(0.1, min(seconds, self.known.left))
        return HighsOptions(time_limit=limit, mip_rel_gap=_GAP[self.fine])

    def solve(
        self, program: LinearProgram, options: HighsOptions, start: np.ndarray | None = None
    ) -> MatrixResult:
        """Solve a program, from the point of a schedule.

        Raises
        ------
        WrongSolution
            If HiGHS refuses the point.
        """
        try:
            return run_highs(program, options, start=start)
        except InputError as error:  # of a schedule that the scorer accepts
            raise WrongSolution(f"{self.instance.name}: {error}") from error
