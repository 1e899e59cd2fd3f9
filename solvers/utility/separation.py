"""Packing cuts: inequalities that hold for whole workers on real servers, not for pooled ones."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import sparse

from solvers.highs.engine import HighsError
from solvers.highs.growing import GrowingProgram
from solvers.packing import best_packings
from solvers.packing_groups import PackingGroup

__all__ = ["Mixture", "PackingCut", "PackingSeparator"]

_MAX_NODES = 20_000
_MOST_ROUNDS = 100
_VIOLATION = 1e-4
_SMALLEST = 1e-6
_HARDLY = 1e-7  # of a worker
_REMEMBERED = 1000  # loads
_MOST_OF = 0.95
"""A cut is taken that shows so much of the least shortfall; the last part takes many rounds."""


class PackingCut(NamedTuple):
    """``weight load <= capacity`` for every load that servers can hold in whole workers."""

    weight: np.ndarray
    capacity: float


class Mixture(NamedTuple):
    """Packings of single servers that a load was compared with, and whether mixtures hold it.

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
    servers at these worths is an integer knapsack. Duals with ``u load > sum over servers of
    max u y`` are a cut, and the difference is at most the shortfall.

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
        self._capacities = np.array([group.capacity for group in groups])
        self._counts = np.array([float(group.count) for group in groups])
        self._demand = demand
        self._limit = limit
        # Loads in which no cut was found, the latest ones. Smaller loads violate no cut that these
        # do not violate.
        self._held = np.zeros((1, len(limit)))
        # What the last mixture used, by packing: its group and workers per job. Loads of one slot
        # and the next are much alike.
        self._last_groups = np.zeros(0, dtype=np.int64)
        self._last_packings = np.zeros((0, len(limit)), dtype=np.int64)

    def cut(self, load: np.ndarray, deadline: float = math.inf) -> PackingCut | None:
        """A cut that ``load`` (shape (I,)) violates; None if none is found: it may be packable.

        Raises
        ------
        HighsError
            If HiGHS fails, or ``deadline``, of ``time.monotonic()``, comes first
            (:class:`OutOfTime`): a cut may be missed.
        """
        if (load <= self._held + _HARDLY).all(axis=1).any():
            return None
        found = self.mixture(load, deadline)
        if found.cut is None:
            self._held = np.concatenate([self._held[1 - _REMEMBERED :], load[None]])
        return found.cut

    def mixture(self, load: np.ndarray, deadline: float = math.inf) -> Mixture:
        """All packings that ``load`` (shape (I,)) was compared with, and a cut that it violates.

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
        if not _breaks(worth @ amount, total, 0.0):
            return Mixture(None, groups, packings)
        weight = np.zeros(len(load))
        weight[active] = np.where(
            worth > _SMALLEST, worth, 0.0
        )  # smaller weights keep the cut valid
        return Mixture(PackingCut(weight, total), groups, packings)

    def _worth(
        self, active: np.ndarray, amount: np.ndarray, deadline: float
    ) -> tuple[np.ndarray, float, np.ndarray, np.ndarray]:
        """Worths at which a load exceeds what the servers can hold, and what they hold then.

        With the groups and packings of the last program.

        Raises
        ------
        HighsError
            If HiGHS fails, or time is up.
        """
        demand, limit, items = self._demand[active], self._limit[active], len(active)
        groups, packings = self._last_groups, self._last_packings[:, active]
        program = self._shortfall(amount)
        program.add_columns(np.zeros(len(groups)), self._columns(groups, packings))
        worth, total = np.zeros(items), 0.0
        best, best_worth, best_total = 0.0, worth, total
        for _ in range(_MOST_ROUNDS):
            optimum = program.solve(deadline)
            shortfall = optimum.objective
            if shortfall <= _VIOLATION:
                worth, total = np.zeros(items), 0.0
                break
            worth = np.maximum(-optimum.row_duals[:items], 0.0)
            value, upper, counts = best_packings(self._capacities, demand, worth, limit, _MAX_NODES)
            total = float(self._counts @ upper)
            if worth @ amount - total > best:
                best, best_worth, best_total = worth @ amount - total, worth, total
            better = np.flatnonzero(value > 1e-7 - optimum.row_duals[items:])
            if not len(better) or _breaks(worth @ amount, total, _MOST_OF * shortfall):
                break
            program.add_columns(np.zeros(len(better)), self._columns(better, counts[better]))
            groups = np.append(groups, better)
            packings = np.concatenate([packings, counts[better]])
        else:  # too many rounds: of all worths, those at which the load exceeds the servers most
            worth, total = best_worth, best_total
        whole = np.zeros((len(groups), len(self._limit)), dtype=np.int64)
        whole[:, active] = packings
        used = np.flatnonzero(optimum.x[items:] > 0)
        self._remember(groups[used], whole[used])
        return worth, total, groups, whole

    def _remember(self, groups: np.ndarray, packings: np.ndarray) -> None:
        self._last_groups, self._last_packings = groups, packings

    def _shortfall(self, amount: np.ndarray) -> GrowingProgram:
        """The least shortfall of a mixture of no packings yet: rows of jobs, then of groups."""
        items, groups = len(amount), len(self._groups)
        program = GrowingProgram("min")
        program.add_rows(sparse.csr_array((items + groups, 0)), np.append(-amount, self._counts))
        program.add_columns(np.ones(items), -np.eye(items + groups, items))
        return program

    def _columns(self, groups: np.ndarray, packings: np.ndarray) -> np.ndarray:
        """Columns of packings in the rows of that program."""
        return np.vstack([-packings.T, np.eye(len(self._groups))[:, groups]])


def _breaks(worth: float, total: float, by: float) -> bool:
    """Whether a load of this worth exceeds what servers hold: clearly, and by so much or more."""
    return worth - total > max(_VIOLATION * max(1.0, total), by)
