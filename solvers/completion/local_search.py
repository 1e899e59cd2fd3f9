"""Good schedules: list scheduling in several orders, then take a few jobs out and put them back."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from models.completion.column import Column
from solvers.annealing import anneal
from solvers.completion.pool_bound import PoolOracle, sums
from solvers.completion.timetable import Timetable

__all__ = ["local_search"]

_LEVELS = (0.0, 0.5, 1.0, 2.0)  # multiples of the prices by which jobs are put in
_SHARE = 1e-3  # of the mean weight: price of all capacity in a slot, so that waste costs something
_MOST = 8  # jobs that a move takes out
_TEMPERATURE = 2e-3  # at first, relative to the objective, of what a move may lose


def local_search(
    oracle: PoolOracle,
    prices: np.ndarray,
    orders: Sequence[np.ndarray],
    rng: np.random.Generator,
    *,
    start: dict[int, Column] | None = None,
    iterations: int,
    deadline: float = math.inf,
    target: float = 0.0,
) -> tuple[dict[int, Column], bool]:
    """Columns of all jobs, of small weighted completion time; and whether the clock played a part.

    Parameters
    ----------
    prices : ndarray, shape (S, R)
        Of the pooled servers.
    orders : sequence of ndarray of int
        Orders of the jobs for list schedules.
    start : dict of Column or None
        A feasible schedule; the result is at least as good.
    iterations : int
        Moves.
    deadline : float
        ``time.monotonic()`` at which to stop. The first list schedule is completed all the same.
    target : float
        Objective at which to stop.
    """
    search, began = _Search(oracle, prices, rng), time.monotonic()
    search.begin(orders, start, deadline)
    return anneal(
        search,
        len(oracle.jobs),
        iterations=iterations if len(oracle.jobs) > 1 else 0,
        began=began,
        deadline=deadline,
        target=-target,
    )


class _Search(Timetable):
    """The present schedule, and moves from it."""

    def __init__(self, oracle: PoolOracle, prices: np.ndarray, rng: np.random.Generator) -> None:
        super().__init__(oracle)
        self._jobs, self._rng = oracle.jobs, rng
        self._weights = np.array([job.weight for job in self._jobs])
        arrivals = np.array([job.arrival for job in self._jobs], dtype=np.int64)
        self._arrivals, self._earliest = arrivals, arrivals + self.shortest
        capacity = oracle.instance.cluster.servers.sum(axis=0)
        waste = _SHARE * float(self._weights.mean()) if len(self._jobs) else 0.0
        share = np.divide(waste, capacity, out=np.zeros_like(capacity), where=capacity > 0)
        levels = _LEVELS if prices.any() else _LEVELS[:1]
        self._totals = [sums(level * prices + share) for level in levels]
        self._temperature = 0.0

    def begin(
        self, orders: Sequence[np.ndarray], start: dict[int, Column] | None, deadline: float
    ) -> None:
        """Begin with the best of the start and list schedules in these orders."""
        self.renew(start or {})
        found, value = start, self.value
        for order in orders:
            for total in self._totals:
                if found is not None and time.monotonic() >= deadline:
                    break
                self.renew({})
                for job in order.tolist():
                    self.insert(self._jobs[job], total)
                if found is None or self.value > value:
                    found, value = dict(self.columns), self.value
        assert found is not None
        self.renew(found)
        self._temperature = -_TEMPERATURE * value

    def move(self, heat: float) -> None:
        """Take out some jobs, put them back in another order; undone if that loses too much."""
        rng = self._rng
        chosen = self._chosen()
        out = {job: self.remove(job) for job in chosen}
        noise = rng.random()
        if noise < 0.5:
            order = chosen  # the most delayed first
        elif noise < 0.75:
            order = sorted(chosen, key=lambda job: -self._weights[job] * rng.uniform(0.5, 1.5))
        else:
            order = rng.permutation(chosen).tolist()
        total = self._totals[int(rng.integers(len(self._totals)))]
        # What the jobs that are not yet back may cost at most, and cost at least.
        room = -math.fsum(column.value for column in out.values())
        room += heat * self._temperature * rng.exponential()
        least = math.fsum(float(self._weights[j] * self._earliest[j]) for j in order)
        for place, job in enumerate(order):
            least -= float(self._weights[job] * self._earliest[job])
            latest = math.floor((room - least) / self._weights[job] + 1e-9)
            column = self.insert(self._jobs[job], total, latest)
            if column is None:
                self.undo(order[:place], out.values())
                return
            room += column.value

    def _chosen(self) -> list[int]:
        """A job, often one that is delayed much, and others that run while it could have."""
        rng, columns, count = self._rng, self.columns, len(self._jobs)
        completion = np.array([columns[j].completion for j in range(count)])
        begins = np.array([columns[j].start for j in range(count)])
        lost = self._weights * (completion - self._earliest)
        if rng.random() < 0.8 and lost.sum() > 0.0:
            job = int(rng.choice(count, p=lost / lost.sum()))
        else:
            job = int(rng.integers(count))
        beside = (begins < completion[job]) & (completion > self._arrivals[job])
        beside[job] = False
        others = np.flatnonzero(beside)
        size = min(int(rng.integers(1, _MOST)), len(others))
        return [job, *rng.choice(others, size, replace=False).tolist()]
