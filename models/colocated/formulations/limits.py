"""What a job can reach on the empty cluster: the variables that can be nonzero.

Capacities are the tolerant ones (:mod:`models.tolerance`): every schedule that the scorer
accepts stays within these limits.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from models.colocated.cluster import Cluster, Job, most_on_one
from models.colocated.instance import ColocatedInstance
from models.tolerance import count_fitting

__all__ = ["JobLimits", "job_limits"]


@dataclass(frozen=True, eq=False)
class JobLimits:
    """Bounds on the variables of one job that at least one schedule in full capacities has.

    No optimum is lost by ``w <= ceil(work)``: workers beyond the need only take resources.

    Parameters
    ----------
    job : Job
    most : int
        Most external workers in one slot.
    internal : ndarray of int64, shape (H,)
        Most internal workers on each server; all 0 if they would be no faster than external ones.
    earliest : int
        No schedule completes before this slot; it is before T.
    workers, ps : ndarray of int64, shape (H,)
        Most external workers, and most parameter servers for them, on each server.
    """

    job: Job
    most: int
    internal: np.ndarray
    earliest: int
    workers: np.ndarray
    ps: np.ndarray


def job_limits(instance: ColocatedInstance) -> dict[int, JobLimits]:
    """Limits of every job that may be able to complete on the empty cluster, by its index."""
    found = {job.index: _limits(job, instance.cluster.tolerant) for job in instance.jobs}
    return {index: limits for index, limits in found.items() if limits is not None}


def _limits(job: Job, cluster: Cluster) -> JobLimits | None:
    places = count_fitting(cluster.servers, job.worker)
    ps_places = count_fitting(cluster.servers, job.ps)
    most = min(job.max_workers, math.ceil(job.tolerant_work), int(places.sum()))
    most = bisect_right(range(1, most + 1), int(ps_places.sum()), key=job.ps_needed)
    internal = most_on_one(job, cluster.servers, most)
    if job.speedup == 1.0:
        internal = np.zeros_like(internal)
    rate = max(float(most), job.speedup * int(internal.max()))
    if rate == 0.0:
        return None
    earliest = job.arrival + max(1, math.ceil(job.tolerant_work / rate)) - 1
    if earliest >= cluster.slots:
        return None
    workers, ps = np.minimum(places, most), np.minimum(ps_places, job.ps_needed(most))
    return JobLimits(job, most, internal, earliest, workers, ps)
