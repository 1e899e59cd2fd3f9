"""What all parts of the search by deadlines share: programs, cuts, and the best results."""

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
from solvers.utility.deadlines.cut_pool import CutPool
from solvers.utility.scaling import scale_utilities
from solvers.utility.search_state import SearchState
from solvers.utility.separation import PackingCut
from solvers.utility.time_grid import TimeGrid
from solvers.utility.totals_program import SIDES, TotalsProgram

__all__ = ["DeadlineProgram", "bound_of"]

# By whether there is hope to prove the optimum: what share of the bound, divided among the jobs,
# may be lost by treating deadlines of similar worth alike; and the relative gap of the programs.
_COARSE = {True: 2e-5, False: 1e-3}
_GAP = {True: 3e-5, False: 5e-4}
_HARDLY = OPTIMAL_GAP / 2  # relative: no schedule is looked for that is better by no more
_MOST_VARIABLES = 250  # deadlines, up to which there is hope to prove the optimum
_INTERVALS = 1 / 3  # number of intervals in the first grid, as a share of the slots
_ARRIVING = 0.5  # weight of a boundary where a job arrives; where one completes, it is 1
_NEAR = 0.95  # a cut becomes a row in slots whose load reaches this share of its capacity
_LEAST = 0.03  # share of all time: with less left, nothing more is begun
_PLACING_SECONDS = 0.1  # for one load; other slots make up for what it leaves unplaced


def bound_of(result: MatrixResult) -> float:
    """Bound of a maximisation: minus infinity if infeasible, infinity if there is none yet."""
    if result.status == "infeasible":
        return -math.inf
    return math.inf if result.bound is None else result.bound


class DeadlineProgram:
    """The totals program of an instance, made coarse; and the same on a grid of time.

    Parameters
    ----------
    instance : UtilityInstance
    bound : float
        On the objective of all schedules.
    deadline : float
        ``time.monotonic()`` at which to stop; finite.
    completions : ndarray, shape (T, I)
        How much of each job completes in each slot, in a fractional solution.

    Attributes
    ----------
    totals : TotalsProgram
        Slot by slot, for given deadlines. Utilities are in a unit that suits HiGHS: its objectives
        and bounds are `factor` times those of the instance.
    on_grid : TotalsProgram
        On the grid of time, for choosing deadlines; the same as `totals` if there is no grid.
    cuts : CutPool
        All packing cuts known. They are rows of `totals` only if it is the program on the grid.
    known : SearchState
        Best schedule and bound so far.
    may_prove : bool
        Whether the instance is small enough to hope for a proof of optimality.
    seconds : float
        For the whole search.
    restricted : bool
        Whether the programs exclude some of what does not beat the best schedule known.
    forbidden : list of dict of int to int
        Deadlines that are excluded: no schedule with them beats the best one known.
    rows_added : int
        How many rows have been made of cuts so far.
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
        self.may_prove = self.totals.deadlines <= _MOST_VARIABLES
        self.on_grid = self.totals
        if not self.may_prove:
            self._coarse = _COARSE[False] * share
            self.totals = TotalsProgram(self._scaled.instance, coarse=self._coarse)
        self.cuts = CutPool(self.totals)
        self._cuts_on_grid = self.cuts
        self.forbidden: list[Mapping[int, int]] = []
        self.rows_added = 0
        if not self.may_prove:
            self._use_grid(_first_grid(self.totals, completions))
        self.known = SearchState(instance, self.totals.limits, deadline, _PLACING_SECONDS)
        self.known.tighten_bound(bound)
        self.seconds = deadline - time.monotonic()
        self.restricted = False
        self.after_solve: Callable[[], None] = lambda: None

    def begin(
        self,
        cuts: Iterable[tuple[int, PackingCut]],
        loads: Sequence[np.ndarray],
        start: UtilitySchedule,
    ) -> None:
        """Take over cuts, the loads that show which of them matter, and a schedule."""
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
        """Add cuts as rows to the program on the grid, where loads come near to them."""
        if self._cuts_on_grid is not self.cuts:
            for side, cut in self.cuts:
                self._cuts_on_grid.know(side, cut)
        self.rows_added += self._cuts_on_grid.add_near(loads, _NEAR)

    def refine(self, ends: Mapping[int, int]) -> bool:
        """Split intervals where these jobs arrive and complete; whether that changes the grid."""
        arrivals = [self.instance.jobs[i].arrival - 1 for i in ends]
        grid = self.on_grid.grid.split_after([*arrivals, *ends.values()])
        if len(grid.length) == len(self.on_grid.grid.length):
            return False
        self._use_grid(grid)
        return True

    @property
    def objective_to_beat(self) -> float:
        """What a schedule has to reach, in the program's objective, to be better than the best."""
        return self.known.objective * (1 + _HARDLY) * self.factor - self.totals.left_out

    def no_better_than_known(self, upper: float) -> bool:
        """Whether an upper bound in the program leaves (nearly) nothing above the best schedule."""
        most = (upper + self.totals.left_out) / self.factor
        return most <= self.known.objective * (1 + _HARDLY)

    def forbid(self, ends: Mapping[int, int]) -> None:
        """Exclude these deadlines, and all that are later or of fewer jobs."""
        self.restricted = True
        self.forbidden.append(ends)
        if not self.on_grid.forbid(ends):
            self.tighten_bound(-math.inf)

    def is_forbidden(self, ends: Mapping[int, int]) -> bool:
        """Whether deadlines are excluded: forbidden ones, later ones, or those of fewer jobs."""
        return any(
            all(i in earliest and end >= earliest[i] for i, end in ends.items())
            for earliest in self.forbidden
        )

    def tighten_bound(self, bound: float) -> None:
        """Take over an upper bound on the program's objective."""
        bound = (bound + self.totals.left_out) / self.factor
        if self.restricted:  # what is excluded is no better than this
            bound = max(bound, self.known.objective * (1 + _HARDLY))
        self.known.tighten_bound(bound)

    def learn(self, program: TotalsProgram, x: np.ndarray) -> None:
        """Find the packing cuts that a point violates, and add them as rows.

        Parameters
        ----------
        program : TotalsProgram
            `totals`, or `on_grid` as it is or was.
        x : ndarray
            A point of it.
        """
        self.separate(program, x)
        self.add_near([program.loads(x, side) for side in SIDES])

    def separate(self, program: TotalsProgram, x: np.ndarray) -> None:
        """Find the packing cuts that a point violates, without adding rows."""
        for side, cut in self.known.cuts(program, x):
            self.cuts.know(side, cut)

    def may_continue(self, least: float = _LEAST) -> bool:
        """Whether more than a share of all time is left, and the gap is not closed."""
        return self.known.seconds_left > least * self.seconds and not self.known.closed(OPTIMAL_GAP)

    def options(self, seconds: float) -> HighsOptions:
        """Options of HiGHS for a program."""
        limit = max(0.1, min(seconds, self.known.seconds_left))
        return HighsOptions(time_limit=limit, mip_rel_gap=_GAP[self.may_prove])

    def solve(
        self, program: LinearProgram, options: HighsOptions, start: np.ndarray | None = None
    ) -> MatrixResult:
        """Solve a program, starting from the point of a schedule if one is given.

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
    """Intervals bounded where most jobs arrive and complete in a fractional solution."""
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
