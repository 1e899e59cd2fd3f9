"""``PriceBounds``: the U and L of OASiS's price functions, (23)-(26), and their estimators."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from models.utility.instance import Cluster, Job
from online.price_range import PriceRange, RangesOfJobs, Units, unit_utilities

__all__ = ["PriceBounds"]


@dataclass(frozen=True, eq=False)
class PriceBounds(RangesOfJobs):
    """Largest and smallest unit utilities that shape the prices (22).

    Parameters
    ----------
    U1, U2 : ndarray, shape (R,)
        ``U_1^r``, ``U_2^r`` per unit of resource on worker and parameter servers; 0 for a
        resource that nobody demands on that side: it has price 0.
    L1, L2 : float
        ``L_1``, ``L_2``, below every positive U of their side.
    units : {"normalised", "raw"}
        Unit of the resources, see :func:`online.price_range.resource_scale`.
    """

    U1: np.ndarray
    U2: np.ndarray
    L1: float
    L2: float
    units: Units = field(default="normalised", kw_only=True)

    @property
    def ranges(self) -> tuple[PriceRange, PriceRange]:
        """U and L of worker servers, and of parameter servers."""
        return PriceRange(self.U1, self.L1), PriceRange(self.U2, self.L2)

    @classmethod
    def from_jobs(
        cls, cluster: Cluster, jobs: Iterable[Job], *, units: Units = "normalised"
    ) -> PriceBounds:
        """Evaluate (23)-(26) on a set of jobs.

        The argument of f_i is read as a delay: the largest utility is that of the shortest
        duration the job has alone in the cluster, ``ceil(W / n_max)`` slots; the smallest
        that of finishing in the last slot. Jobs that can earn nothing, for want of a schedule or
        of worth, do not count. The rest: :func:`~online.price_range.unit_utilities`.
        """
        counted: list[tuple[Job, float, float]] = []
        for job in jobs:
            n_max = job.max_workers(cluster)
            room = cluster.slots - job.arrival
            if n_max == 0 or -(-job.work // n_max) > room:
                continue
            shortest = -(-job.work // n_max)
            high = float(job.utility(shortest - 1))
            if high > 0.0:
                counted.append((job, high, float(job.utility(room - 1))))
        best = np.array([high for _, high, _ in counted])
        worst = np.array([low for _, _, low in counted])
        work = np.array([job.work for job, _, _ in counted], dtype=float)
        first, second = (
            unit_utilities(
                best, worst, work, demand, capacity, slots=cluster.slots, part=0.25, units=units
            )
            for demand, capacity in (
                (np.array([job.worker for job, _, _ in counted]), cluster.worker_servers),
                (np.array([job.ps for job, _, _ in counted]), cluster.ps_servers),
            )
        )
        return cls(first.upper, second.upper, first.lower, second.lower, units=units)

    @classmethod
    def from_history(
        cls, cluster: Cluster, past: Iterable[Job], *, units: Units = "normalised"
    ) -> PriceBounds:
        """Bounds estimated from a sample of past jobs on the same cluster.

        The jobs are taken as if they arrived in the first slot.
        """
        return cls.from_jobs(cluster, [replace(job, arrival=0) for job in past], units=units)

    def scaled(self, p: float) -> PriceBounds:
        """Mis-estimated bounds of Fig. 6: U/L times p, L kept.

        ``U <- L max(p U / L, 1 + eps)``: an underestimate stays above L.

        Parameters
        ----------
        p : float
            Positive factor, 1 = exact.
        """
        first, second = (side.scaled(p) for side in self.ranges)
        return replace(self, U1=first.upper, U2=second.upper)
