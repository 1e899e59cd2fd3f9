"""What plans use of the servers of one set, slot by slot."""

from __future__ import annotations

import numpy as np

from online.run import InfeasibleDecision

__all__ = ["ServerUsage"]

# models.tolerance says who may exceed what. Policies stay within 1e-9.
_CAPACITY = 1.01e-9


class ServerUsage:
    """Adds up the plans of all jobs, and refuses what is more than there is.

    Parameters
    ----------
    capacity : ndarray, shape (S, R)
        The same in every slot.
    slots : int
        T.
    resources : tuple of str
    kind, equation : str
        What messages call a server, and the constraint.
    """

    def __init__(
        self,
        capacity: np.ndarray,
        slots: int,
        resources: tuple[str, ...],
        kind: str,
        equation: str,
    ) -> None:
        self._resources = resources
        self._capacity = capacity
        self._kind = kind
        self._equation = equation
        self._used = np.zeros((slots, *capacity.shape))
        self._limit = capacity + _CAPACITY * np.maximum(1.0, capacity)

    def add(self, start: int, stop: int, rows: np.ndarray, demand: np.ndarray) -> None:
        """Add (or, with a negative demand, remove) rows (server, count) in some slots."""
        if len(rows) and stop > start:
            self._used[start:stop, rows[:, 0]] += rows[:, 1:2] * demand

    def check(self, slot: int) -> None:
        """Capacity in every slot from this one on."""
        used = self._used[slot:]
        if (used <= self._limit).all():
            return
        t, s, r = np.argwhere(used > self._limit)[0].tolist()
        raise InfeasibleDecision(
            f"{self._equation} {self._kind} {s} would use {used[t, s, r]:.9g} of "
            f"{self._capacity[s, r]:.9g} {self._resources[r]} in slot {slot + t}"
        )

    def check_rows(self, where: str, rows: np.ndarray) -> None:
        """Check that servers exist and are named once, and that counts are positive integers."""
        servers = rows[:, 0]
        unknown = servers[(servers < 0) | (servers >= len(self._capacity))]
        if len(unknown):
            raise InfeasibleDecision(f"{where}: no {self._kind} {unknown[0]}")
        if len(np.unique(servers)) != len(servers):
            raise InfeasibleDecision(f"{where}: a {self._kind} stands twice")
        if (rows[:, 1] <= 0).any():
            raise InfeasibleDecision(f"{where}: a count is not positive")
