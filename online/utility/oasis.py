"""OASiS: online primal-dual scheduling with exponential prices (Alg. 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from models.utility.column import Resources
from models.utility.instance import Cluster, Job, UtilityInstance
from online.policy import Arrival, Decision, Guarantee, JobEvent, Policy
from online.price_range import FLOOR, Moved, Units
from online.primal_dual import decide
from online.run import Trace
from online.segments import plan_from_column
from online.utility.guarantee import check_guarantee, evidence_of_run
from online.utility.price_bounds import PriceBounds, Smallest
from online.utility.prices import ExponentialPrices
from solvers.utility.oracle import best_schedule

__all__ = ["OASiS"]

Estimator = Callable[[Cluster, Iterable[Job]], PriceBounds]


class OASiS(Policy):
    """Admit a job if its best schedule at current prices has a positive payoff; raise prices.

    At the arrival of job i the oracle maximises (20) over the schedules that still fit. If
    the payoff ``mu_i`` is positive the job is admitted, runs exactly that schedule, and the
    price of each touched (slot, server, resource) rises to ``L (U/L)^(g/c)``, (22).

    Parameters
    ----------
    bounds : PriceBounds or callable
        U and L. On the command line they are computed from the instance
        (:meth:`PriceBounds.from_instance`), and the results say ``clairvoyant_bounds``. A function
        ``(cluster, jobs) -> PriceBounds`` estimates them at every arrival anew, of the jobs that
        have arrived so far; what is taken has the prices of the new bounds then.

    Notes
    -----
    Theorem 4 states a competitive ratio of 2 alpha; see
    :func:`online.utility.guarantee.check_guarantee` for when it holds. With estimates nothing is
    promised.
    """

    name = "oasis"

    def __init__(self, bounds: PriceBounds | Estimator) -> None:
        self._estimate = None if isinstance(bounds, PriceBounds) else bounds
        if isinstance(bounds, PriceBounds):
            self.bounds = bounds
        self.blind = self._estimate is not None

    @classmethod
    def for_instance(
        cls,
        instance: UtilityInstance,
        *,
        units: Units = "normalised",
        eta: bool = True,
        smallest: Smallest = "horizon",
        floor: float = FLOOR,
        scale: float = 1.0,
        moved: Moved = "U",
        estimated: bool = False,
    ) -> OASiS:
        """With the price bounds of the instance, which know the future, or with estimates of them.

        Parameters
        ----------
        instance : UtilityInstance
        units, eta, smallest, floor
            How (23)-(26) are read (:meth:`PriceBounds.from_jobs`); by default as printed.
        scale, moved
            U/L times ``scale`` (:meth:`PriceBounds.scaled`).
        estimated : bool
            U and L of the jobs that have arrived so far, the present one included.
        """
        reading: dict[str, Any] = {"units": units, "eta": eta, "smallest": smallest, "floor": floor}

        def estimate(cluster: Cluster, jobs: Iterable[Job]) -> PriceBounds:
            return PriceBounds.from_jobs(cluster, jobs, **reading).scaled(scale, moved)

        if estimated:
            return cls(estimate)
        return cls(PriceBounds.from_instance(instance, **reading).scaled(scale, moved))

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with the lowest prices everywhere (line 1)."""
        self._cluster = public
        self._seen: list[Job] = []
        if self._estimate:
            self.bounds = self._estimate(public, [])
        self.book = ExponentialPrices(public, self.bounds)

    def step(self, event: JobEvent) -> Decision:
        """Decide an arriving job (lines 2-15); nothing is ever planned anew."""
        if not isinstance(event, Arrival):
            return Decision()
        if self._estimate:
            self._seen.append(event.job)
            self.bounds = self._estimate(self._cluster, self._seen)
            self.book.reprice(self.bounds)
        column, record = decide(event.job, best_schedule, self.book)
        if column is None:
            return Decision(info=record)
        return Decision({event.job.index: plan_from_column(column)}, info=record)

    @property
    def final_prices(self) -> Resources:
        """Prices after the last decision."""
        return self.book.prices

    def evidence(self, instance: UtilityInstance, trace: Trace) -> dict[str, Any] | None:
        """What the proof of 2 alpha supposes, as measured in the run just ended."""
        if self._estimate:
            return None
        arrivals = [row for row in trace.decisions if row["event"] == "arrival"]
        payoff = {row["job"]: row["payoff"] for row in arrivals}
        alphas = [row["alpha_i"] for row in trace.decisions if "alpha_i" in row]
        return evidence_of_run(
            instance,
            first_admitted=all(row["admitted"] for row in arrivals[:1]),
            alpha=self.bounds.alpha,
            alphas=alphas,
            payoffs=[payoff[job.id] for job in instance.jobs],
            prices=self.book.prices,
            initial_dual=self.book.initial_dual,
        )

    @classmethod
    def applies(cls, evidence: Mapping[str, Any], best_known: float) -> Guarantee:
        """Whether 2 alpha applies to a run."""
        return check_guarantee(evidence, best_known)
