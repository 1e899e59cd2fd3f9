"""Cuts of single servers: what whole workers obey and fractions of workers break."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from models.utility.formulations import ServerCut, job_limits
from models.utility.instance import UtilityInstance
from solvers.highs.growing import GrowingProgram
from solvers.utility.packing import best_packing

__all__ = ["violated_cuts"]

_MAX_NODES = 20_000
_MOST_ROUNDS = 50
_VIOLATION = 1e-3  # a cut that is broken by less is not worth a row per slot
_SMALLEST = 1e-6  # weights below it are dropped: the cut stays valid

Point = Mapping[Any, float]  # by (job, server, slot)


class _Server:
    """One server and the jobs that fit on it: a knapsack over several resources.

    Parameters
    ----------
    capacity : ndarray, shape (R,)
    demand : ndarray, shape (I, R)
    limit : ndarray of int64, shape (I,)
        Most workers of each job here.
    """

    def __init__(self, capacity: np.ndarray, demand: np.ndarray, limit: np.ndarray) -> None:
        self.capacity = capacity
        self.demand = demand
        self.limit = limit

    def separate(self, jobs: np.ndarray, amount: np.ndarray) -> np.ndarray | None:
        """Weights (shape (I,)) of a cut that the amounts of these jobs break, or None.

        ``max weight amount`` over the weights with ``weight v <= 1`` for all packings v of the
        server: a linear program with one row per packing, found when it is broken.
        """
        program = GrowingProgram("max")
        for k in range(len(jobs)):
            program.add_column(float(amount[k]), np.zeros(0, dtype=int), np.zeros(0))
        for k, i in enumerate(jobs):  # one job alone: without these the LP is unbounded
            program.add_row(-math.inf, 1.0, np.array([k]), np.array([float(self.limit[i])]))
        for _ in range(_MOST_ROUNDS):
            optimum = program.solve()
            if optimum.objective <= 1 + _VIOLATION:
                return None
            weight = np.zeros(len(self.limit))
            weight[jobs] = np.where(optimum.x > _SMALLEST, optimum.x, 0.0)
            most, upper, counts = self.heaviest(weight, self.capacity)
            if most <= 1 + _SMALLEST:
                weight /= upper
                return weight if weight[jobs] @ amount > 1 + _VIOLATION else None
            used = np.flatnonzero(counts[jobs])
            program.add_row(-math.inf, 1.0, used, counts[jobs][used].astype(float))
        return None

    def lift(self, weight: np.ndarray) -> np.ndarray:
        """Give further jobs, one after the other, the largest weight that keeps the cut valid."""
        weight = weight.copy()
        for i in np.flatnonzero((weight == 0) & (self.limit > 0)):
            room = min(
                (1 - self.heaviest(weight, self.capacity - count * self.demand[i])[1]) / count
                for count in range(1, int(self.limit[i]) + 1)
            )
            if room > _SMALLEST:
                weight[i] = room
        return weight / self.heaviest(weight, self.capacity)[1]  # against round-off

    def heaviest(self, weight: np.ndarray, capacity: np.ndarray) -> tuple[float, float, np.ndarray]:
        """Heaviest packing: its weight, an upper bound on it, and its counts (shape (I,))."""
        items = np.flatnonzero(weight)
        counts = np.zeros(len(weight), dtype=np.int64)
        if not len(items):
            return 0.0, 0.0, counts
        value, upper, found = best_packing(
            capacity, self.demand[items], weight[items], self.limit[items], _MAX_NODES
        )
        counts[items] = found
        return value, upper, counts


def violated_cuts(
    instance: UtilityInstance,
    y: Point,
    z: Point,
    known: Sequence[ServerCut] = (),
    deadline: float = math.inf,
) -> list[ServerCut]:
    """Cuts that a point of the LP breaks, at most one per server and slot.

    Parameters
    ----------
    instance : UtilityInstance
    y, z : mapping of (job, server, slot) to float
        Workers and parameter servers.
    known : sequence of ServerCut
        Cuts that the point obeys already.
    deadline : float
        ``time.monotonic()`` at which to stop looking.

    Returns
    -------
    list of ServerCut
        Facets of the hull of the whole packings of a server, or close to them; each holds in
        every slot.
    """
    cuts: list[ServerCut] = []
    sides: tuple[tuple[Literal["worker", "ps"], Point], ...] = (("worker", y), ("ps", z))
    for kind, point in sides:
        servers = _servers(instance, kind)
        weights: list[list[np.ndarray]] = [[] for _ in servers]
        for cut in known:
            if cut.kind == kind and cut.server is not None:
                weights[cut.server].append(_dense(cut.weight, len(instance.jobs)))
        for s, jobs, amount in _fractional(point):
            if time.monotonic() >= deadline:
                return cuts
            if any(weight[jobs] @ amount > 1 + _VIOLATION for weight in weights[s]):
                continue  # in this round already cut off by a cut found in another slot
            found = servers[s].separate(jobs, amount)
            if found is not None:
                found = servers[s].lift(found)
                weights[s].append(found)
                weight = {int(i): float(found[i]) for i in np.flatnonzero(found)}
                cuts.append(ServerCut(kind, s, weight))
    return cuts


def _servers(instance: UtilityInstance, kind: Literal["worker", "ps"]) -> list[_Server]:
    cluster = instance.cluster.tolerant
    capacity = cluster.worker_servers if kind == "worker" else cluster.ps_servers
    demand = np.array([job.worker if kind == "worker" else job.ps for job in instance.jobs])
    limit = np.zeros((len(capacity), len(instance.jobs)), dtype=np.int64)
    for job in job_limits(instance):
        limit[:, job.job.index] = job.workers if kind == "worker" else job.ps
    return [_Server(row, demand, most) for row, most in zip(capacity, limit, strict=True)]


def _fractional(point: Point) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Jobs and amounts on every (server, slot) where not all amounts are whole."""
    groups: dict[tuple[int, int], list[tuple[int, float]]] = defaultdict(list)
    for (i, s, t), value in point.items():
        if value > _SMALLEST:
            groups[s, t].append((i, value))
    for (s, _), items in sorted(groups.items()):
        amount = np.array([value for _, value in items])
        if np.abs(amount - np.round(amount)).max() > _SMALLEST:
            yield s, np.array([i for i, _ in items]), amount


def _dense(weight: Mapping[int, float], size: int) -> np.ndarray:
    dense = np.zeros(size)
    for i, value in weight.items():
        dense[i] = value
    return dense
