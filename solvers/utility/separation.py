"""Packing cuts: inequalities that hold for whole workers on real servers, not for pooled ones."""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np

from solvers.highs import LinearProgram
from solvers.highs.engine import HighsError
from solvers.highs.growing import GrowingProgram, OutOfTime
from solvers.packing import best_packing
from solvers.packing_groups import PackingGroup

__all__ = ["Mixture", "PackingCut", "PackingSeparator"]

_MAX_NODES = 20_000
_MOST_ROUNDS = 100
_VIOLATION = 1e-4
_SMALLEST = 1e-6


class PackingCut(NamedTuple):
    """``weight load <= capacity`` for every load that servers can hold in whole workers."""

    weight: np.ndarray
    capacity: float


class Mixture(NamedTuple):
    """Packings of single servers that were looked at for a load, and whether mixtures hold it.

    Parameters
    ----------
    cut : PackingCut or None
        What shows that none does; None if one does, or if no cut was found.
    groups : ndarray of int64, shape (n,)
        The group of servers of each packing.
    packings : ndarray of int64, shape (n, I)
        Workers of each job on one server.
    """

    cut: PackingCut | None
    groups: np.ndarray
    packings: np.ndarray


class PackingSeparator:
    """Tells whether a load (workers per job) is a mixture of whole packings; if not, finds a cut.

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
        # What the last mixture used, by packing: its group and workers per job. Loads of one slot
        # and the next are much alike.
        self._groups_used = np.zeros(0, dtype=np.int64)
        self._packings_used = np.zeros((0, len(limit)), dtype=np.int64)

    def cut(self, load: np.ndarray, deadline: float = math.inf) -> PackingCut | None:
        """A cut that ``load`` (shape (I,)) violates; None if none is found: it may be packable.

        Raises
        ------
        HighsError
            If HiGHS fails, or ``deadline``, of ``time.monotonic()``, comes first
            (:class:`OutOfTime`): a cut may be missed.
        """
        return self.mixture(load, deadline).cut

    def mixture(self, load: np.ndarray, deadline: float = math.inf) -> Mixture:
        """All packings looked at for ``load`` (shape (I,)), and the cut that it violates, if any.

        Raises
        ------
        HighsError
            As :meth:`cut`.
        """
        active = np.flatnonzero(load > 1e-7)
        nothing = np.zeros((0, len(load)), dtype=np.int64)
        if not len(active):
            return Mixture(None, np.zeros(0, dtype=np.int64), nothing)
        amount = load[active]
        try:
            worth, total, groups, packings = self._worth(active, amount, deadline)
        except HighsError:
            self._remember(np.zeros(0, dtype=np.int64), nothing)
            raise
        if worth @ amount <= total + _VIOLATION * max(1.0, total):
            return Mixture(None, groups, packings)
        weight = np.zeros(len(load))
        weight[active] = np.where(
            worth > _SMALLEST, worth, 0.0
        )  # smaller weights keep the cut valid
        return Mixture(PackingCut(weight, total), groups, packings)

    def _worth(
        self, active: np.ndarray, amount: np.ndarray, deadline: float
    ) -> tuple[np.ndarray, float, np.ndarray, np.ndarray]:
        """Worths at which a load most exceeds what the servers can hold, and what they hold then.

        With the groups and packings that were looked at.

        Raises
        ------
        HighsError
            If HiGHS fails, or time is up.
        """
        demand, limit, items = self._demand[active], self._limit[active], len(active)
        of_group, packings = self._groups_used.tolist(), list(self._packings_used[:, active])
        program = GrowingProgram.of(self._shortfall(amount, of_group, packings))
        for _ in range(_MOST_ROUNDS):
            optimum = program.solve(deadline)
            known, total = len(packings), 0.0
            worth = np.maximum(optimum.row_duals[:items], 0.0)
            rent = -optimum.row_duals[items:]
            if optimum.objective <= _VIOLATION:
                worth = np.zeros(items)
                break
            for g, group in enumerate(self._groups):
                if time.monotonic() >= deadline:
                    raise OutOfTime("deadline")
                value, upper, counts = best_packing(
                    group.capacity, demand, worth, limit, _MAX_NODES
                )
                total += group.count * upper
                if value > rent[g] + 1e-7:
                    used = np.flatnonzero(counts)
                    program.add_column(0.0, np.append(used, items + g), np.append(counts[used], 1))
                    of_group.append(g)
                    packings.append(counts)
            if len(packings) == known:
                break
        groups = np.array(of_group, dtype=np.int64)
        counts = np.zeros((len(groups), len(self._limit)), dtype=np.int64)
        counts[:, active] = np.array(packings, dtype=np.int64).reshape(-1, items)
        used = np.flatnonzero(optimum.x[items:][: len(groups)] > 0)
        self._remember(groups[used], counts[used])
        return worth, total, groups, counts

    def _remember(self, groups: np.ndarray, packings: np.ndarray) -> None:
        self._groups_used, self._packings_used = groups, packings

    def _shortfall(
        self, amount: np.ndarray, of_group: list[int], packings: list[np.ndarray]
    ) -> LinearProgram:
        """The least shortfall of a mixture of given packings."""
        items, groups, known = len(amount), len(self._groups), len(packings)
        matrix = np.zeros((items + groups, items + known))
        matrix[:items, :items] = np.eye(items)
        if known:
            matrix[:items, items:] = np.column_stack(packings)
            matrix[items + np.array(of_group), items + np.arange(known)] = 1.0
        return LinearProgram(
            sense="min",
            cost=np.repeat([1.0, 0.0], [items, known]),
            matrix=matrix,
            row_lower=np.append(amount, np.full(groups, -math.inf)),
            row_upper=np.append(np.full(items, math.inf), [group.count for group in self._groups]),
        )
