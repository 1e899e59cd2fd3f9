"""What PD-ORS and OASiS have in common here: Alg. 1 over the oracle on units of work."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from models.colocated.cluster import Cluster, Job
from models.colocated.column import Column
from models.errors import InputError
from online.colocated.price_bounds import PriceBounds
from online.colocated.prices import ExponentialPrices
from online.policy import Arrival, Decision, JobEvent, Policy
from online.primal_dual import decide
from online.segments import plan_from_column
from solvers.colocated.oracle import best_schedule
from solvers.colocated.placement import Placement
from solvers.colocated.progress import UNITS

__all__ = ["Admission"]

_MOST_UNITS = 10**6  # far beyond what any programme has room for


class Admission(Policy):
    """Admit a job if its best schedule at current prices has a positive payoff; raise prices.

    At the arrival of job i the oracle maximises the right-hand side of (11) over the schedules
    that still fit. If the payoff ``lambda_i`` is positive the job is admitted, runs exactly that
    schedule, and the price of each touched (slot, server, resource) rises to
    ``L (U/L)^(rho/C)``, (12). Nothing is ever planned anew. A job that turns out faster than its
    schedule promised (rounding of units, Fact 1) ends earlier; its last slots stay unused.

    Parameters
    ----------
    bounds : PriceBounds
        U and L. On the command line they are computed from the instance, and the results say
        ``clairvoyant_bounds``.
    units : float, keyword only
        Units in one external worker-slot, from 1 to a million:
        :mod:`solvers.colocated.progress`.

    Attributes
    ----------
    book : ExponentialPrices
        Of the run.
    placement : Placement
        How the run places externally.
    """

    def __init__(self, bounds: PriceBounds, *, units: float = UNITS) -> None:
        if not 1.0 <= units <= _MOST_UNITS:
            raise InputError(f"{self.name}: units {units} is not a number from 1 to {_MOST_UNITS}")
        self.bounds = bounds
        self._units = units

    @abstractmethod
    def start(
        self, cluster: Cluster, rng: np.random.Generator
    ) -> tuple[ExponentialPrices, Placement]:
        """Price book and placement of a run."""

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with the lowest prices everywhere (step 1)."""
        self.book, self.placement = self.start(public, rng)

    def step(self, event: JobEvent) -> Decision:
        """Decide an arriving job (steps 2-4)."""
        if not isinstance(event, Arrival):
            return Decision()
        column, record = decide(event.job, self._oracle, self.book)
        if column is None:
            return Decision(info=record)
        return Decision({event.job.index: plan_from_column(column)}, info=record)

    def _oracle(self, job: Job, prices: np.ndarray, free: np.ndarray) -> Column | None:
        return best_schedule(job, prices, free, self.placement, units=self._units)

    @property
    def final_prices(self) -> Any:
        """Prices after the last decision, shape (T, H, R)."""
        return self.book.prices
