"""OASiS: online primal-dual scheduling with exponential prices (Alg. 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from models.slot_column import Column
from models.utility.instance import Cluster, Job, UtilityInstance
from models.utility.resources import Resources
from online.policy import Guarantee
from online.price_admission import PriceAdmission
from online.run import Trace
from online.utility.guarantee import check_guarantee, evidence_of_run
from online.utility.price_bounds import PriceBounds
from online.utility.prices import ExponentialPrices
from solvers.utility.oracle import best_schedule

__all__ = ["OASiS"]


class OASiS(PriceAdmission):
    """Admission by the prices (22) of worker and parameter servers, at the payoff (20).

    The loop: :class:`~online.price_admission.PriceAdmission`.

    Parameters
    ----------
    bounds : PriceBounds
        U and L. On the command line they are computed from the instance
        (:meth:`PriceBounds.from_instance`), and the results say ``clairvoyant_bounds``.

    Notes
    -----
    Theorem 4 states a competitive ratio of 2 alpha; see
    :func:`online.utility.guarantee.check_guarantee` for when it holds.
    """

    name = "oasis"

    def __init__(self, bounds: PriceBounds) -> None:
        self.bounds = bounds

    @classmethod
    def for_instance(cls, instance: UtilityInstance) -> OASiS:
        """Exact price bounds, which know the future."""
        return cls(PriceBounds.from_instance(instance))

    def open_book(self, public: Cluster, rng: np.random.Generator) -> ExponentialPrices:
        """Two sets of servers (line 1)."""
        return ExponentialPrices(public, self.bounds)

    def oracle(self, job: Job, prices: Resources, free: Resources) -> Column | None:
        """Alg. 2."""
        return best_schedule(job, prices, free)

    def evidence(self, instance: UtilityInstance, trace: Trace) -> dict[str, Any]:
        """What the proof of 2 alpha supposes, as measured in the run just ended."""
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
