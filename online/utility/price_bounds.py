"""``PriceBounds``: the U and L of OASiS's price functions, (23)-(26), and their estimators."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from models.errors import InputError
from models.utility.instance import Cluster, Job, UtilityInstance

__all__ = ["PriceBounds", "resource_scales"]

_FLOOR = 1e-6  # of the largest best-alone utility: f_i(T - a_i) can underflow to 0

Units = Literal["normalised", "raw"]


def resource_scales(cluster: Cluster, units: Units) -> tuple[np.ndarray, np.ndarray]:
    """What one unit of each resource is, per side (workers, parameter servers), shape (R,).

    L is one number over resources of different units, so results depend on the units.
    ``normalised`` counts each resource in mean server capacities of its side, ``raw``
    takes the units of the instance, as the paper's formulas do.
    """
    if units == "raw":
        ones = np.ones(len(cluster.resources))
        return ones, ones
    scales = [servers.mean(axis=0) for servers in (cluster.worker_servers, cluster.ps_servers)]
    first, second = (np.where(scale > 0, scale, 1.0) for scale in scales)
    return first, second


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
        Unit of the resources, see :func:`resource_scales`.

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
        for name, upper, lower in (("1", self.U1, self.L1), ("2", self.U2, self.L2)):
            if not (np.isfinite(upper).all() and np.isfinite(lower)):
                raise InputError(f"price bounds: U{name} and L{name} must be finite")
            if lower < 0 or (upper < 0).any():
                raise InputError(f"price bounds: U{name} and L{name} must not be negative")
            for r in np.flatnonzero(upper > 0):
                if not upper[r] > lower > 0:
                    raise InputError(
                        f"price bounds: U{name}[{r}] = {upper[r]:g} must exceed L{name} = "
                        f"{lower:g} > 0"
                    )

    @property
    def alpha(self) -> float:
        """``max(1, ln U_1^r / L_1, ln U_2^r / L_2)`` of Theorem 4."""
        logs = [1.0]
        for upper, lower in ((self.U1, self.L1), (self.U2, self.L2)):
            logs.extend(np.log(upper[upper > 0] / lower).tolist())
        return max(logs)

    @classmethod
    def from_jobs(
        cls, cluster: Cluster, jobs: Iterable[Job], *, units: Units = "normalised"
    ) -> PriceBounds:
        """Evaluate (23)-(26) on a set of jobs.

        The argument of f_i is read as a delay: the largest utility is that of the shortest
        duration the job has alone in the cluster, ``ceil(W / n_max)`` slots; the smallest
        that of finishing in the last slot, at least 1e-6 of the largest of all jobs. Jobs that
        can earn nothing, for want of a schedule or of worth, do not count.
        ``1/eta = min(1, min_i W_i sum_r w_i / (T sum c))``.

        That floor could raise L above the U of a resource that only nearly worthless jobs demand.
        So L is at most 1/e of the least positive U of its side, and each has ``ln U/L >= 1``.
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
        if not counted:  # nothing can be earned: every price is 0
            none = np.zeros(len(cluster.resources))
            return cls(none, none, 0.0, 0.0, units=units)
        best = np.array([high for _, high, _ in counted])
        worst = np.maximum([low for _, _, low in counted], _FLOOR * best.max())
        work = np.array([job.work for job, _, _ in counted], dtype=float)
        scales = resource_scales(cluster, units)
        sides = []
        for demands, capacity, scale in (
            ([job.worker for job, _, _ in counted], cluster.worker_servers, scales[0]),
            ([job.ps for job, _, _ in counted], cluster.ps_servers, scales[1]),
        ):
            demand = np.array(demands) / scale
            with np.errstate(divide="ignore"):
                upper = np.where(demand > 0, best[:, None] / demand, 0.0).max(axis=0)
            priced = upper > 0
            if not priced.any():  # the jobs run without anything on this side
                sides.append((upper, 0.0))
                continue
            total = float((capacity / scale)[:, priced].sum()) * cluster.slots
            use = work * demand.sum(axis=1)
            eta_inverse = min(1.0, float(use.min()) / total)
            lower = 0.25 * eta_inverse * float((worst / use).min())
            sides.append((upper, min(lower, float(upper[priced].min()) / np.e)))
        (u1, l1), (u2, l2) = sides
        return cls(u1, u2, l1, l2, units=units)

    @classmethod
    def from_instance(
        cls, instance: UtilityInstance, *, units: Units = "normalised"
    ) -> PriceBounds:
        """Exact bounds of an instance. They know the future: results say so.

        Raises
        ------
        InputError
            If utilities are so small that U or L is not a positive number.
        """
        try:
            return cls.from_jobs(instance.cluster, instance.jobs, units=units)
        except InputError as error:
            raise InputError(f"{instance.name}: {error}") from None

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
        if not (np.isfinite(p) and p > 0):
            raise InputError(f"price bounds: scale {p} is not positive")
        least = 1.0 + 1e-9

        def stretch(upper: np.ndarray, lower: float) -> np.ndarray:
            return np.where(upper > 0, np.maximum(p * upper, lower * least), 0.0)

        return replace(self, U1=stretch(self.U1, self.L1), U2=stretch(self.U2, self.L2))
