"""Configurations of a job: how long it takes with how much of each resource, all servers pooled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.completion.cluster import Cluster, Job
from solvers.completion.modes import DURATION, amounts_of, modes_of, undominated

__all__ = ["Configurations", "configurations"]


@dataclass(frozen=True, eq=False)
class Configurations:
    """What a job can be run with, as far as prices that are the same on all servers can tell.

    Parameters
    ----------
    duration : ndarray of int64, shape (n,)
        Slots that it takes; not falling.
    amounts : ndarray, shape (n, R)
        Of each resource in each of these slots.
    """

    duration: np.ndarray
    amounts: np.ndarray


def configurations(job: Job, cluster: Cluster) -> Configurations:
    """Those that fit on the empty cluster, without those that another one beats or equals.

    One beats another if it takes no longer and no more of any resource.
    """
    modes = modes_of(job, cluster)
    amounts = amounts_of(modes, cluster)
    key = np.column_stack([modes[:, DURATION], amounts])
    kept = undominated(key)
    return Configurations(modes[kept, DURATION], amounts[kept])
