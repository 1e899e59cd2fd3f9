"""A linear program whose duals are prices of pieces of jobs for the leaves of a tree.

A variable for each start of each configuration of a job, and for each slot and kind of servers one
for each packing of a server to which nothing can be added. What runs has to be within a mixture of
packings. A branching is a bound on variables: from one leaf to the next the basis stays dual
feasible, and a solve takes a few simplex iterations. Its value is no bound to rely on, and need not
be: the prices are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy import sparse

from solvers.branching_tree import Branch, Deadlines
from solvers.completion.modes import undominated
from solvers.completion.piece_bound import PieceOracle
from solvers.highs import LinearProgram
from solvers.highs.growing import GrowingProgram, Optimum
from solvers.price_certificate import rounded
from solvers.scaling import factor_for
from solvers.tree_search import Relaxation, TooLarge, undecided

__all__ = ["PieceProgram"]

_MOST = 30_000  # variables of a kind
_MOST_PIECES = 100
_MOST_PACKINGS = 10_000  # of a server that are looked at
_OVERLOAD = 100.0  # cost of twice as many servers, relative to the dearest start of each job
_HAIR = 1e-6  # share by which servers may be overfilled


class PieceProgram(Relaxation):
    """The program, solved for one set of deadlines after another.

    There may be more servers, by one share, at a price so high that nobody would unless some jobs
    have to complete that do not fit together. So there always are duals. It is a maximisation of
    minus the weighted completion.

    Parameters
    ----------
    oracle : PieceOracle
    deadline : float
        ``time.monotonic()`` at which to stop.

    Raises
    ------
    TooLarge
        If it has too many variables.
    """

    def __init__(self, oracle: PieceOracle, deadline: float) -> None:
        self._deadline, types = deadline, oracle.columns
        if types > _MOST_PIECES:
            raise TooLarge
        # Some schedule that is best of all ends by then, as in the time-indexed program.
        self._slots = max((job.arrival for job in oracle.jobs), default=0)
        self._slots += sum(int(of.duration[0]) for of in oracle.of)
        kinds = [
            (group.count, _packings(group.capacity, oracle.held, oracle.limit))
            for group in oracle.groups
        ]
        starts = sum(self._slots * len(of.duration) for of in oracle.of)
        if max(starts, self._slots * sum(len(packings) for _, packings in kinds)) > _MOST:
            raise TooLarge
        jobs, columns = len(oracle.jobs), list(self._starts(oracle))
        self._job, self._completion = (
            np.array([column[k] for column in columns], dtype=np.int64) for k in (0, 1)
        )
        weights = np.array([job.weight for job in oracle.jobs])
        cost = weights[self._job] * self._completion
        self._factor = factor_for(float(cost.max(initial=0.0)))
        rows: list[np.ndarray] = []
        places: list[np.ndarray] = []
        values: list[np.ndarray] = []

        def add(row: np.ndarray, place: int, value: np.ndarray) -> None:
            used = np.flatnonzero(value)
            rows.append(row[used])
            places.append(np.full(len(used), place))
            values.append(value[used])

        for place, (job, completion, duration, held) in enumerate(columns):
            add(np.array([job]), place, np.ones(1))
            slots = np.arange(completion - duration, completion)
            held_in = (jobs + slots[:, None] * types + np.arange(types)).ravel()
            add(held_in, place, np.tile(held, duration))
        place, self._first = len(columns), jobs
        first = jobs + self._slots * types  # of the rows that count servers
        limits = []
        for slot in range(self._slots):
            for k, (count, packings) in enumerate(kinds):
                row = first + slot * len(kinds) + k
                limits.append(count)
                for packing in packings:
                    add(jobs + slot * types + np.arange(types), place, -packing)
                    add(np.array([row]), place, np.ones(1))
                    place += 1
        counting = first + np.arange(len(limits))
        add(counting, place, -np.array(limits, dtype=float))
        dearest = np.zeros(jobs)
        np.maximum.at(dearest, self._job, cost)
        none = np.zeros(place - len(columns))
        paid = np.concatenate([cost, none, [_OVERLOAD * dearest.sum()]])
        where = np.concatenate(rows), np.concatenate(places)
        shape = first + len(limits), place + 1
        self._types, self._open = types, np.arange(len(columns))
        self._program = GrowingProgram.of(
            LinearProgram(
                sense="max",
                cost=-paid * self._factor,
                matrix=sparse.coo_array((np.concatenate(values), where), shape),
                row_lower=np.concatenate([np.ones(jobs), np.full(shape[0] - jobs, -math.inf)]),
                row_upper=np.concatenate([np.ones(jobs), np.zeros(first - jobs), limits]),
            )
        )

    def _starts(self, oracle: PieceOracle) -> Iterator[tuple[int, int, int, np.ndarray]]:
        """Job, completion, duration, and what runs."""
        for job, of in zip(oracle.jobs, oracle.of, strict=True):
            for duration, held in zip(of.duration.tolist(), of.amounts, strict=True):
                for completion in range(job.arrival + duration, self._slots + 1):
                    yield job.index, completion, duration, held

    def solve(self, allowed: Deadlines) -> Optimum:
        """Solve it for some deadlines.

        Raises
        ------
        OutOfTime
            If the deadline comes first.
        HighsError
            If HiGHS fails; Infeasible, if a job cannot complete when it has to.
        """
        closed = allowed.forbids(self._job, self._completion)
        upper = np.where(closed, 0.0, 2.0)  # the row of the job has it at most at 1
        self._program.bound_columns(self._open, np.zeros(len(upper)), upper)
        return self._program.solve(self._deadline)

    def scaled(self, bound: float) -> float:
        """A bound in the unit of the objective."""
        return bound * self._factor

    def prices(self, optimum: Optimum) -> np.ndarray:
        """The duals as prices, shape (S, pieces), rounded."""
        duals = optimum.row_duals[self._first : self._first + self._slots * self._types]
        return rounded(duals.reshape(self._slots, self._types) / self._factor)

    def branchings(self, optimum: Optimum) -> list[Branch]:
        """Slots that part the completions of jobs."""
        done = np.zeros((self._first, self._slots + 1))
        np.add.at(done, (self._job, self._completion), optimum.x[: len(self._job)])
        return undecided(done.cumsum(axis=1))


def _packings(capacity: np.ndarray, demand: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """What a server can hold of each type, without what leaves room for more; shape (n, types)."""
    found: list[list[int]] = []

    def fill(left: np.ndarray, held: list[int]) -> None:
        place = len(held)
        if place == len(demand):
            found.append(held)
            if len(found) > _MOST_PACKINGS:
                raise TooLarge
            return
        needed = demand[place] > 0.0
        with np.errstate(over="ignore"):
            fits = np.floor(left[needed] / demand[place, needed]).min(initial=limit[place])
        most = max(0, int(min(fits, limit[place])))
        for count in range(most, -1 if place + 1 < len(demand) else most - 1, -1):
            fill(left - count * demand[place], [*held, count])

    fill(capacity * (1.0 + _HAIR), [])
    table = np.array(found, dtype=float).reshape(-1, len(demand))
    return np.asarray(table[undominated(-table)])
