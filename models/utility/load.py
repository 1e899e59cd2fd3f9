"""Load of an instance: how much its jobs need of what the servers have."""

from __future__ import annotations

import numpy as np

from models.resources import dominant_share
from models.utility.instance import Cluster, UtilityInstance

__all__ = ["dominant_shares", "load"]


def load(instance: UtilityInstance) -> float:
    """Sum over the jobs of their dominant shares (:func:`dominant_shares`).

    At 1 there is about as much to do as can be done, if servers could be filled without a rest
    and jobs run at any time; 0 without jobs.
    """
    jobs = instance.jobs
    if not jobs:
        return 0.0
    work = np.array([job.work for job in jobs], dtype=float)
    worker, ps = (np.array([getattr(job, side) for job in jobs]) for side in ("worker", "ps"))
    return float(dominant_shares(instance.cluster, work, worker, ps).sum())


def dominant_shares(
    cluster: Cluster, work: np.ndarray, worker: np.ndarray, ps: np.ndarray
) -> np.ndarray:
    """Largest share, over the resources of either side, of all there is that a job needs.

    To complete, a job needs W worker-slots and, by (6), at least ``W b / B`` slots of parameter
    servers; all there is of a resource is the capacity of all worker servers, or all parameter
    servers, times T.

    Parameters
    ----------
    cluster : Cluster
    work : ndarray, shape (n,)
        W.
    worker, ps : ndarray, shape (n, R)
        Demands of one worker and of one parameter server.

    Returns
    -------
    ndarray, shape (n,)
        Infinite for a job that demands what no server has.
    """
    on_ps = work * worker[:, cluster.bandwidth] / ps[:, cluster.bandwidth]
    found = np.zeros(len(work))
    for units, demand, servers in (
        (work, worker, cluster.worker_servers),
        (on_ps, ps, cluster.ps_servers),
    ):
        have = servers.sum(axis=0) * cluster.slots
        found = np.maximum(found, dominant_share(units[:, None] * demand, have))
    return found
