"""What is known during the search by deadlines: programs, cuts, the best schedule and bound."""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from models.utility.formulations.schedules import without_idle
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from solvers.errors import WrongSolution
from solvers.highs import SMALL_MIP, HighsOptions, LinearProgram, MatrixResult
from solvers.highs import solve as run_highs
from solvers.result import HIGHS_ROUND_OFF, OPTIMAL_GAP
from solvers.utility.chosen_grid import chosen_grid
from solvers.utility.deadlines.budget import Budget
from solvers.utility.deadlines.cut_pool import CutPool
from solvers.utility.deadlines.options import DeadlineOptions
from solvers.utility.local_search import local_search
from solvers.utility.pool_bound import PoolPrices
from solvers.utility.scaling import scale_utilities
from solvers.utility.search_state import SearchState, refusing
from solvers.utility.separation import PackingCut
from solvers.utility.totals_program import SIDES, TotalsProgram, count_deadlines

__all__ = ["DeadlineState", "PooledRelaxation", "Steps", "bound_of"]

_SEED = 0
T = TypeVar("T")

Steps = Generator[None, None, T]
"""A computation in steps, with a result. It yields where the caller may change the state: after
that, `on_grid` and `cuts` may be others, and `known` may know more."""


def bound_of(result: MatrixResult) -> float:
    """Bound of a maximisation: minus infinity if infeasible, infinity if there is none yet."""
    if result.status == "infeasible":
        return -math.inf
    return math.inf if result.bound is None else result.bound


class PooledRelaxation(NamedTuple):
    """What a column generation over pooled servers found.

    Parameters
    ----------
    bound : float
        On the objective of all schedules.
    cuts : sequence of (int, PackingCut)
        Packing cuts, with their sides.
    loads : pair of ndarray, shape (T, I)
        Workers and parameter servers in its fractional solution.
    completions : ndarray, shape (T, I)
        Share of each job that completes in each slot of that solution.
    prices : PoolPrices
        Its duals.
    """

    bound: float
    cuts: Sequence[tuple[int, PackingCut]]
    loads: Sequence[np.ndarray]
    completions: np.ndarray
    prices: PoolPrices


