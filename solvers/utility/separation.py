"""Packing cuts: inequalities that whole workers on real servers obey and pooled ones break."""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np

from solvers.highs.engine import HighsError
from solvers.highs.growing import GrowingProgram
from solvers.utility.packing import best_packing
from solvers.utility.packing_groups import PackingGroup

__all__ = ["PackingCut", "PackingSeparator"]

_MAX_NODES = 20_000
_MOST_ROUNDS = 100
_VIOLATION = 1e-4
_SMALLEST = 1e-6


class PackingCut(NamedTuple):
    """``weight load <= capacity`` for every load that servers can hold in whole workers."""

    weight: np.ndarray
    capacity: float


class PackingSeparator:
    """Is a load (workers per job) a mixture of whole packings of the servers? If not, a cut.

    The least total shortfall of a mixture is a linear program over packings, solved by column
    generation: its duals u are worths of workers, and the best packing of each group of
    servers at these worths is an integer knapsack. If the shortfall is positive the
    duals are the cut: ``u load > sum over servers of max u y``.

    Parameters
    ----------
    groups : tuple of PackingGroup
    demand : ndarray, shape (I, R)
    limit : ndarray of int64, shape (I,)
        Most workers of one job on one server.
    """

    def __init__(
        self, groups: tuple[PackingGroup, ...], demand: np.ndarray, limit: np.ndarray
    ) -> None:
        self._groups = groups
        self._demand = demand
        self._limit = limit

    def cut(self, load: np.ndarray, deadline: float = math.inf) -> PackingCut | None:
        """A cut that ``load`` (shape (I,)) breaks.

        None if it can be packed, if ``deadline``, of ``time.monotonic()``, comes first, or if
        HiGHS fails.
        """
        active = np.flatnonzero(load > 1e-7)
        if not len(active):
            return None
        demand, limit, amount = self._demand[active], self._limit[active], load[active]
        items = len(active)
        program = GrowingProgram("min")
        for k in range(items):
            program.add_row(float(amount[k]), math.inf)
        for group in self._groups:
            program.add_row(-math.inf, float(group.count))
        for k in range(items):
            program.add_column(1.0, np.array([k]), np.ones(1))
        worth, total = np.zeros(items), 0.0
        for _ in range(_MOST_ROUNDS):
            try:
                optimum = program.solve(deadline)
            except HighsError:  # out of time, or numbers that HiGHS cannot cope with: no cut
                return None
            if optimum.objective <= _VIOLATION:
                return None
            worth = np.maximum(optimum.row_duals[:items], 0.0)
            rent = -optimum.row_duals[items:]
            total, found = 0.0, False
            for g, group in enumerate(self._groups):
                if time.monotonic() >= deadline:
                    return None
                value, upper, counts = best_packing(
                    group.capacity, demand, worth, limit, _MAX_NODES
                )
                total += group.count * upper
                if value > rent[g] + 1e-7:
                    used = np.flatnonzero(counts)
                    program.add_column(
                        0.0,
                        np.concatenate([used, [items + g]]),
                        np.concatenate([counts[used], [1.0]]),
                    )
                    found = True
            if not found:
                break
        if worth @ amount <= total + _VIOLATION * max(1.0, total):
            return None
        weight = np.zeros(len(load))
        weight[active] = np.where(worth > _SMALLEST, worth, 0.0)  # a smaller side is still valid
        return PackingCut(weight, total)
