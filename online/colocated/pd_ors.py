"""PD-ORS: online primal-dual scheduling on shared servers (Alg. 1-4)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from models.colocated.cluster import Cluster
from models.colocated.instance import ColocatedInstance
from models.errors import InputError
from online.colocated.admission import Admission
from online.colocated.price_bounds import PriceBounds
from online.colocated.prices import ExponentialPrices
from online.price_range import Units
from solvers.colocated.placement import Placement
from solvers.colocated.placement_exact import ExactPlacement
from solvers.colocated.placement_greedy import GreedyPlacement
from solvers.colocated.placement_rounding import RoundingPlacement
from solvers.colocated.progress import UNITS

__all__ = ["PDORS"]

External = Literal["rounding", "greedy", "exact"]


class PDORS(Admission):
    """Admission by exponential prices; workers and parameter servers may share servers.

    Parameters
    ----------
    bounds : PriceBounds
    placement : {"rounding", "greedy", "exact"}, keyword only
        How workers and parameter servers are placed on several servers. ``rounding`` is the
        paper's; the others need no random numbers.
    gain : float, "packing" or "covering", keyword only
        ``G_delta`` of the rounding: a number, or the formula for one side
        (:mod:`solvers.colocated.rounding_factor`).
    delta : float, keyword only
        In (0, 1], for the formulas.
    tries : int, keyword only
        S, how often a solution is rounded.
    units : float, keyword only
        Units in one external worker-slot.

    Notes
    -----
    The notes of the paper state no competitive ratio, so none is promised.
    """

    name = "pd-ors"

    def __init__(
        self,
        bounds: PriceBounds,
        *,
        placement: External = "rounding",
        gain: float | Literal["packing", "covering"] = 1.0,
        delta: float = 0.5,
        tries: int = 20,
        units: float = UNITS,
    ) -> None:
        super().__init__(bounds, units=units)
        if placement not in ("rounding", "greedy", "exact"):
            raise InputError(f"pd-ors: placement {placement!r} is not rounding, greedy or exact")
        known = gain in ("packing", "covering") if isinstance(gain, str) else 0.0 < gain < np.inf
        if not known:
            raise InputError(f"pd-ors: gain {gain!r} is not a positive number, packing or covering")
        if not 0.0 < delta <= 1.0:
            raise InputError(f"pd-ors: delta {delta} is not in (0, 1]")
        if tries < 1:
            raise InputError(f"pd-ors: tries {tries} is less than 1")
        self._external = placement
        self._rounding = partial(RoundingPlacement, gain=gain, delta=delta, tries=tries)

    @classmethod
    def for_instance(
        cls,
        instance: ColocatedInstance,
        level: float = 1.0,
        units_of: Units = "normalised",
        **parameters: Any,
    ) -> PDORS:
        """Exact price bounds, which know the future; the other parameters are the policy's.

        L is multiplied by ``level``; ``units_of`` are those of the resources
        (:func:`online.price_range.resource_scale`).
        """
        bounds = PriceBounds.from_instance(instance, units=units_of).with_lower_times(level)
        return cls(bounds, **parameters)

    def open_book(self, public: Cluster, rng: np.random.Generator) -> ExponentialPrices:
        """One set of servers; rounding uses the generator of the run."""
        ways: dict[External, Callable[[], Placement]] = {
            "rounding": lambda: self._rounding(rng),
            "greedy": GreedyPlacement,
            "exact": ExactPlacement,
        }
        self.placement = ways[self._external]()
        return ExponentialPrices(public, self.bounds)
