"""A linear program whose duals are prices for the leaves of a tree of branchings on completions.

For each slot that a job may complete in a variable, and for each slot up to there one for each way
to run: so many workers with the parameter servers they need, on one machine or on several, at the
corners of what :mod:`solvers.colocated.pool_bound` mixes. It is the relaxation that the column
generation solves, written out. A branching is a bound on variables and on how many schedules a job
has: from one leaf to the next the basis stays dual feasible, and a solve takes a few simplex
iterations. Its value is no bound to rely on, and need not be: the prices are.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import sparse

from solvers.branching_tree import Branch, Deadlines
from solvers.colocated.pool_bound import PoolBounds, PoolOracle
from solvers.highs import LinearProgram
from solvers.highs.growing import GrowingProgram, Optimum
from solvers.price_certificate import rounded
from solvers.scaling import factor_for
from solvers.tree_search import Relaxation, TooLarge, undecided

__all__ = ["DeadlineProgram"]

_MOST = 30_000  # variables
_OVERLOAD = 100.0  # cost of twice the capacities, relative to all that the jobs are worth
_HAIR = 1e-9  # of work
_SMALLEST = 1e-9  # coefficient; smaller ones are left out


class DeadlineProgram(Relaxation):
    """The program, solved for one set of deadlines after another.

    All capacities may be exceeded by one share, at a price so high that nobody would unless some
    jobs have to complete that do not fit together. So there are duals wherever each job alone can
    do what it has to.

    Parameters
    ----------
    bounds : PoolBounds
    deadline : float
        ``time.monotonic()`` at which to stop.

    Raises
    ------
    TooLarge
        If it has too many variables.
    """

    def __init__(self, bounds: PoolBounds, deadline: float) -> None:
        self._deadline, self._shape = deadline, (bounds.slots, bounds.columns)
        self._capacity = bounds.capacity
        self._jobs = jobs = len(bounds.oracles)
        first = bounds.slots * bounds.columns
        # First the rows with a price, then those of the jobs, then those of their completions.
        self._first, count = first, first + jobs
        parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        done: list[tuple[int, int, int, float]] = []  # job, slot, column, worth
        columns = 0
        for i, oracle in enumerate(bounds.oracles):
            if not oracle.feasible:
                continue
            progress, used, share = self._ways(oracle)
            arrival, ways = oracle.job.arrival, len(progress)
            fastest = (progress / share).max(initial=0.0)
            for slot in range(arrival, bounds.slots):
                room = slot + 1 - arrival
                if fastest * room < 1.0 - _HAIR:
                    continue
                if columns + 1 + room * ways > _MOST:
                    raise TooLarge
                work, slots = count, count + 1 + np.arange(room)
                count += 1 + room
                # The completion: one of the job; it asks for work, and for time in each slot.
                rows = np.concatenate([[first + i, work], slots])
                values = np.concatenate([[1.0, 1.0], -np.ones(room)])
                parts.append((rows, np.full(len(rows), columns), values))
                done.append((i, slot, columns, float(oracle.values[slot])))
                columns += 1
                place = columns + np.arange(room * ways).reshape(room, ways)
                columns += room * ways
                parts.append((np.full(place.size, work), place.ravel(), np.tile(-progress, room)))
                parts.append((np.repeat(slots, ways), place.ravel(), np.tile(share, room)))
                at = (arrival + np.arange(room))[:, None] * bounds.columns
                for r in range(bounds.columns):
                    priced = np.repeat(at + r, ways)
                    parts.append((priced, place.ravel(), np.tile(used[:, r], room)))
        overload = columns
        parts.append((np.arange(first), np.full(first, overload), -np.ones(first)))
        self._job, self._slot, self._done = (
            np.array([one[k] for one in done], dtype=np.int64) for k in (0, 1, 2)
        )
        worth = np.array([one[3] for one in done])
        best = np.zeros(jobs)
        np.maximum.at(best, self._job, worth)
        self._factor = factor_for(float(best.max(initial=0.0)))
        cost = np.zeros(overload + 1)
        cost[self._done], cost[overload] = worth, -_OVERLOAD * best.sum()
        rows, places, values = (np.concatenate([part[k] for part in parts]) for k in (0, 1, 2))
        kept = np.abs(values) > _SMALLEST
        where = rows[kept], places[kept]
        upper = np.zeros(count)
        upper[: first + jobs] = 1.0
        self._has = np.unique(self._job)
        self._program = GrowingProgram.of(
            LinearProgram(
                sense="max",
                cost=cost * self._factor,
                matrix=sparse.coo_array((values[kept], where), (count, overload + 1)),
                row_lower=np.full(count, -math.inf),
                row_upper=upper,
            )
        )

    def _ways(self, oracle: PoolOracle) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Progress, use and time of the ways to run in a slot: shares of work, capacity, slot.

        Of what does more than all of the work, only as much as is needed.
        """
        job, found = oracle.job, []
        for limit, pace in ((oracle.internal, job.speedup), (oracle.external, 1.0)):
            corners = np.append(oracle.ends[oracle.ends < limit], limit)
            found += [(w * pace, w) for w in corners.tolist() if w > 0]
        paces = np.array([one[0] for one in found]) / job.tolerant_work
        workers = np.array([one[1] for one in found], dtype=np.int64)
        held = np.outer(workers, job.worker) + np.outer(oracle.needed[workers], job.ps)
        used = np.divide(held, self._capacity, out=np.zeros_like(held), where=self._capacity > 0.0)
        share = 1.0 / np.maximum(paces, 1.0)
        return paces * share, used * share[:, None], share

    def solve(self, allowed: Deadlines) -> Optimum:
        """Solve it for some deadlines.

        Raises
        ------
        OutOfTime
            If the deadline comes first.
        HighsError
            If HiGHS fails; Infeasible, if a job cannot complete when it has to.
        """
        closed = allowed.forbids(self._job, self._slot)
        upper = np.where(closed, 0.0, 2.0)  # the row of the job has it at most at 1
        self._program.bound_columns(self._done, np.zeros(len(upper)), upper)
        for job in self._has.tolist():
            least = -math.inf if allowed.last[job] == self._shape[0] else 1.0
            self._program.change_row(self._first + job, least, 1.0)
        return self._program.solve(self._deadline)

    def scaled(self, bound: float) -> float:
        """A bound in the unit of the objective."""
        return bound * self._factor

    def prices(self, optimum: Optimum) -> np.ndarray:
        """The duals as prices, shape (T, R), rounded."""
        shares = optimum.row_duals[: self._first].reshape(self._shape) / self._factor
        capacity = np.broadcast_to(self._capacity, self._shape)
        return rounded(np.divide(shares, capacity, out=np.zeros(self._shape), where=capacity > 0.0))

    def branchings(self, optimum: Optimum) -> list[Branch]:
        """Slots that part the completions of jobs, or whether they complete at all."""
        done = np.zeros((self._jobs, self._shape[0]))
        np.add.at(done, (self._job, self._slot), optimum.x[self._done])
        return undecided(done.cumsum(axis=1))
