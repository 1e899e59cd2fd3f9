"""The greedy algorithm that the paper compares A_maxweight with (Fig. 8)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.completion.cluster import Cluster, Job
from models.completion.column import Column
from online.completion.room import dominant_share
from solvers.completion.modes import DURATION, amounts_of, modes_of
from solvers.completion.oracle import best_schedule

__all__ = ["greedy_max_weight"]


def greedy_max_weight(jobs: Sequence[Job], cluster: Cluster, slots: int) -> list[Column]:
    """Admit jobs by falling weight per demand, each as early as it still fits.

    Of Jain et al. the paper says no more than "a greedy strategy to schedule jobs with deadlines
    in the offline scenario". Jain, Menache, Naor, Yaniv: "Near-Optimal Scheduling Mechanisms for
    Deadline-Sensitive Jobs in Large Computing Clusters" (SPAA 2012) go through the jobs by falling
    value per unit of demand, and admit each that can still be completed by its deadline. Ours:
    demand is the dominant share of all capacity times slots, the least of all modes; a job takes
    the schedule that completes earliest in what is free. The cluster is empty at first; ``slots``
    is the deadline of all jobs, (7b). Returned in the order of admission.
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
    modes = modes_of(job, cluster)
    held = modes[:, DURATION] * dominant_share(amounts_of(modes, cluster), cluster)
    return job.weight / float(held.min())
