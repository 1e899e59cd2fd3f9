"""The greedy algorithm that the paper compares A_maxweight with (Fig. 8)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.completion.cluster import Cluster, Job
from models.completion.column import Column
from solvers.completion.configurations import configurations
from solvers.completion.oracle import best_schedule

__all__ = ["greedy_max_weight"]


def greedy_max_weight(jobs: Sequence[Job], cluster: Cluster, slots: int) -> list[Column]:
    """Admit jobs by falling weight per demand, each as early as it still fits.

    Of Jain et al. the paper says no more than "a greedy strategy to schedule jobs with deadlines
    in the offline scenario". Jain, Menache, Naor, Yaniv: "Near-Optimal Scheduling Mechanisms for
    Deadline-Sensitive Jobs in Large Computing Clusters" (SPAA 2012) go through the jobs by falling
    value per unit of demand, and admit each that can still be completed by its deadline. Ours:
    demand is the dominant share of all capacity times slots, the least of all configurations; a
    job takes the schedule that completes earliest in what is free (ties as in the oracle).

    Parameters
    ----------
    jobs : sequence of Job
        The batch; ties keep its order.
    cluster : Cluster
        Empty at first.
    slots : int
        Deadline of all jobs, (7b).

    Returns
    -------
    list of Column
        In the order of admission.
    """
    free = np.repeat(cluster.servers[None], slots, axis=0)
    prices = np.zeros_like(free)
    found = []
    for job in sorted(jobs, key=lambda job: -_density(job, cluster)):
        worth = np.full(slots + 1, job.weight)
        column = best_schedule(job, cluster, prices, free, worth, first=0)
        if column is not None:
            servers, amounts = column.usage(cluster)
            free[column.start : column.completion, servers] -= amounts
            found.append(column)
    return found


def _density(job: Job, cluster: Cluster) -> float:
    options, total = configurations(job, cluster), cluster.servers.sum(axis=0)
    held = options.amounts
    share = np.divide(held, total, out=np.zeros_like(held), where=held > 0.0).max(axis=1)
    return job.weight / float((options.duration * share).min())
