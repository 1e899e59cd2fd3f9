"""Good schedules: put jobs in at prices, then take a few out and put them and others back."""

from __future__ import annotations

import math
import time

import numpy as np

from models.colocated.instance import ColocatedInstance
from models.colocated.schedule import ColocatedSchedule
from solvers.annealing import accepts, anneal
from solvers.colocated.timetable import Timetable, columns_of

__all__ = ["local_search"]

_LEVELS = (0.02, 0.2, 0.5, 1.0, 1.5)  # multiples of the prices at which jobs are put in
_SHARE = 1e-3  # of the mean value: price of all capacity in a slot, so that waste costs something
_LEAST_PAYOFF = -0.3  # share of the value; negative, as prices of a relaxation mislead
_MOST = 6  # jobs that a move takes out
_MORE = 2  # others that it tries to put in
_TEMPERATURE = 0.003  # at first, as a share of the first schedule's value; it falls to 0


def local_search(
    instance: ColocatedInstance,
    prices: np.ndarray,
    rng: np.random.Generator,
    *,
    start: ColocatedSchedule | None = None,
    iterations: int,
    deadline: float = math.inf,
    target: float = math.inf,
) -> tuple[ColocatedSchedule, bool]:
    """A schedule of large total utility; and whether the clock played a part.

    Parameters
    ----------
    instance : ColocatedInstance
    prices : ndarray, shape (T, R)
        Of the pooled machines.
    rng : Generator
    start : ColocatedSchedule, optional
        A feasible schedule; the result is at least as good.
    iterations : int
        Moves.
    deadline : float
        ``time.monotonic()`` at which to stop.
    target : float
        Total utility at which to stop.
    """
    began, search = time.monotonic(), _Search(instance, prices, rng)
    search.begin(start)
    best, timed = anneal(
        search,
        len(search.worth),
        iterations=iterations,
        began=began,
        deadline=deadline,
        target=target,
    )
    return ColocatedSchedule.of_columns(instance, best.values()), timed


class _Search(Timetable):
    """The present schedule, and moves from it."""

    def __init__(
        self, instance: ColocatedInstance, prices: np.ndarray, rng: np.random.Generator
    ) -> None:
        super().__init__(instance, prices)
        self._rng = rng
        self.worth: dict[int, float] = {}
        """Log of value over price, of jobs that can complete and are worth it."""
        values = [float(o.values[o.job.arrival]) for o in self.oracles if o.feasible]
        capacity = instance.cluster.servers.sum(axis=0)
        waste = _SHARE * float(np.mean(values)) / instance.cluster.slots if values else 0.0
        share = np.divide(waste, capacity, out=np.zeros_like(capacity), where=capacity > 0.0)
        self._prices = [level * prices + share for level in _LEVELS]
        dear = prices + share
        for index, oracle in enumerate(self.oracles):
            column = oracle.best(dear @ oracle.job.worker, dear @ oracle.job.ps)
            if column is not None and column.value > 0.0:
                self.worth[index] = math.log(column.value / max(column.cost, 1e-300))
        self._temperature = 0.0

    def begin(self, start: ColocatedSchedule | None) -> None:
        """Begin with the best of the start and one greedy schedule for each level of prices."""
        best = {} if start is None else columns_of(self.instance, start)
        value = math.fsum(one.value for one in best.values())
        order = sorted(self.worth, key=lambda job: (-self.worth[job], job))
        for prices in self._prices:
            self.renew({})
            for level in (prices, self._prices[0]):
                for job in order:
                    if job not in self.columns:
                        self._insert(job, level)
            if self.value > value:
                best, value = dict(self.columns), self.value
        self.renew(best)
        self._temperature = _TEMPERATURE * value

    def _insert(self, job: int, prices: np.ndarray) -> bool:
        least = _LEAST_PAYOFF * float(self.oracles[job].values.max())
        return self.insert(job, prices, least)

    def move(self, heat: float) -> None:
        """Take out some jobs that run at a time, put them and others back in another order.

        Undone if that loses too much; ``heat``, from 1 to 0, is how much may be lost.
        """
        rng = self._rng
        before, running = self.value, list(self.columns)
        slot = int(rng.integers(self.instance.cluster.slots))
        spans = [(column.workers[0, 0], column.completion) for column in self.columns.values()]
        ends = np.array(spans).reshape(-1, 2)
        distance = np.maximum(0, np.maximum(ends[:, 0] - slot, slot - ends[:, 1]))
        nearest = np.argsort(distance + 4.0 * rng.random(len(running)))
        dropped = [running[k] for k in nearest[: int(rng.integers(1, _MOST + 1))]]
        waiting = [i for i in self.worth if i not in self.columns]
        chosen = rng.permutation(waiting)[:_MORE].tolist() if waiting else []
        out = [self.remove(job) for job in dropped]
        candidates = [*dropped, *chosen]
        noise = rng.normal(size=len(candidates))
        worth = [self.worth.get(job, 0.0) for job in candidates]
        prices = self._prices[int(rng.integers(len(self._prices)))]
        inserted = [
            candidates[k]
            for k in np.argsort(noise - np.array(worth), kind="stable")
            if self._insert(candidates[k], prices)
        ]
        if not accepts(before - self.value, heat * self._temperature, rng):
            self.undo(inserted, out)