class DeadlineState:
    """The state of a search, shared by all its steps.

    Parameters
    ----------
    instance, relaxation, start, deadline
        As in :func:`solvers.utility.deadlines.deadline_search`.
    options : DeadlineOptions

    Attributes
    ----------
    totals : TotalsProgram
        Slot by slot, for given deadlines. Utilities are in a unit that suits HiGHS: its objectives
        and bounds are `factor` times those of the instance.
    on_grid : TotalsProgram
        On the grid of time, for choosing deadlines; the same as `totals` if there is no grid.
    cuts : CutPool
        All packing cuts known, and where they are rows of `on_grid`.
    known : SearchState
        Best schedule and bound so far.
    budget : Budget
        Work and time.
    may_prove : bool
        Whether the instance is small enough to hope for a proof of optimality.
    forbidden : list of dict of int to int
        Deadlines that are excluded: no schedule with them beats the best one known.
    rows_added : int
        How many rows have been made of cuts so far, on all grids; none is counted again where it
        only moves to a finer grid.
    """

    def __init__(
        self,
        instance: UtilityInstance,
        relaxation: PooledRelaxation,
        start: UtilitySchedule,
        deadline: float,
        options: DeadlineOptions,
    ) -> None:
        self.instance, self.options = instance, options
        scaled = scale_utilities(instance)
        self._scaled, self.factor = scaled.instance, scaled.factor
        share = relaxation.bound * self.factor / max(1, len(instance.jobs))
        deadlines = count_deadlines(self._scaled, options.coarse[1] * share)
        self.may_prove = deadlines <= options.provable
        self._coarse = self._of(options.coarse) * share
        self.totals = self.on_grid = TotalsProgram(self._scaled, coarse=self._coarse)
        if not self.may_prove:
            prices, completions = relaxation.prices, relaxation.completions
            grid = chosen_grid(instance, prices, completions, options.intervals)
            self.on_grid = TotalsProgram(self._scaled, coarse=self._coarse, grid=grid)
        self.cuts = CutPool(self.on_grid)
        self.forbidden: list[Mapping[int, int]] = []
        self.rows_added = 0
        placing = HighsOptions(work_limit=options.placing)
        self.known = SearchState(instance, self.totals.limits, deadline, placing)
        self.budget = Budget(self.known, deadline, options, may_prove=self.may_prove)
        self.known.tighten_bound(relaxation.bound)
        for side, cut in relaxation.cuts:
            self.cuts.add(side, cut)
        self.add_near(relaxation.loads)
        self.known.offer(start)
        self._prices, self._rng = relaxation.prices, np.random.default_rng(_SEED)

    def refine(self, ends: Mapping[int, int]) -> bool:
        """Split intervals where these jobs arrive and complete; whether that changes the grid."""
        arrivals = [self.instance.jobs[i].arrival - 1 for i in ends]
        grid = self.on_grid.grid.split_after([*arrivals, *ends.values()])
        if len(grid.length) == len(self.on_grid.grid.length):
            return False
        self.on_grid = TotalsProgram(self._scaled, coarse=self._coarse, grid=grid)
        self.cuts = self.cuts.moved_to(self.on_grid)
        for forbidden in self.forbidden:
            self.on_grid.forbid(forbidden)
        return True

    # Cuts

    def add_new_cuts(self, program: TotalsProgram, x: np.ndarray) -> bool:
        """Find the cuts that a point of a program violates; whether that adds rows to `on_grid`."""
        before = self.rows_added
        self.separate(program, x)
        self.add_near([program.loads(x, side) for side in SIDES])
        return self.rows_added > before

    def separate(self, program: TotalsProgram, x: np.ndarray) -> None:
        """Find the packing cuts that a point violates, without adding rows."""
        for side, cut in self.known.find_cuts(program, x):
            self.cuts.add(side, cut)

    def add_near(self, loads: Sequence[np.ndarray]) -> None:
        """Add cuts as rows to the program on the grid, where loads come near to them."""
        self.rows_added += self.cuts.add_near(loads, self.options.near)

    # Schedules and bounds

    def offer_and_polish(self, schedule: UtilitySchedule, planned: float = 0.0) -> None:
        """Keep a schedule if it is the best so far; improve it if it or its plan is nearly that.

        A local search wins back part of what deciding slot after slot, or rounding, has lost: it
        changes the deadlines of a few jobs at a time.

        Parameters
        ----------
        schedule : UtilitySchedule
        planned : float
            Worth, in the program, of the plan that the schedule was made from.
        """
        options, worth = self.options, self.known.offer(schedule)
        worth = max(worth, (planned + self.totals.left_out) / self.factor)
        least = self.known.objective * (1 - self._of(options.polishable))
        if not options.polishing or worth < least or self.known.seconds_left <= 0:
            return
        polished = local_search(
            self.instance,
            self._prices,
            self._rng,
            start=schedule,
            iterations=options.polishing * len(self.instance.jobs),
            temperature=options.temperature,
            deadline=self.budget.deadline,
        )
        self.known.offer(polished)
        self.known.timed = self.known.timed or self.known.seconds_left <= 0

    def best_point(self, program: TotalsProgram) -> np.ndarray:
        """The point of the best schedule known."""
        return program.point(without_idle(self.instance, self.known.schedule))

    @property
    def objective_to_beat(self) -> float:
        """What a schedule has to reach, in the program's objective, to be better than the best."""
        most = self.known.objective * (1 + self.options.least_gain)
        return most * self.factor - self.totals.left_out

    def no_better_than_known(self, upper: float) -> bool:
        """Whether an upper bound in the program leaves (nearly) nothing above the best schedule."""
        return upper <= self.objective_to_beat

    def may_improve(self, upper: float) -> bool:
        """Whether an upper bound leaves a better schedule to find, and enough is left to do so."""
        return not self.no_better_than_known(upper) and self.may_continue()

    def is_promising(self, upper: float) -> bool:
        """Whether an upper bound in the program leaves enough to look for a better schedule."""
        known = self.known
        if self.may_prove or known.bound is None:
            return not self.no_better_than_known(upper)
        more = (upper + self.totals.left_out) / self.factor - known.objective
        gap, lost = known.bound - known.objective, self.options.small_loss * known.objective
        return more > min(self.options.promising * gap, lost)

    def take_program_bound(self, bound: float) -> None:
        """Take over an upper bound, of a program, on every schedule that beats the best one known.

        It is minus infinity if there is none.

        Raises
        ------
        WrongSolution
            If it is so far below the best schedule that excluded deadlines do not explain it.
        """
        bound, known = (bound + self.totals.left_out) / self.factor, self.known.objective
        least = known * (1 - self.options.least_gain)
        round_off = HIGHS_ROUND_OFF * max(known, 1 / self.factor)
        if -math.inf < bound < least - round_off:
            raise WrongSolution(f"{self.instance.name}: worth {known}, bound {bound}")
        self.known.tighten_bound(max(bound, known * (1 + self.options.least_gain)))

    def forbid(self, ends: Mapping[int, int]) -> None:
        """Exclude these deadlines, and all that are later or of fewer jobs."""
        self.forbidden.append(ends)
        if not self.on_grid.forbid(ends):
            self.take_program_bound(-math.inf)

    def is_forbidden(self, ends: Mapping[int, int]) -> bool:
        """Whether deadlines are excluded: forbidden ones, later ones, or those of fewer jobs."""
        return any(
            all(i in earliest and end >= earliest[i] for i, end in ends.items())
            for earliest in self.forbidden
        )

    def worth_of(self, ends: Mapping[int, int]) -> float:
        """What jobs are worth that complete in these slots, in the unit of the instance."""
        jobs = self.instance.jobs
        return sum(float(jobs[i].utility(end - jobs[i].arrival)) for i, end in ends.items())

    # Options

    @property
    def rough_gap(self) -> float:
        """The relative gap of a program that may be solved again: see `DeadlineOptions`."""
        return self._of(self.options.rough_gap)

    def _of(self, pair: tuple[T, T]) -> T:
        """Of an option with two values: the second where the optimum may be proven."""
        return pair[1] if self.may_prove else pair[0]

    # Work

    def may_continue(self) -> bool:
        """Whether enough work and time are left to begin something, and the gap is open."""
        return not self.budget.is_over(self.options.least) and not self.known.closed(OPTIMAL_GAP)

    def solve(
        self,
        program: LinearProgram,
        options: HighsOptions,
        start: np.ndarray | None = None,
        *,
        in_child: bool = True,
    ) -> MatrixResult:
        """Solve a program, starting from the point of a schedule if one is given.

        A child process keeps the time limit in all cases, but takes longer to start than a small
        program to solve: those are solved in this one, and others if asked.

        Raises
        ------
        WrongSolution
            If HiGHS refuses the point.
        """
        in_child = in_child and program.matrix.nnz > SMALL_MIP
        with refusing(self.instance, start):
            result = run_highs(program, options, start=start, in_child=in_child)
        # A child that died has not said what it did.
        work = options.work_limit if result.died and options.work_limit else result.work
        # Presolve may solve it without a look; a search by work has to end all the same.
        self.budget.charge(max(1, work), program.matrix.nnz)
        self.known.note_failure(result)
        return result
