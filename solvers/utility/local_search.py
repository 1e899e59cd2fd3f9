"""Good schedules of large instances: drop a few jobs and insert some again at dual prices."""

from __future__ import annotations

import math
import time

import numpy as np
from scipy.optimize import nnls

from models.utility.instance import UtilityInstance
from models.utility.resources import Resources
from models.utility.schedule import UtilitySchedule
from solvers.annealing import accepts
from solvers.utility.occupancy import Occupancy
from solvers.utility.oracle import best_schedule, full_capacity
from solvers.utility.pool_bound import PoolPrices

__all__ = ["local_search", "server_prices"]

_MOST_DROPPED = 6
_FIT_STEPS = 1000  # a few do; SciPy's own limit, three for each resource, can be too few
_PRICE_LEVELS = (0.0, 0.2, 0.5, 1.0, 1.5)
_LEAST_PAYOFF = -0.3  # share of a column's value; negative, as prices of a relaxation mislead
# Jobs compete for the time around a slot if they arrive, in shares of the horizon,
_NEAR = 0.1  # at most so long after it,
_BEFORE = 0.5  # or at most so long before


def local_search(
    instance: UtilityInstance,
    prices: PoolPrices,
    rng: np.random.Generator,
    *,
    start: UtilitySchedule | None = None,
    iterations: int = 2000,
    temperature: float = 3e-3,
    deadline: float = math.inf,
) -> UtilitySchedule:
    """Simulated annealing over schedules.

    A move drops up to six jobs that run around a random slot. Then these and some of the other
    jobs of that time are inserted by the oracle, at a random share of the prices, in the order of
    value over price, with noise. Worse schedules are accepted with a probability that falls to 0.

    Parameters
    ----------
    instance : UtilityInstance
    prices : PoolPrices
        Of the column generation.
    rng : Generator
    start : UtilitySchedule, optional
        A feasible schedule; the result is at least as good.
    iterations : int
        Moves.
    temperature : float
        At first, as a share of the first schedule's value; it falls to 0.
    deadline : float
        ``time.monotonic()`` at which to stop.

    Returns
    -------
    UtilitySchedule
        The best one found.
    """
    search = _Search(instance, server_prices(instance, prices), rng)
    best, value = search.begin(start)
    search.temperature = temperature * value
    for step in range(iterations):
        if time.monotonic() >= deadline:
            break
        search.move(1.0 - step / iterations)
        if search.occupancy.value > value * (1 + 1e-12):
            best, value = search.occupancy.schedule(), search.occupancy.value
    return best


def server_prices(instance: UtilityInstance, prices: PoolPrices) -> Resources:
    """Prices per server from pooled ones: those of a slot and resource are the same everywhere.

    The price of a packing cut is spread over the resources: of all nonnegative resource
    prices, those under which the jobs' demands cost closest to their weights in the cut.
    """
    cluster = instance.cluster
    sides = []
    for side, (pooled, servers) in enumerate(
        ((prices.worker, cluster.worker_servers), (prices.ps, cluster.ps_servers))
    ):
        price = np.array(pooled, dtype=float)
        demand = instance.demand[side]
        for cut in prices.cuts:
            if cut.side == side:
                used = cut.weight > 0
                fit, _ = nnls(demand[used], cut.weight[used], maxiter=_FIT_STEPS)
                price[cut.slot] += cut.price * fit
        shape = (cluster.slots, *servers.shape)
        sides.append(np.ascontiguousarray(np.broadcast_to(price[:, None, :], shape)))
    return Resources(*sides)


class _Search:
    """The current schedule, and what moves need."""

    def __init__(
        self, instance: UtilityInstance, prices: Resources, rng: np.random.Generator
    ) -> None:
        self._instance, self._rng = instance, rng
        self._prices = [
            Resources(level * prices.worker, level * prices.ps) for level in _PRICE_LEVELS
        ]
        self.occupancy = Occupancy(instance)
        full = full_capacity(instance.cluster)
        self._worth: dict[int, float] = {}  # log of value over price, of jobs that can run
        for job in instance.jobs:
            column = best_schedule(job, prices, full)
            if column is not None and column.value > 0:
                self._worth[job.index] = math.log(column.value / max(column.cost, 1e-300))
        self._arrival = {i: instance.jobs[i].arrival for i in self._worth}
        self.temperature = 0.0  # in the unit of utilities

    def begin(self, start: UtilitySchedule | None) -> tuple[UtilitySchedule, float]:
        """Begin with the better of the start and a greedy schedule."""
        greedy = Occupancy(self._instance)
        for prices in (self._prices[_PRICE_LEVELS.index(1.0)], self._prices[0]):
            missing = [i for i in self._worth if i not in greedy.columns]
            missing.sort(key=lambda i: (-self._worth[i], i))
            greedy.insert(missing, prices, least_payoff=_LEAST_PAYOFF)
        self.occupancy = greedy
        if start is not None:
            given = Occupancy.of_schedule(self._instance, start)
            if given.value >= greedy.value:
                self.occupancy = given
        return self.occupancy.schedule(), self.occupancy.value

    def move(self, heat: float) -> None:
        """One move; ``heat`` falls from 1 to 0."""
        rng, occupancy, horizon = self._rng, self.occupancy, self._instance.cluster.slots
        before = occupancy.value
        running = list(occupancy.columns)
        slot = int(rng.integers(horizon))
        distance = [
            max(
                0, occupancy.columns[i].workers[0, 0] - slot, slot - occupancy.columns[i].completion
            )
            for i in running
        ]
        nearest = np.argsort(np.array(distance) + 4 * rng.random(len(running)))
        dropped = [running[k] for k in nearest[: int(rng.integers(1, _MOST_DROPPED + 1))]]
        others = [
            i
            for i, arrival in self._arrival.items()
            if i not in occupancy.columns
            and slot - _BEFORE * horizon <= arrival <= slot + _NEAR * horizon
        ]
        columns = [occupancy.remove(i) for i in dropped]
        chosen = rng.permutation(others)[: len(dropped) + 2].tolist() if others else []
        noise = rng.normal(size=len(dropped) + len(chosen))
        worth = [self._worth.get(i, 0.0) for i in (*dropped, *chosen)]
        order = np.argsort(noise - np.array(worth), kind="stable")
        candidates = [(*dropped, *chosen)[k] for k in order]
        prices = self._prices[int(rng.integers(len(self._prices)))]
        inserted = occupancy.insert(candidates, prices, least_payoff=_LEAST_PAYOFF)
        if not accepts(before - occupancy.value, heat * self.temperature, rng):
            for i in inserted:
                occupancy.remove(i)
            for column in columns:
                occupancy.add(column)
