"""What column generation asks of a problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

__all__ = ["CoupledProblem"]


class CoupledProblem(Protocol):
    """A packing problem over job schedules, as a maximisation.

    A minimisation is given as the maximisation of minus the cost, with ``must_run``. Usage and
    capacities are nonnegative.
    """

    jobs: int
    must_run: bool
    """Whether every job has to be scheduled: then payoffs are not cut off at 0."""

    def capacities(self) -> np.ndarray:
        """Right-hand sides of the coupling rows, shape (m,); grows with :meth:`separate`."""

    def price(self, duals: np.ndarray, deadline: float) -> Sequence[Any | None]:
        """Best column of every job at nonnegative duals (None: it has no schedule).

        Columns offer ``job``, ``value`` and ``payoff``. Raises
        :class:`solvers.highs.growing.OutOfTime` at ``deadline``, of ``time.monotonic()``.
        """

    def usage(self, column: Any, first_row: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows from ``first_row`` on that a column uses, and how much."""

    def separate(self, columns: Sequence[Any], weights: np.ndarray, deadline: float) -> int:
        """Add rows that the fractional solution breaks, behind the others; returns how many.

        A problem without further rows need not define it. Stops looking at ``deadline``, of
        ``time.monotonic()``. May raise :class:`solvers.highs.engine.HighsError` where there is none
        and some question had no answer, so that there may be some all the same.
        """
        return 0
