"""Bounds on the rewards of single slots from a set of multipliers, without a solver.

For fixed multipliers and rents the dual value of a slot is a constant plus a number for each
copy that has a job (:mod:`solvers.reward.oracle`). Multipliers found for one arrival pattern so
bound the slots of all patterns, and of all those bounds the least counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from models.reward.instance import RewardInstance
from solvers.reward.oracle import Lagrangian, Oracle, normalised

__all__ = ["Patterns", "PricedPattern", "SlotDuals", "slot_bounds"]

_DECIMALS = 9
_CHUNK = 4_000_000  # numbers at a time


@dataclass(frozen=True)
class Patterns:
    """The different rows of the arrivals.

    Parameters
    ----------
    arrived : ndarray of int64, shape (U, L)
    of_slot : ndarray of int64, shape (T,)
        Pattern of each slot.
    count : ndarray of int64, shape (U,)
        Slots of each pattern.
    """

    arrived: np.ndarray
    of_slot: np.ndarray
    count: np.ndarray

    @classmethod
    def of(cls, instance: RewardInstance) -> Patterns:
        """Find them."""
        arrived, of_slot, count = np.unique(
            instance.arrivals, axis=0, return_inverse=True, return_counts=True
        )
        return cls(arrived, of_slot.reshape(-1), count)


@dataclass(frozen=True)
class PricedPattern:
    """Multipliers for one arrival pattern.

    Parameters
    ----------
    arrived : ndarray of int64, shape (L,)
    multipliers : ndarray, shape (number of copies with a job, K), or None
        None: those of the reference.
    """

    arrived: np.ndarray
    multipliers: np.ndarray | None


@dataclass(frozen=True)
class SlotDuals:
    """Multipliers that bound every slot.

    Parameters
    ----------
    reference : ndarray, shape (M, K)
        Of all copies, where nothing else is said.
    patterns : list of PricedPattern
    """

    reference: np.ndarray
    patterns: list[PricedPattern] = field(default_factory=list)

    @classmethod
    def rounded(cls, reference: np.ndarray) -> SlotDuals:
        """With no patterns yet, and as many digits as a file needs."""
        return cls(np.round(reference, _DECIMALS))

    def add(self, arrived: np.ndarray, multipliers: np.ndarray | None) -> None:
        """Add a pattern; ``multipliers`` of the copies with a job are rounded."""
        kept = None if multipliers is None else np.round(multipliers, _DECIMALS)
        self.patterns.append(PricedPattern(arrived, kept))


def slot_bounds(
    oracle: Oracle, duals: SlotDuals, mean: np.ndarray, arrived: np.ndarray
) -> np.ndarray:
    """Bound on the reward of a slot of each pattern.

    Parameters
    ----------
    oracle : Oracle
    duals : SlotDuals
    mean : ndarray, shape (M,)
        How often each copy has a job, in [0, 1]: what the reference's rents are made for.
    arrived : ndarray of int64, shape (U, L)
        Patterns.

    Returns
    -------
    ndarray, shape (U,)
        No allocation that the scorer accepts has a larger reward in such a slot.
    """
    active = oracle.cluster.active(arrived).astype(float)
    best = np.full(len(active), np.inf)
    bases: list[float] = []
    rows: list[np.ndarray] = []
    most = max(1, _CHUNK // max(1, len(active)))

    def settle() -> None:
        for first in range(0, len(active), most):
            part = slice(first, first + most)
            table = active[part] @ np.array(rows).T + np.array(bases)
            np.minimum(best[part], table.min(axis=1), out=best[part])

    for piece in _lagrangians(oracle, duals, mean):
        bases.append(piece.base)
        rows.append(piece.earned)
        if len(rows) == 1000:
            settle()
            bases.clear()
            rows.clear()
    if rows:
        settle()
    return best


def _lagrangians(oracle: Oracle, duals: SlotDuals, mean: np.ndarray) -> Iterator[Lagrangian]:
    reference = normalised(duals.reference)
    everyone = np.ones(oracle.copies)
    yield oracle.lagrangian(everyone, reference, oracle.respond(mean, reference).rent)
    for pattern in duals.patterns:
        active = oracle.cluster.active(pattern.arrived)
        table = reference
        if pattern.multipliers is not None:
            table = reference.copy()
            table[active] = normalised(pattern.multipliers)
        rent = oracle.respond(active.astype(float), table).rent
        yield oracle.lagrangian(everyone, table, rent)
