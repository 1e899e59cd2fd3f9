"""What PD-ORS and OASiS have in common here: Alg. 1 over the oracle on units of work."""

from __future__ import annotations

import numpy as np

from models.colocated.cluster import Job
from models.errors import InputError
from models.slot_column import Column
from online.colocated.price_bounds import PriceBounds
from online.price_admission import PriceAdmission
from solvers.colocated.oracle import best_schedule
from solvers.colocated.placement import Placement
from solvers.colocated.progress import UNITS

__all__ = ["Admission"]

_MOST_UNITS = 10**6  # far beyond what any programme has room for


class Admission(PriceAdmission):
    """Admission by the prices (12), at the payoff (11).

    A job that turns out faster than its schedule promised (rounding of units, Fact 1) ends earlier;
    its last slots stay unused.

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
    placement : Placement
        How the run places externally; set with the price book.
    """

    placement: Placement

    def __init__(self, bounds: PriceBounds, *, units: float = UNITS) -> None:
        if not 1.0 <= units <= _MOST_UNITS:
            raise InputError(f"{self.name}: units {units} is not a number from 1 to {_MOST_UNITS}")
        self.bounds = bounds
        self._units = units

    def oracle(self, job: Job, prices: np.ndarray, free: np.ndarray) -> Column | None:
        """Alg. 2 and 3."""
        return best_schedule(job, prices, free, self.placement, units=self._units)
