"""The state of a search over totals: its best schedule, its best bound, and its clock."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from models.errors import InputError
from models.utility.formulations import JobLimits
from models.utility.instance import UtilityInstance
from models.utility.schedule import UtilitySchedule
from models.utility.score import score
from solvers.errors import WrongSolution
from solvers.highs import HighsOptions, MatrixResult
from solvers.highs.engine import HighsError
from solvers.highs.growing import OutOfTime
from solvers.packing_groups import packing_groups
from solvers.result import HIGHS_ROUND_OFF, reconciled, relative_gap
from solvers.utility.occupancy import repaired
from solvers.utility.oracle import zero_prices
from solvers.utility.placing import Placer, Placing
from solvers.utility.separation import PackingCut, PackingSeparator
from solvers.utility.totals_program import SIDES, TotalsProgram

__all__ = ["LOOKS_PER_UNIT", "SearchState", "refusing"]

LOOKS_PER_UNIT = 1e6
"""How often HiGHS looks at its limits, about every hundred simplex iterations, times the nonzeros
of its program, in a unit of work. docs/formulations.md says how many seconds a unit takes."""


@contextmanager
def refusing(instance: UtilityInstance, start: np.ndarray | None) -> Iterator[None]:
    """Where HiGHS refuses the point of a schedule as a start, that is a wrong solution."""
    try:
        yield
    except InputError as error:
        if start is None:
            raise
        raise WrongSolution(f"{instance.name}: {error}") from error


class SearchState:
    """Best schedule and bound so far, and the tools to separate and place a program's points.

    Parameters
    ----------
    instance : UtilityInstance
    limits : dict of int to JobLimits
        Of the jobs that can complete, by job.
    deadline : float
        ``time.monotonic()`` after which no more cuts are looked for and loads are only placed
        server after server.
    placing : HighsOptions
        Limits for placing one load of one slot; one that takes longer counts as not placed.
    stop : threading.Event, optional
        Once it is set, no time is left.

    Attributes
    ----------
    schedule : UtilitySchedule
    objective : float
        Objective of that schedule, by the scorer.
    bound : float or None
        Least upper bound known on the objective of all schedules.
    timed : bool
        Whether the clock ended any step on the way, or a child process died: what the search did
        then depends on the machine.
    failure : str
        How the first solve failed that HiGHS or its child process did not survive; else empty.
    """

    def __init__(
        self,
        instance: UtilityInstance,
        limits: dict[int, JobLimits],
        deadline: float,
        placing: HighsOptions,
        stop: threading.Event | None = None,
    ) -> None:
        self._instance, self._deadline, self._stop = instance, deadline, stop
        self._placing = placing
        cluster = instance.cluster
        separators, placers = [], []
        for side in SIDES:
            most = np.zeros(len(instance.jobs), dtype=np.int64)
            for i in limits:
                most[i] = limits[i].most_ps if side else limits[i].most
            demand, groups = instance.demand[side], packing_groups(cluster.tolerant.sides[side])
            separators.append(PackingSeparator(groups, demand, most))
            placers.append(Placer(cluster.sides[side], demand, separators[side]))
        self._separators = separators
        self._placers = placers
        self.schedule = UtilitySchedule.build(
            instance, np.zeros(len(instance.jobs), dtype=bool), [], []
        )
        self.objective = 0.0
        self.bound: float | None = None
        self.timed = False
        self.failure = ""

    def note_failure(self, result: MatrixResult) -> None:
        """Remember how a solve failed, if it is the first one that did; and that a child died."""
        self.timed = self.timed or result.died
        if result.failed:
            self.failure = self.failure or result.message

    def note_error(self, error: HighsError) -> None:
        """Remember how HiGHS failed, or that it ran out of time."""
        if isinstance(error, OutOfTime):
            self.timed = True
        else:
            self.failure = self.failure or str(error)

    def offer(self, schedule: UtilitySchedule) -> float:
        """Keep a schedule if it is the best so far; returns what it is worth.

        Raises
        ------
        WrongSolution
            If it breaks a constraint.
        """
        judged = score(self._instance, schedule)
        if not judged.feasible:
            raise WrongSolution(f"{self._instance.name}: {judged.violations[0]}")
        if judged.objective > self.objective:
            self.objective, self.schedule = judged.objective, schedule
        return judged.objective

    def tighten_bound(self, bound: float) -> None:
        """Take an upper bound over if it is lower than the one known."""
        self.bound = bound if self.bound is None else min(self.bound, bound)

    def closed(self, gap: float) -> bool:
        """Whether schedule and bound agree, up to a relative gap or HiGHS's tolerance."""
        known = relative_gap("max", self.objective, self.bound)
        return known is not None and known <= max(gap, HIGHS_ROUND_OFF)

    def reconcile(self) -> None:
        """Raise the bound to the objective if it is below it by round-off.

        Raises
        ------
        WrongSolution
            If it is further below.
        """
        if self.bound is not None:
            self.bound = reconciled(self._instance.name, "max", self.objective, self.bound)

    @property
    def seconds_left(self) -> float:
        """Seconds left; none once the search is to stop."""
        if self._stop is not None and self._stop.is_set():
            return 0.0
        return self._deadline - time.monotonic()

    def find_cuts(self, program: TotalsProgram, x: np.ndarray) -> list[tuple[int, PackingCut]]:
        """Packing cuts that a point violates, with their sides; only some if time runs out."""
        found: list[tuple[int, PackingCut]] = []
        for side in SIDES:
            fresh: list[PackingCut] = []
            loads = program.loads(x, side)
            for slot in program.grid.starts.tolist():
                if program.is_written_out(side, slot):
                    continue
                load = loads[slot]
                if any(weight @ load > capacity * (1 + 1e-6) for weight, capacity in fresh):
                    continue  # cut off by what was found in another slot
                try:
                    until = time.monotonic() + self.seconds_left
                    cut = self._separators[side].cut(load, until)
                except HighsError as error:
                    self.note_error(error)
                    if isinstance(error, OutOfTime):
                        break
                    continue
                if cut is not None:
                    fresh.append(cut)
            found.extend((side, cut) for cut in fresh)
        return found

    def unplaced(self, program: TotalsProgram, x: np.ndarray) -> list[tuple[int, int]]:
        """Sides and slots whose loads do not fit on the servers, or were not placed in time."""
        return [
            (side, slot)
            for side in SIDES
            for slot, load in enumerate(program.loads(x, side))
            if not program.is_written_out(side, slot) and not self.place(side, load).complete
        ]

    def place(self, side: int, load: np.ndarray) -> Placing:
        """Place a load of one slot on the servers of a side."""
        limits = self._placing
        until = time.monotonic() + min(limits.time_limit or math.inf, self.seconds_left)
        placing = self._placers[side].place(load, limits, until)
        self.timed = self.timed or time.monotonic() >= until
        self.failure = self.failure or self._placers[side].failure
        return placing

    def size(self, side: int) -> np.ndarray:
        """The size by which loads are placed, of a worker of each job, shape (I,)."""
        return self._placers[side].size

    def repaired(self, program: TotalsProgram, x: np.ndarray) -> UtilitySchedule:
        """A feasible schedule close to an integer point."""
        loads = [program.loads(x, side).astype(np.int64) for side in SIDES]

        def place(side: int, slot: int) -> np.ndarray:
            found = self.place(side, loads[side][slot])
            if not found.complete and program.is_written_out(side, slot):
                counts = program.placed(x, side, slot).astype(np.int64)
                if self._placers[side].fits(counts):
                    return counts
            return found.counts

        prices = zero_prices(self._instance.cluster)
        return repaired(self._instance, loads[0], place, prices).schedule()
