"""The optimum: branch and cut on totals per slot, and placing on servers.

Each round solves :class:`solvers.utility.totals_program.TotalsProgram` with HiGHS, which gives an
upper bound, and tries to place the loads of its optimum. Loads that cannot be placed give
packing cuts for the next round or, if no cut is found, have their slot written out server by
server; meanwhile they are repaired into a feasible schedule. When all loads can be placed, the
optimum of the program is the optimum of the instance.
"""

from __future__ import annotations

import math
import threading
import time
from dataclasses import replace

import numpy as np

from models.errors import InputError
from models.utility.formulations.schedules import without_idle
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from models.utility.score import score
from solvers.highs import SMALL_MIP, SOLVER, HighsOptions, LinearProgram, MatrixResult
from solvers.highs import solve as run_highs
from solvers.result import HIGHS_ROUND_OFF, OPTIMAL_GAP, SolveResult, Status
from solvers.utility.occupancy import Occupancy
from solvers.utility.oracle import zero_prices
from solvers.utility.scaling import scale_utilities
from solvers.utility.search_state import SearchState, refusing
from solvers.utility.totals_program import TotalsProgram

__all__ = ["check_start", "solve"]

_ROOT_ROUNDS = 30
_ROOT_SHARE = 0.3  # of the time limit, at most
_KEPT_ROUNDS = 50
_KEPT_NODES = 200
_PLACING = HighsOptions(time_limit=10.0)  # for one load; one that takes longer writes its slot out


def solve(
    instance: UtilityInstance,
    *,
    time_limit: float | None = None,
    mip_rel_gap: float = OPTIMAL_GAP,
    start: UtilitySchedule | None = None,
    stop: threading.Event | None = None,
) -> SolveResult[UtilitySchedule]:
    """Best schedule in hindsight, and a bound that says how good it is.

    Parameters
    ----------
    instance : UtilityInstance
    time_limit : float, optional
        Seconds for everything; the best schedule and bound so far are returned.
    mip_rel_gap : float
        Relative gap at which the optimum counts as proven; below 1e-6, HiGHS's own tolerance,
        it counts as 1e-6.
    start : UtilitySchedule, optional
        A feasible schedule; the result is at least as good.
    stop : threading.Event, optional
        Ends the solve early, once it is set, as if its time were over.

    Returns
    -------
    SolveResult
        ``objective`` is the scorer's value of ``schedule``; ``bound`` is HiGHS's word (source
        "milp"), in floating point and not certified; where it lies below ``objective`` by
        1e-6 relative at most, HiGHS's tolerance, it is set to it. ``duals`` is None.

    Raises
    ------
    InputError
        If an option is out of range, or the start is not a feasible schedule of the instance.
    WrongSolution
        If a schedule that the scorer accepts is worth more than the bound.
    """
    # With two threads HiGHS takes longer on these programs: docs/formulations.md.
    options = HighsOptions(time_limit=time_limit, mip_rel_gap=mip_rel_gap)
    check_start(instance, start)
    return _Search(instance, options, start, stop).run()


def check_start(instance: UtilityInstance, start: UtilitySchedule | None) -> None:
    """Raise InputError if a schedule is given that is not feasible."""
    if start is not None and (violations := score(instance, start).violations):
        raise InputError(f"start is no feasible schedule: {violations[0]}")


