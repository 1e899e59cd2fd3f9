"""The optimum: branch and cut on totals per slot, and placing on servers.

Each round solves :class:`solvers.utility.totals_program.TotalsProgram` with HiGHS, which gives an
upper bound, and tries to place the loads of its optimum. Loads that cannot be placed give
packing cuts, or write a slot out, for the next round, and a repaired schedule meanwhile. When
all loads can be placed, the optimum of the program is the optimum of the instance.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TextIO

import numpy as np

from models.errors import InputError
from models.utility.formulations.schedules import without_idle
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from models.utility.score import score
from solvers.highs import SOLVER, HighsOptions, LinearProgram, MatrixResult
from solvers.highs import solve as run_highs
from solvers.result import OPTIMAL_GAP, SolveResult, Status, relative_gap
from solvers.utility.occupancy import Occupancy, repaired
from solvers.utility.oracle import zero_prices
from solvers.utility.packing_groups import packing_groups
from solvers.utility.placing import Placer
from solvers.utility.scaling import scale_utilities
from solvers.utility.separation import PackingSeparator
from solvers.utility.totals_program import SIDES, TotalsProgram

__all__ = ["WrongSolution", "solve"]

_ROOT_ROUNDS = 30
_ROOT_SHARE = 0.3  # of the time limit, at most
_ROUND_OFF = 1e-6  # HiGHS's own, relative: utilities are scaled to about 100
_KEPT_ROUNDS = 50
_KEPT_NODES = 200
_PLACING_SECONDS = 10.0  # for one load; one that takes longer writes its slot out
_SMALL = 30_000  # nonzeros up to which HiGHS keeps its time limit without a child process


class WrongSolution(RuntimeError):
    """Solver, model and scorer contradict each other: a fault of the code, not of the input."""


def solve(
    instance: UtilityInstance,
    *,
    time_limit: float | None = None,
    mip_rel_gap: float = OPTIMAL_GAP,
    threads: int = 1,
    seed: int = 0,
    start: UtilitySchedule | None = None,
    log: str | Path | TextIO | None = None,
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
    threads, seed : int
        Of HiGHS.
    start : UtilitySchedule, optional
        A feasible schedule; the result is at least as good.
    log : path or text stream, optional
        Where HiGHS's log goes.

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
    options = HighsOptions(
        time_limit=time_limit, mip_rel_gap=mip_rel_gap, threads=threads, seed=seed
    )
    if start is not None:
        violations = score(instance, start).violations
        if violations:
            raise InputError(f"start is no feasible schedule: {violations[0]}")
    with ExitStack() as stack:
        stream = stack.enter_context(open(log, "w")) if isinstance(log, str | Path) else log
        return _Search(instance, options, start, stream).run()


class _Search:
    """The rounds; holds the best schedule and the best bound so far."""

    def __init__(
        self,
        instance: UtilityInstance,
        options: HighsOptions,
        start: UtilitySchedule | None,
        log: TextIO | None,
    ) -> None:
        self._began = time.monotonic()
        self._instance, self._options, self._log = instance, options, log
        scaled = scale_utilities(instance)
        self._factor = scaled.factor
        self._program = program = TotalsProgram(scaled.instance)
        cluster, tolerant = instance.cluster, instance.cluster.tolerant
        limits, width = program.limits, len(cluster.resources)
        separators, placers = [], []
        for side in SIDES:
            most = np.zeros(len(instance.jobs), dtype=np.int64)
            for i in limits:
                most[i] = limits[i].most_ps if side else limits[i].most
            demand = np.array([job.ps if side else job.worker for job in instance.jobs])
            demand = demand.reshape(-1, width)
            groups = packing_groups(tolerant.ps_servers if side else tolerant.worker_servers)
            separators.append(PackingSeparator(groups, demand, most))
            placers.append(Placer(cluster.ps_servers if side else cluster.worker_servers, demand))
        self._separators = separators
        self._placers = (placers[0], placers[1])
        self._schedule = UtilitySchedule.build(
            instance, np.zeros(len(instance.jobs), dtype=bool), [], []
        )
        self._objective = 0.0
        self._bound: float | None = None
        self._message = ""
        greedy = Occupancy(instance)
        by_value = sorted(limits, key=lambda i: (-float(instance.jobs[i].utility(0)), i))
        greedy.insert(by_value, zero_prices(cluster))
        self._offer(greedy.schedule())
        if start is not None:
            self._offer(start)

    def run(self) -> SolveResult[UtilitySchedule]:
        """Rounds until the gap is closed or time is up."""
        if not self._program.limits:
            self._bound, self._message = 0.0, "no job can complete"
            return self._result("optimal")
        self._cut_root()
        while not self._closed() and self._left() > 0:
            if not self._round():
                break
        return self._result("optimal" if self._closed() else "feasible")

    def _cut_root(self) -> None:
        """Solve the relaxation and cut it off, until no cut is found."""
        share = None
        if self._options.time_limit is not None:
            share = self._began + _ROOT_SHARE * self._options.time_limit
        x = None
        for _ in range(_ROOT_ROUNDS):
            left = None if share is None else share - time.monotonic()
            if left is not None and left <= 0:
                break
            result = run_highs(
                self._program.program().relaxed(), HighsOptions(time_limit=left), log=self._log
            )
            if not result.is_optimal or result.x is None or result.bound is None:
                break
            self._lower_bound_to(result.bound)
            x = result.x
            if not self._separate(x):
                break
        if x is not None:
            self._repair(np.floor(x + _ROUND_OFF))

    def _round(self) -> bool:
        """One solve of the integer program; False if it brings no further."""
        start = self._program.point(without_idle(self._instance, self._schedule))
        result = self._solve(self._program.program(), start)
        self._message = result.message
        if result.bound is not None:
            self._lower_bound_to(result.bound)
        if result.x is None:
            return False
        news = self._take_in(np.round(result.x))
        kept = np.round(result.x)
        for _ in range(_KEPT_ROUNDS):
            if not news or self._closed() or self._left() <= 0:
                break
            program = self._program.program(deadlines_of=kept)
            again = self._solve(program, node_limit=_KEPT_NODES)
            if again.x is None:
                break  # these deadlines cannot be kept, or it is hard to tell
            news = self._take_in(np.round(again.x))
        if not news and result.is_optimal and not self._closed():
            self._message += "; a load exceeds the scorer's tolerance by a hair"
        return bool(news)

    def _solve(
        self,
        program: LinearProgram,
        start: np.ndarray | None = None,
        node_limit: int | None = None,
    ) -> MatrixResult:
        limit = max(self._left(), 0.1) if self._options.time_limit is not None else None
        options = replace(
            self._options,
            time_limit=limit,
            node_limit=node_limit,
            # HiGHS's gap is relative to its own objective: the scorer's may end a hair beyond it.
            mip_rel_gap=0.99 * self._options.mip_rel_gap,
        )
        in_child = options.threads > 1 or (limit is not None and program.matrix.nnz > _SMALL)
        try:
            return run_highs(program, options, start=start, log=self._log, in_child=in_child)
        except InputError as error:  # of a schedule that the scorer accepts
            raise WrongSolution(f"{self._instance.name}: {error}") from error

    def _take_in(self, x: np.ndarray) -> int:
        """Learn from a whole point: a schedule close to it, and why it is none itself.

        Returns
        -------
        int
            How many cuts and slots written out the program has now been given.
        """
        unplaced = self._unplaced(x)
        self._repair(x)
        cuts = self._separate(x)
        if cuts:
            return cuts
        for side, slot in unplaced:
            self._program.write_out(side, slot)
        return len(unplaced)

    def _separate(self, x: np.ndarray) -> int:
        """Add the cuts that a point breaks; returns how many."""
        found = 0
        deadline = self._began + (self._options.time_limit or np.inf)
        for side in SIDES:
            fresh: list[tuple[np.ndarray, float]] = []
            for slot, load in enumerate(self._program.loads(x, side)):
                if self._program.is_written_out(side, slot):
                    continue
                if any(weight @ load > capacity * (1 + 1e-6) for weight, capacity in fresh):
                    continue  # cut off by what was found in another slot
                cut = self._separators[side].cut(load, deadline)
                if cut is not None:
                    self._program.add_cut(side, cut)
                    fresh.append(cut)
                    found += 1
        return found

    def _unplaced(self, x: np.ndarray) -> list[tuple[int, int]]:
        """Sides and slots whose loads the servers cannot hold, or not as far as is known."""
        return [
            (side, slot)
            for side in SIDES
            for slot, load in enumerate(self._program.loads(x, side))
            if not self._program.is_written_out(side, slot)
            and not self._placers[side].place(load, self._placing_seconds()).complete
        ]

    def _repair(self, x: np.ndarray) -> None:
        """Offer a schedule close to a point."""
        loads = [self._program.loads(x, side).astype(np.int64) for side in SIDES]

        def place(side: int, slot: int) -> np.ndarray:
            placer = self._placers[side]
            found = placer.place(loads[side][slot], self._placing_seconds())
            if not found.complete and self._program.is_written_out(side, slot):
                counts = self._program.placed(x, side, slot).astype(np.int64)
                if placer.fits(counts):
                    return counts
            return found.counts

        prices = zero_prices(self._instance.cluster)
        self._offer(repaired(self._instance, loads[0], place, prices).schedule())

    def _offer(self, schedule: UtilitySchedule) -> None:
        """Keep a schedule if it is the best so far."""
        judged = score(self._instance, schedule)
        if not judged.feasible:
            raise WrongSolution(f"{self._instance.name}: {judged.violations[0]}")
        if judged.objective > self._objective:
            self._objective, self._schedule = judged.objective, schedule

    def _lower_bound_to(self, scaled_bound: float) -> None:
        bound = scaled_bound / self._factor
        self._bound = bound if self._bound is None else min(self._bound, bound)

    def _closed(self) -> bool:
        gap = relative_gap("max", self._objective, self._bound)
        return gap is not None and gap <= max(self._options.mip_rel_gap, _ROUND_OFF)

    def _left(self) -> float:
        if self._options.time_limit is None:
            return np.inf
        return self._options.time_limit - (time.monotonic() - self._began)

    def _placing_seconds(self) -> float:
        return min(_PLACING_SECONDS, self._left())

    def _result(self, status: Status) -> SolveResult[UtilitySchedule]:
        if self._bound is not None and self._objective > self._bound:
            if self._objective > self._bound * (1 + _ROUND_OFF):
                raise WrongSolution(
                    f"{self._instance.name}: worth {self._objective}, bound {self._bound}"
                )
            self._bound = self._objective
        return SolveResult(
            status=status,
            objective=self._objective,
            bound=self._bound,
            schedule=self._schedule,
            duals=None,
            seconds=time.monotonic() - self._began,
            solver=SOLVER,
            options=self._options.as_dict(),
            message=self._message,
        )
