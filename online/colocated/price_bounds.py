"""``PriceBounds``: the U and L of PD-ORS's price function, and those of OASiS on split servers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from models.colocated.cluster import ROUND_OFF, Cluster, Job
from online.price_range import PriceRange, RangesOfJobs, Units, unit_utilities
from solvers.colocated.placement import Placement
from solvers.colocated.placement_greedy import GreedyPlacement, SplitPlacement

__all__ = ["PriceBounds", "Sides", "halves"]

Sides = tuple[np.ndarray, np.ndarray]
"""Indices of the servers that run workers only, and of those that run PSs only."""


def halves(cluster: Cluster) -> Sides:
    """The first half of the servers for workers (one more if they are odd), the others for PSs."""
    servers = np.arange(len(cluster.servers))
    cut = (len(servers) + 1) // 2
    return servers[:cut], servers[cut:]


@dataclass(frozen=True, eq=False)
class PriceBounds(RangesOfJobs):
    """Largest and smallest unit utilities that shape the prices (12).

    Parameters
    ----------
    ranges : tuple of PriceRange
        Of all servers; or of the servers of workers and of those of parameter servers.
    units : {"normalised", "raw"}
        Unit of the resources, see :func:`online.price_range.resource_scale`.
    """

    ranges: tuple[PriceRange, ...]
    units: Units = field(default="normalised", kw_only=True)

    @classmethod
    def from_jobs(
        cls,
        cluster: Cluster,
        jobs: Iterable[Job],
        *,
        sides: Sides | None = None,
        units: Units = "normalised",
    ) -> PriceBounds:
        r"""Evaluate (13), (14) on a set of jobs; on split servers (23)-(26) of OASiS.

        Readings. The notes print ``u(duration - a)`` in (13); the duration is the delay, and as
        delays count from 0, the best utility is that of ``ceil(V t_int / F) - 1``, the worst that
        of the last slot. ``mu`` is not defined; by analogy with OASiS's eta
        ``1/mu = min(1, min ceil(V t_ext) sum_r (alpha + beta) / (T sum C))``. Jobs that can earn
        nothing alone in the cluster, for want of room or of worth, do not count. The rest:
        :func:`~online.price_range.unit_utilities`.

        On split servers nothing is internal: the best utility is that of as many workers as fit.
        """
        placement: Placement = SplitPlacement(*sides) if sides else GreedyPlacement()
        counted: list[Job] = []
        best, worst = [], []
        for job in jobs:
            room, rate = cluster.slots - job.arrival, _fastest(job, cluster, placement)
            if rate == 0.0 or _slots(job, rate) > room:
                continue
            shortest = _slots(job, rate if sides else job.max_workers * job.speedup)
            if (high := float(job.utility(shortest - 1))) > 0.0:
                counted.append(job)
                best.append(high)
                worst.append(float(job.utility(room - 1)))
        servers = [cluster.servers[side] for side in sides] if sides else [cluster.servers]
        worker, ps = (np.array([getattr(job, key) for job in counted]) for key in ("worker", "ps"))
        demands = [worker, ps] if sides else [worker + ps]
        ranges = (
            unit_utilities(
                np.array(best),
                np.array(worst),
                np.ceil([job.work * (1.0 - ROUND_OFF) for job in counted]),
                demand,
                capacity,
                slots=cluster.slots,
                part=0.25 if sides else 0.5,
                units=units,
            )
            for demand, capacity in zip(demands, servers, strict=True)
        )
        return cls(tuple(ranges), units=units)

    def with_lower_times(self, level: float) -> PriceBounds:
        """The same with L times a factor, still at most U / e."""
        if level == 1.0:
            return self
        ranges = tuple(
            replace(side, lower=min(level * side.lower, side.upper[side.upper > 0].min() / np.e))
            for side in self.ranges
            if side.lower > 0.0
        )
        return replace(self, ranges=ranges or self.ranges)


def _fastest(job: Job, cluster: Cluster, placement: Placement) -> float:
    """Most external worker-slots, up to all, that a job can do in a slot of the empty cluster."""
    servers = cluster.servers
    most = min(job.max_workers, math.ceil(job.work))
    options = placement.options(job, np.zeros_like(servers), servers, most)
    numbers = np.arange(len(options.external_cost))
    inside = numbers[np.isfinite(options.internal_cost)].max(initial=0)
    outside = numbers[np.isfinite(options.external_cost)].max(initial=0)
    return max(float(inside) * job.speedup, float(outside))


def _slots(job: Job, rate: float) -> int:
    """Slots that all of the work takes at a rate."""
    return max(1, math.ceil(job.work * (1.0 - ROUND_OFF) / rate))
