"""OASiS on the servers of the ``colocated`` problem: half for workers, half for PSs."""

from __future__ import annotations

import numpy as np

from models.colocated.cluster import Cluster
from models.colocated.instance import ColocatedInstance
from online.colocated.admission import Admission
from online.colocated.price_bounds import PriceBounds, halves
from online.colocated.prices import ExponentialPrices
from solvers.colocated.placement_greedy import SplitPlacement

__all__ = ["OASiS"]


class OASiS(Admission):
    """PD-ORS's oracle where no server runs workers and parameter servers.

    Bao, Peng, Wu, Li: "Online Job Scheduling in Distributed Machine Learning Clusters", IEEE
    INFOCOM 2018, as PD-ORS is compared with it: the first half of the servers
    (:func:`~online.colocated.price_bounds.halves`) runs workers, the second half parameter
    servers, so everything is external. U and L are those of its own formulas, one pair for each
    half.
    """

    name = "oasis"

    @classmethod
    def for_instance(cls, instance: ColocatedInstance) -> OASiS:
        """Exact price bounds, which know the future."""
        return cls(PriceBounds.from_instance(instance, sides=halves(instance.cluster)))

    def open_book(self, public: Cluster, rng: np.random.Generator) -> ExponentialPrices:
        """Two sets of servers."""
        sides = halves(public)
        self.placement = SplitPlacement(*sides)
        return ExponentialPrices(public, self.bounds, sides)
