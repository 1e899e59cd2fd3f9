"""What rounds of deadlines first share: the coarse program, its cuts, and what is known."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from models.errors import InputError
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from solvers.errors import WrongSolution
from solvers.highs import HighsOptions, LinearProgram, MatrixResult
from solvers.highs import solve as run_highs
from solvers.result import OPTIMAL_GAP
from solvers.utility.cut_pool import CutPool
from solvers.utility.knowledge import Knowledge
from solvers.utility.scaling import scale_utilities
from solvers.utility.separation import PackingCut
from solvers.utility.time_grid import TimeGrid
from solvers.utility.totals_program import SIDES, TotalsProgram

__all__ = ["DeadlineProgram", "bound_of"]

# Of the bound, shared among the jobs: what may be lost by taking it coarsely. And the relative
# gap of the programs. By whether there is hope to prove the optimum.
_COARSE = {True: 2e-5, False: 1e-3}
_GAP = {True: 3e-5, False: 5e-4}
_HARDLY = OPTIMAL_GAP / 2  # better: a schedule that is not looked for
_MOST_VARIABLES = 250  # deadlines up to which there is
_INTERVALS = 1 / 3  # of the slots, in the first grid
_ARRIVING = 0.5  # worth of an interval that begins where a job arrives, beside one at its end
_NEAR = 0.95  # share of its capacity from which on a cut becomes a row of a slot
_LEAST = 0.03  # of all time, for which nothing more is begun
_PLACING_SECONDS = 0.1  # for one load: what is left over then is made up in other slots


def bound_of(result: MatrixResult) -> float:
    """Bound of a maximisation; minus infinity where there is nothing, infinity if not known."""
    if result.status == "infeasible":
        return -math.inf
    return math.inf if result.bound is None else result.bound


class DeadlineProgram:
    """The totals program of an instance, made coarse; and the same on a grid of time.

    Parameters
    ----------
    instance : UtilityInstance
    bound : float
        On the worth of all schedules.
    deadline : float
        ``time.monotonic()`` at which to stop; finite.
    completions : ndarray, shape (T, I)
        How much of each job completes in each slot, in a fractional solution.

    Attributes
    ----------
    totals : TotalsProgram
        Slot by slot: for given deadlines. Utilities are in a unit that suits HiGHS: objectives and
        bounds of it are `factor` times those of the instance.
    on_grid : TotalsProgram
        On the grid: for choosing deadlines. The same one where the grid is every slot.
    cuts : CutPool
        All that are known. `totals` has them as rows only where it is the program on the grid.
    known : Knowledge
    fine : bool
        Whether the instance is small enough to hope for a proof.
    seconds : float
        All there are.
    restricted : bool
        Whether programs leave out what is not worth more than the best schedule known.
    forbidden : list of dict of int to int
        Deadlines that are done with.
    rows_added : int
        How many rows cuts have become so far.
    after_solve : callable
        Called after every program that has been solved; it may change all of the above.
    """

    def __init__(
        self, instance: UtilityInstance, bound: float, deadline: float, completions: np.ndarray
    ) -> None:
        self.instance = instance
        self._scaled = scale_utilities(instance)
        self.factor = self._scaled.factor
        share = bound * self.factor / max(1, len(instance.jobs))
        self._coarse = _COARSE[True] * share
        self.totals = TotalsProgram(self._scaled.instance, coarse=self._coarse)
        self.fine = self.totals.deadlines <= _MOST_VARIABLES
        self.on_grid = self.totals
        if not self.fine:
            self._coarse = _COARSE[False] * share
            self.totals = TotalsProgram(self._scaled.instance, coarse=self._coarse)
        self.cuts = CutPool(self.totals)
        self._cuts_on_grid = self.cuts
        self.forbidden: list[Mapping[int, int]] = []
        self.rows_added = 0
        if not self.fine:
            self._use_grid(_first_grid(self.totals, completions))
        self.known = Knowledge(instance, self.totals.limits, deadline, _PLACING_SECONDS)
        self.known.lower_bound_to(bound)
        self.seconds = deadline - time.monotonic()
        self.restricted = False
        self.after_solve: Callable[[], None] = lambda: None

    def begin(
        self,
        cuts: Iterable[tuple[int, PackingCut]],
        loads: Sequence[np.ndarray],
        start: UtilitySchedule,
    ) -> None:
        """Take over what is known already."""
        for side, cut in cuts:
            self.cuts.know(side, cut)
        self.add_near(loads)
        self.known.offer(start)

    def _use_grid(self, grid: TimeGrid) -> None:
        self.on_grid = TotalsProgram(self._scaled.instance, coarse=self._coarse, grid=grid)
        self._cuts_on_grid = self._cuts_on_grid.moved_to(self.on_grid)
        for forbidden in self.forbidden:
            self.on_grid.forbid(forbidden)

    def add_near(self, loads: Sequence[np.ndarray]) -> None:
        """Make cuts rows of the program on the grid, where loads come near to them."""
        if self._cuts_on_grid is not self.cuts:
            for side, cut in self.cuts:
                self._cuts_on_grid.know(side, cut)
        self.rows_added += self._cuts_on_grid.add_near(loads, _NEAR)

    def refine(self, ends: Mapping[int, int]) -> bool:
        """Have intervals begin where jobs arrive, and end where they do; whether any is new."""
        arrivals = [self.instance.jobs[i].arrival - 1 for i in ends]
        grid = self.on_grid.grid.split_after([*arrivals, *ends.values()])
        if len(grid.length) == len(self.on_grid.grid.length):
            return False
        self._use_grid(grid)
        return True

    @property
    def least(self) -> float:
        """Objective of the program that a schedule has to reach to be of interest."""
        return self.known.objective * (1 + _HARDLY) * self.factor - self.totals.left_out

    def is_met(self, upper: float) -> bool:
        """Whether a bound of the program is hardly above the best schedule known."""
        most = (upper + self.totals.left_out) / self.factor
        return most <= self.known.objective * (1 + _HARDLY)

    def forbid(self, ends: Mapping[int, int]) -> None:
        """Leave out these deadlines, and all later ones or fewer: they are done with."""
        self.restricted = True
        self.forbidden.append(ends)
        if not self.on_grid.forbid(ends):
            self.lower_bound_to(-math.inf)

    def is_forbidden(self, ends: Mapping[int, int]) -> bool:
        """Whether deadlines are left out: forbidden ones, or later ones, or fewer."""
        return any(
            all(i in earliest and end >= earliest[i] for i, end in ends.items())
            for earliest in self.forbidden
        )

    def lower_bound_to(self, bound: float) -> None:
        """Take in a bound of the program."""
        bound = (bound + self.totals.left_out) / self.factor
        if self.restricted:  # what is left out is no better than this
            bound = max(bound, self.known.objective * (1 + _HARDLY))
        self.known.lower_bound_to(bound)

    def learn(self, program: TotalsProgram, x: np.ndarray) -> None:
        """Find the packing cuts that a point breaks, and make rows of them.

        Parameters
        ----------
        program : TotalsProgram
            `totals` or `on_grid`, also an earlier one.
        x : ndarray
            A point of it.
        """
        self.separate(program, x)
        self.add_near([program.loads(x, side) for side in SIDES])

    def separate(self, program: TotalsProgram, x: np.ndarray) -> None:
        """Find the packing cuts that a point breaks, without making rows of them."""
        for side, cut in self.known.cuts(program, x):
            self.cuts.know(side, cut)

    def goes_on(self, least: float = _LEAST) -> bool:
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
            result = run_highs(program, options, start=start)
        except InputError as error:
            if start is None:
                raise
            raise WrongSolution(f"{self.instance.name}: {error}") from error
        self.after_solve()
        return result


def _first_grid(totals: TotalsProgram, completions: np.ndarray) -> TimeGrid:
    """Intervals that begin and end where most arrives and completes in a fractional solution."""
    slots, weight = totals.grid.slots, np.zeros(totals.grid.slots)
    for i in totals.limits:
        arrival, share = totals.limits[i].job.arrival, totals.share_of(i)
        if arrival > 0:
            weight[arrival - 1] += _ARRIVING * share * completions[:, i].sum()
        for slot in np.flatnonzero(completions[:, i]).tolist():
            end = totals.group_end(i, slot)
            if end is not None:
                weight[end] += share * completions[slot, i]
    most = np.argsort(-weight[:-1], kind="stable")[: math.ceil(_INTERVALS * slots) - 1]
    return TimeGrid(slots, most + 1)
