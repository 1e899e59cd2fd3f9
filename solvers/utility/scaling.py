"""Utilities in a unit that suits HiGHS: its tolerances are absolute, 1e-6 and 1e-7."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from models.sigmoid import Sigmoid
from models.utility.instance import Cluster, Job, UtilityInstance
from solvers.scaling import factor_for

__all__ = ["ScaledInstance", "scale_utilities"]


@dataclass(frozen=True, eq=False)
class ScaledInstance:
    """An instance whose utilities are multiplied by a factor.

    Parameters
    ----------
    instance : UtilityInstance
        The same jobs on the same cluster under the same hash, so that its schedules are
        schedules of the original; only there are they scored.
    factor : float
        A power of two: objectives, bounds and prices divided by it are those of the original,
        to the last bit.
    """

    instance: UtilityInstance
    factor: float


def scale_utilities(instance: UtilityInstance) -> ScaledInstance:
    """Scale so that the largest utility of a job alone in the cluster is about 100.

    The factor is 1 if no job can earn anything.
    """
    cluster = instance.cluster.tolerant
    largest = max((_best_alone(job, cluster) for job in instance.jobs), default=0.0)
    if largest <= 0.0:
        return ScaledInstance(instance, 1.0)
    factor = factor_for(largest)
    jobs = tuple(replace(job, utility=_scaled(job, factor)) for job in instance.jobs)
    return ScaledInstance(replace(instance, jobs=jobs), factor)


def _scaled(job: Job, factor: float) -> Sigmoid:
    return msgspec.structs.replace(job.utility, priority=job.utility.priority * factor)


def _best_alone(job: Job, cluster: Cluster) -> float:
    """Utility of the earliest completion on the empty cluster; 0 if there is none."""
    most = job.max_workers(cluster)
    if most == 0:
        return 0.0
    delay = -(-job.work // most) - 1
    return float(job.utility(delay)) if job.arrival + delay < cluster.slots else 0.0
