"""How many workers a job asks for, where a scheduler leaves that to its owner."""

from __future__ import annotations

from models.utility.instance import Cluster, Job
from online.fixed_workers import LARGEST_REQUEST

__all__ = ["fixed_workers"]


def fixed_workers(job: Job, cluster: Cluster) -> int:
    """Fixed number of workers of a job under FIFO and RRH.

    The job's ``requested_workers``, or 30 where the instance says nothing, capped by
    ``n_max``, the most that the job can run on the empty cluster.

    Returns
    -------
    int
        0 if the job does not fit at all.
    """
    request = LARGEST_REQUEST if job.requested_workers is None else job.requested_workers
    return min(request, job.max_workers(cluster))
