"""``PriceBounds``: the U and L of OASiS's price functions, (23)-(26), and their estimators."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from models.errors import InputError
from models.utility.instance import Cluster, Job, UtilityInstance
from online.price_range import FLOOR, Moved, PriceRange, Units, unit_utilities

__all__ = ["PriceBounds", "Smallest"]

Smallest = Literal["horizon", "target"]


@dataclass(frozen=True, eq=False)
class PriceBounds:
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

    Raises
    ------
    InputError
        If a positive U is not above its L, or a number is negative or not finite.
    """

    U1: np.ndarray
    U2: np.ndarray
    L1: float
    L2: float
    units: Units = field(default="normalised", kw_only=True)

    def __post_init__(self) -> None:
        for suffix, side in zip(("1", "2"), self.sides, strict=True):
            side.check(suffix)

    @property
    def sides(self) -> tuple[PriceRange, PriceRange]:
        """U and L of worker servers, and of parameter servers."""
        return PriceRange(self.U1, self.L1), PriceRange(self.U2, self.L2)

    @property
    def alpha(self) -> float:
        """``max(1, ln U_1^r / L_1, ln U_2^r / L_2)`` of Theorem 4."""
        return max(side.alpha for side in self.sides)

    @classmethod
    def from_jobs(
        cls,
        cluster: Cluster,
        jobs: Iterable[Job],
        *,
        units: Units = "normalised",
        eta: bool = True,
        smallest: Smallest = "horizon",
        floor: float = FLOOR,
    ) -> PriceBounds:
        """Evaluate (23)-(26) on a set of jobs.

        The argument of f_i is read as a delay: the largest utility is that of the shortest
        duration the job has alone in the cluster, ``ceil(W / n_max)`` slots; the smallest
        that of finishing in the last slot. Jobs that can earn nothing, for want of a schedule or
        of worth, do not count. The rest: :func:`~online.price_range.unit_utilities`.

        Parameters
        ----------
        cluster : Cluster
        jobs : iterable of Job
        units : {"normalised", "raw"}
        eta : bool
            False: (25) and (26) without ``1 / (4 eta)``. Their prose, the minimum unit-time
            unit-resource utility of a job, does not mention it.
        smallest : {"horizon", "target"}
            The smallest utility of a job in (25) and (26): ``f_i(T - a_i)`` as printed, or that
            at the target delay of its sigmoid, if this is sooner.
        floor : float
            Least worth of a job in L, of the largest utility of all.

        Raises
        ------
        InputError
            If an argument is none of these, or U or L is not a positive number.
        """
        if smallest not in ("horizon", "target") or units not in ("normalised", "raw"):
            raise InputError(f"price bounds: smallest '{smallest}' or units '{units}' is unknown")
        if not 0.0 <= floor <= 1.0:
            raise InputError(f"price bounds: floor {floor} is not in [0, 1]")
        counted: list[tuple[Job, float, float]] = []
        for job in jobs:
            n_max = job.max_workers(cluster)
            room = cluster.slots - job.arrival
            if n_max == 0 or -(-job.work // n_max) > room:
                continue
            shortest = -(-job.work // n_max)
            high = float(job.utility(shortest - 1))
            if high > 0.0:
                last = room - 1 if smallest == "horizon" else min(job.utility.target, room - 1)
                counted.append((job, high, float(job.utility(last))))
        if not counted:  # nothing can be earned: every price is 0
            none = np.zeros(len(cluster.resources))
            return cls(none, none, 0.0, 0.0, units=units)
        best = np.array([high for _, high, _ in counted])
        worst = np.array([low for _, _, low in counted])
        work = np.array([job.work for job, _, _ in counted], dtype=float)
        first, second = (
            unit_utilities(
                best,
                worst,
                work,
                demand,
                capacity,
                slots=cluster.slots,
                part=0.25,
                units=units,
                eta=eta,
                floor=floor,
            )
            for demand, capacity in (
                (np.array([job.worker for job, _, _ in counted]), cluster.worker_servers),
                (np.array([job.ps for job, _, _ in counted]), cluster.ps_servers),
            )
        )
        return cls(first.upper, second.upper, first.lower, second.lower, units=units)

    @classmethod
    def from_instance(cls, instance: UtilityInstance, **reading: Any) -> PriceBounds:
        """Exact bounds of an instance, read as in :meth:`from_jobs`.

        They know the future: results say so.

        Raises
        ------
        InputError
            As :meth:`from_jobs`.
        """
        try:
            return cls.from_jobs(instance.cluster, instance.jobs, **reading)
        except InputError as error:
            raise InputError(f"{instance.name}: {error}") from None

    @classmethod
    def from_history(cls, cluster: Cluster, past: Iterable[Job], **reading: Any) -> PriceBounds:
        """Bounds estimated from a sample of past jobs on the same cluster.

        The jobs are taken as if they arrived in the first slot.
        """
        return cls.from_jobs(cluster, [replace(job, arrival=0) for job in past], **reading)

    def scaled(self, p: float, moved: Moved = "U") -> PriceBounds:
        """Mis-estimated bounds of Fig. 6: U/L times p, L kept, or U.

        ``U <- L max(p U / L, 1 + eps)``: an underestimate stays above L.

        Parameters
        ----------
        p : float
            Positive factor, 1 = exact.
        moved : {"U", "L"}
            Which of the two is mis-estimated; the paper does not say.
        """
        if moved not in ("U", "L"):
            raise InputError(f"price bounds: moved '{moved}' is not 'U' or 'L'")
        first, second = (side.scaled(p, moved) for side in self.sides)
        return PriceBounds(first.upper, second.upper, first.lower, second.lower, units=self.units)
