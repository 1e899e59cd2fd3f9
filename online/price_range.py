"""The U and L between which prices move: largest and smallest unit utilities of one set of servers.

The formulas are those of OASiS, (23)-(26), which PD-ORS's (13), (14) take over.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from models.errors import InputError

__all__ = [
    "FLOOR",
    "Moved",
    "PriceRange",
    "RangesOfJobs",
    "Units",
    "resource_scale",
    "unit_utilities",
]

FLOOR = 1e-6
"""Least worth of a job in L, of the largest utility: that at the horizon can underflow to 0."""

_WORTHLESS = 1e-200  # of smaller utilities L would underflow
_LEAST = 1e-200  # of the largest U: L is below every U, and U / L would overflow
Units = Literal["normalised", "raw"]
Moved = Literal["U", "L"]


def resource_scale(capacity: np.ndarray, units: Units) -> np.ndarray:
    """What one unit of each resource is, shape (R,), for servers of these capacities (S, R).

    L is one number over resources of different units, so results depend on the units.
    ``normalised`` counts each resource in mean server capacities, ``raw`` takes the units of the
    instance, as the papers' formulas do.
    """
    if units == "raw":
        return np.ones(capacity.shape[1])
    scale = capacity.mean(axis=0)
    return np.where(scale > 0, scale, 1.0)


@dataclass(frozen=True, eq=False)
class PriceRange:
    """Largest and smallest unit utilities that shape the prices of one set of servers.

    Parameters
    ----------
    upper : ndarray, shape (R,)
        U per unit of each resource; 0 for one that nobody demands: it has price 0.
    lower : float
        L, below every positive U.
    """

    upper: np.ndarray
    lower: float

    def check(self, suffix: str = "") -> None:
        """Refuse a positive U that is not above L, and numbers negative or not finite.

        ``suffix`` stands behind U and L in messages.

        Raises
        ------
        InputError
        """
        upper, lower = self.upper, self.lower
        if not (np.isfinite(upper).all() and np.isfinite(lower)):
            raise InputError(f"price bounds: U{suffix} and L{suffix} must be finite")
        if lower < 0 or (upper < 0).any():
            raise InputError(f"price bounds: U{suffix} and L{suffix} must not be negative")
        for r in np.flatnonzero(upper > 0):
            if not upper[r] > lower > 0:
                raise InputError(
                    f"price bounds: U{suffix}[{r}] = {upper[r]:g} must exceed L{suffix} = "
                    f"{lower:g} > 0"
                )

    @property
    def alpha(self) -> float:
        """``max(1, ln U^r / L)``."""
        logs = np.log(self.upper[self.upper > 0] / self.lower).tolist() if self.lower else []
        return max([1.0, *logs])

    def scaled(self, p: float, moved: Moved = "U") -> PriceRange:
        """U/L times p: ``U <- L max(p U / L, 1 + 1e-9)``, so that U stays above L.

        With ``moved="L"`` U is kept, and L divided by p, as far as it stays below every U.

        Raises
        ------
        InputError
            If p is not positive.
        """
        if not (np.isfinite(p) and p > 0):
            raise InputError(f"price bounds: scale {p} is not positive")
        if moved == "L":
            most = self.upper[self.upper > 0].min(initial=np.inf) / (1.0 + 1e-9)
            return PriceRange(self.upper, min(self.lower / p, float(most)))
        least = self.lower * (1.0 + 1e-9)
        stretched = np.where(self.upper > 0, np.maximum(p * self.upper, least), 0.0)
        return PriceRange(stretched, self.lower)


class RangesOfJobs(ABC):
    """The U and L of a price function, computed from jobs: a range for each set of servers.

    Raises
    ------
    InputError
        If a positive U is not above its L, or a number is negative or not finite.
    """

    ranges: Any
    """Of all servers; or of the servers of workers, and of those of parameter servers."""

    def __post_init__(self) -> None:
        for place, side in enumerate(self.ranges, start=1):
            side.check(str(place) if len(self.ranges) > 1 else "")

    @property
    def alpha(self) -> float:
        """``max(1, ln U^r / L)`` over the ranges."""
        return max(side.alpha for side in self.ranges)

    @classmethod
    @abstractmethod
    def from_jobs(cls, cluster: Any, jobs: Iterable[Any], *_: Any, **how: Any) -> Self:
        """Evaluate the formulas on a set of jobs.

        Raises
        ------
        InputError
            If utilities are so small that U or L is not a positive number.
        """

    @classmethod
    def from_instance(cls, instance: Any, **how: Any) -> Self:
        """Exact bounds of an instance, by :meth:`from_jobs`. They know the future: results say so.

        Raises
        ------
        InputError
            As :meth:`from_jobs`.
        """
        try:
            return cls.from_jobs(instance.cluster, instance.jobs, **how)
        except InputError as error:
            raise InputError(f"{instance.name}: {error}") from None


def unit_utilities(
    best: np.ndarray,
    worst: np.ndarray,
    work: np.ndarray,
    demand: np.ndarray,
    capacity: np.ndarray,
    *,
    slots: int,
    part: float,
    units: Units,
    eta: bool = True,
    floor: float = FLOOR,
) -> PriceRange:
    """U and L of jobs on one set of servers.

    ``U^r`` is the largest ``best / demand^r``. ``L = part / eta`` times the least
    ``worst / (work sum_r demand^r)``, where ``1/eta = min(1, min work sum_r demand^r / (T sum c))``
    over the resources that are demanded, and the jobs that demand any. No ``worst`` counts for less
    than ``floor`` times the largest ``best``. That could raise L above the U of a resource that
    only nearly worthless jobs demand. So L is at most 1/e of the least positive U, and each has
    ``ln U/L >= 1``.

    Parameters
    ----------
    best, worst : ndarray, shape (I,)
        Utility of each job alone in the cluster, and in the last slot; best > 0. Without jobs, or
        where none is worth 1e-200, nothing can be earned, and every price is 0.
    work : ndarray, shape (I,)
        Worker-slots.
    demand : ndarray, shape (I, R)
        What a worker, a parameter server, or both take.
    capacity : ndarray, shape (S, R)
    slots : int
        T.
    part : float
        1/4 in OASiS, 1/2 in PD-ORS.
    units : {"normalised", "raw"}
        Unit of the resources (:func:`resource_scale`).
    eta : bool
        False: L without ``part / eta``.
    floor : float
        In [0, 1].
    """
    if best.max(initial=0.0) < _WORTHLESS:
        return PriceRange(np.zeros(capacity.shape[1]), 0.0)
    worst = np.maximum(worst, floor * best.max())
    scale = resource_scale(capacity, units)
    demand = demand / scale
    with np.errstate(divide="ignore"):
        upper = np.where(demand > 0, best[:, None] / demand, 0.0).max(axis=0)
    priced = upper > 0
    upper[priced] = np.maximum(upper[priced], _LEAST * upper.max(initial=0.0))
    total = float((capacity / scale)[:, priced].sum()) * slots
    if total == 0.0:  # the jobs need nothing of these servers, or what they need is not there
        return PriceRange(np.zeros_like(upper), 0.0)
    use = work * demand.sum(axis=1)
    worst, use = worst[use > 0], use[use > 0]
    lower = float((worst / use).min())
    if eta:
        lower *= part * min(1.0, float(use.min()) / total)
    return PriceRange(upper, min(lower, float(upper[priced].min()) / np.e))
