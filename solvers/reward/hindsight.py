"""The best fixed decision in hindsight, and the optimum of a slot, with certified gaps."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from models.reward.instance import Cluster
from models.reward.negligible import negligible_of
from solvers.result import relative_gap
from solvers.reward.alike import blocks_of
from solvers.reward.entries import gather
from solvers.reward.gangs import reservations
from solvers.reward.interior import iterates
from solvers.reward.mirror import mean_responses
from solvers.reward.oracle import Oracle, normalised
from solvers.reward.projection import project

__all__ = ["FixedOptimum", "best_fixed", "optimum"]

_MOST_BLOCKS = 1500  # the interior point method inverts matrices of this order, one per device
_FIRST_LOOK = 0.3  # of the tolerance, or of 1e-7: from where on the gap is certified


@dataclass(frozen=True)
class FixedOptimum:
    """A good allocation, and how much better another can be.

    Parameters
    ----------
    y : ndarray, shape (C, K)
        A feasible allocation.
    value : float
        Its weighted reward by ``models.reward.reward``, gang rules included.
    bound : float
        No allocation that the scorer accepts has a larger one: the dual value of
        ``multipliers``, :meth:`solvers.reward.oracle.Oracle.bound`, which rests on no solver.
        It leaves gang rules out.
    multipliers : ndarray, shape (M, K)
        Rows in the simplex; uniform where the weight is 0.
    method : str
        What found them.
    seconds : float
        Wall-clock time.
    negligible : float
        Rewards up to this size count as 0 (:mod:`models.reward.negligible`).
    """

    y: np.ndarray
    value: float
    bound: float
    multipliers: np.ndarray
    method: str
    seconds: float
    negligible: float = 0.0

    @property
    def gap(self) -> float:
        """``(bound - value) / bound``, at least 0; 0 if neither is more than negligible."""
        gap = relative_gap("max", self.value, self.bound, negligible=self.negligible)
        return math.inf if gap is None else gap


def best_fixed(
    cluster: Cluster,
    weights: np.ndarray,
    *,
    tolerance: float = 1e-6,
    time_limit: float | None = None,
    start: np.ndarray | None = None,
) -> FixedOptimum:
    """Maximise ``sum_m n_m (reward of copy m)`` over the feasible allocations.

    Parameters
    ----------
    cluster : Cluster
    weights : ndarray, shape (M,)
        ``n``, slots in which each copy has a job: of an instance, ``instance.weights``; of a
        single slot, 0 and 1.
    tolerance : float
        Relative gap to stop at. Gang rules may leave a larger one.
    time_limit : float, optional
        Seconds after which the best so far is returned.
    start : ndarray, shape (C, K), optional
        A feasible allocation; the result is at least as good.
    """
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    return optimum(Oracle(cluster), weights, tolerance, deadline=deadline, start=start)


def optimum(
    oracle: Oracle,
    weights: np.ndarray,
    tolerance: float,
    *,
    deadline: float = math.inf,
    start: np.ndarray | None = None,
) -> FixedOptimum:
    """:func:`best_fixed` of many weights on one cluster; ``deadline`` by ``time.monotonic``."""
    began = time.monotonic()
    weights = np.asarray(weights, dtype=float)
    search = _Search(oracle, weights, tolerance, deadline)
    blocks = len(blocks_of(oracle, weights, search.y).number)
    small = blocks <= _MOST_BLOCKS
    if start is not None:
        search.offer(start)
    if oracle.cluster.has_gangs:
        free = optimum(oracle.without_gangs, weights, tolerance, deadline=deadline)
        search.bound, search.multipliers = free.bound, free.multipliers
        search.offer(free.y)
        if small and not search.is_closed:
            for kept, floor in reservations(oracle, weights, free.y):
                search.by_interior_point(kept, floor)
    elif blocks and small:
        search.by_interior_point(weights, np.zeros_like(search.y))
    elif blocks:
        search.by_mirror_descent()
    return FixedOptimum(
        search.y,
        search.value,
        search.bound,
        search.multipliers,
        "interior point" if small else "mirror descent",
        time.monotonic() - began,
        search.negligible,
    )


class _Search:
    """The best allocation and the best bound so far."""

    def __init__(
        self, oracle: Oracle, weights: np.ndarray, tolerance: float, deadline: float
    ) -> None:
        self._oracle, self._weights = oracle, weights
        self._tolerance, self._deadline = tolerance, deadline
        shape = oracle.cluster.shape
        self.y, self.value = np.zeros(shape), 0.0
        self.multipliers = normalised(np.zeros((oracle.copies, shape[1])))
        self.bound = oracle.bound(weights, self.multipliers)
        self.negligible = negligible_of(oracle.cluster, weights)

    @property
    def is_closed(self) -> bool:
        """Whether the gap is small enough."""
        if self.bound <= self.negligible:
            return True
        return self.bound - self.value <= self._tolerance * self.bound

    @property
    def _is_late(self) -> bool:
        return time.monotonic() > self._deadline

    def offer(self, y: np.ndarray) -> None:
        """Keep an allocation if it is better."""
        value = float(self._weights @ self._oracle.reward(y).reward)
        if value > self.value:
            self.y, self.value = y, value

    def _claim(self, multipliers: np.ndarray) -> None:
        """Keep multipliers if their bound is better."""
        bound = self._oracle.bound(self._weights, multipliers)
        if bound < self.bound:
            self.bound, self.multipliers = bound, multipliers

    def by_interior_point(self, weights: np.ndarray, floor: np.ndarray) -> None:
        """Solve for some of the copies, with at least ``floor`` for them.

        Multipliers are taken only if that is the whole problem: where no floor is asked for.
        """
        cluster = self._oracle.cluster
        whole = not floor.any() and not cluster.has_gangs
        if not weights.any():
            return
        program = gather(self._oracle, weights, floor)
        if not program.channel.size or len(program.blocks.number) > _MOST_BLOCKS:
            self.offer(floor)  # nothing can be added to it, or that would take too long
            return
        due = _FIRST_LOOK * max(self._tolerance, 1e-7) * self.bound
        for point in iterates(program):
            late = self._is_late or point.is_last
            if point.left > due and not late:
                continue
            due = 0.5 * point.left  # with millions of channels, a look takes longer than a step
            y = program.allocation(floor, point.y)
            self.offer(project(y, cluster.upper, cluster.capacities, cluster.server_start))
            if whole:
                table = program.multipliers(np.zeros_like(self.multipliers), point.multipliers)
                self._claim(normalised(table))
            if late or not whole or self.is_closed:
                return

    def by_mirror_descent(self) -> None:
        """Solve without matrices."""
        for number, (multipliers, y) in enumerate(mean_responses(self._oracle, self._weights)):
            if number % 10 and not self._is_late:
                continue
            self.offer(y)
            self._claim(multipliers)
            if self.is_closed or self._is_late:
                return