class _Search:
    """The rounds of one solve, with the best schedule and the best bound so far."""

    def __init__(
        self,
        instance: UtilityInstance,
        options: HighsOptions,
        start: UtilitySchedule | None,
        stop: threading.Event | None,
    ) -> None:
        self._began = time.monotonic()
        self._instance, self._options, self._stop = instance, options, stop
        scaled = scale_utilities(instance)
        self._factor = scaled.factor
        self._program = program = TotalsProgram(scaled.instance)
        deadline = self._began + (math.inf if options.time_limit is None else options.time_limit)
        self._known = known = SearchState(instance, program.limits, deadline, _PLACING, stop)
        self._message = ""
        greedy = Occupancy(instance)
        by_value = sorted(program.limits, key=lambda i: (-float(instance.jobs[i].utility(0)), i))
        greedy.insert(by_value, zero_prices(instance.cluster))
        known.offer(greedy.schedule())
        if start is not None:
            known.offer(start)

    def run(self) -> SolveResult[UtilitySchedule]:
        """Rounds until the gap is closed or time is up."""
        if not self._program.limits:
            self._known.tighten_bound(0.0)
            self._message = "no job can complete"
            return self._result("optimal")
        self._cut_root()
        while not self._closed and self._known.seconds_left > 0:
            if not self._round():
                break
        if not self._closed and self._known.seconds_left <= 0:
            # Whatever the last of its programs came to:
            self._message = "stopped" if self._stop and self._stop.is_set() else "time limit"
        return self._result("optimal" if self._closed else "feasible")

    @property
    def _closed(self) -> bool:
        return self._known.closed(self._options.mip_rel_gap)

    def _cut_root(self) -> None:
        """Solve the relaxation and cut its optimum off, again and again, until no cut is found."""
        share = None
        if self._options.time_limit is not None:
            share = self._began + _ROOT_SHARE * self._options.time_limit
        x = None
        for _ in range(_ROOT_ROUNDS):
            left = None if share is None else share - time.monotonic()
            if (left is not None and left <= 0) or self._known.seconds_left <= 0:
                break
            result = run_highs(
                self._program.program().relaxed(), HighsOptions(time_limit=left), stop=self._stop
            )
            self._known.note_failure(result)
            if not result.is_optimal or result.x is None or result.bound is None:
                break
            self._known.tighten_bound(result.bound / self._factor)
            x = result.x
            if not self._separate(x):
                break
        if share is not None and time.monotonic() >= share:
            self._known.timed = True
        if x is not None:
            x = self._program.with_ps_needed(np.floor(x + HIGHS_ROUND_OFF))
            self._known.offer(self._known.repaired(self._program, x))

    def _round(self) -> bool:
        """Solve the integer program once; False if another round would bring nothing new."""
        start = self._program.point(without_idle(self._instance, self._known.schedule))
        result = self._solve(self._program.program(), start)
        self._message = "" if result.failed else result.message
        if result.bound is not None:
            self._known.tighten_bound(result.bound / self._factor)
        if result.x is None:
            return False
        kept = np.round(result.x)
        learnt = news = self._take_in(kept)
        for _ in range(_KEPT_ROUNDS):
            if not news or self._closed or self._known.seconds_left <= 0:
                break
            program = self._program.program(ends=self._program.ends(kept))
            again = self._solve(program, node_limit=_KEPT_NODES)
            if again.x is None:
                break  # nothing was found within the limit of nodes
            news = self._take_in(np.round(again.x))
        if not learnt and result.is_optimal and not self._closed:
            self._message += "; a load exceeds the scorer's tolerance by a hair"
        return bool(learnt)

    def _solve(
        self,
        program: LinearProgram,
        start: np.ndarray | None = None,
        node_limit: int | None = None,
    ) -> MatrixResult:
        limit = max(self._known.seconds_left, 0.1) if self._options.time_limit is not None else None
        options = replace(
            self._options,
            time_limit=limit,
            node_limit=node_limit,
            # HiGHS's gap is relative to its own objective; by the scorer's it may be a hair wider.
            mip_rel_gap=0.99 * self._options.mip_rel_gap,
        )
        in_child = limit is not None and program.matrix.nnz > SMALL_MIP
        with refusing(self._instance, start):
            result = run_highs(program, options, start=start, in_child=in_child, stop=self._stop)
        self._known.note_failure(result)
        return result

    def _take_in(self, x: np.ndarray) -> int:
        """Learn from an integer point: find a schedule close to it, and why it is none itself.

        Returns
        -------
        int
            How many cuts were added, or else how many slots were written out.
        """
        x = self._program.with_ps_needed(x)
        unplaced = self._known.unplaced(self._program, x)
        self._known.offer(self._known.repaired(self._program, x))
        cuts = self._separate(x)
        if cuts:
            return cuts
        if self._known.seconds_left <= 0:
            return 0  # slots are unplaced since nobody tried, and too many to be written out
        for side, slot in unplaced:
            self._program.write_out(side, slot)
        return len(unplaced)

    def _separate(self, x: np.ndarray) -> int:
        """Add the cuts that a point violates, in every slot; returns how many."""
        cuts = self._known.find_cuts(self._program, x)
        for side, cut in cuts:
            self._program.add_cut(side, cut)
        return len(cuts)

    def _result(self, status: Status) -> SolveResult[UtilitySchedule]:
        known = self._known
        known.reconcile()
        return SolveResult(
            status=status,
            objective=known.objective,
            bound=known.bound,
            schedule=known.schedule,
            duals=None,
            seconds=time.monotonic() - self._began,
            solver=SOLVER,
            options=self._options.as_dict(),
            message=self._message,
            failure=known.failure,
            timed=known.timed or known.seconds_left <= 0,
        )
