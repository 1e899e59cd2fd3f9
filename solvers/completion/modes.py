"""Modes of a job: types, number of workers, one server or several, and how long it then takes."""

from __future__ import annotations

import numpy as np

from models.completion.cluster import Cluster, Job
from models.completion.rates import least_duration
from models.tolerance import count_fitting

__all__ = ["DURATION", "INTERNAL", "PS_TYPE", "WORKERS", "WORKER_TYPE", "modes_of"]

INTERNAL, WORKER_TYPE, PS_TYPE, WORKERS, DURATION = range(5)
"""Columns of a table of modes."""


def modes_of(job: Job, cluster: Cluster) -> np.ndarray:
    """All modes worth considering, by duration, then in the order of the columns.

    For given types and ``q``, a mode that another one beats in workers and duration is left out:
    it uses no less in any slot of a window that is no shorter. So is a number of workers that
    does not fit on the empty cluster. Algorithm 4 enumerates durations, and so finds the same.

    Parameters
    ----------
    job : Job
    cluster : Cluster

    Returns
    -------
    ndarray of int64, shape (n, 5)
        Rows (q, m, p, N, d).
    """
    found = []
    for m, worker in enumerate(cluster.worker_types):
        room = np.minimum(count_fitting(cluster.servers, worker), job.chunks)
        for internal in (1, 0):
            least = 1 if internal or not cluster.allreduce else 2  # (15a): on two servers
            most = min(job.chunks, int(room.max() if internal else room.sum()))
            workers = np.arange(least, most + 1)
            for p in cluster.ps_choices if len(workers) else ():
                duration = least_duration(job, m, p, workers, bool(internal))
                best = np.minimum.accumulate(duration)
                better = np.concatenate([[True], best[1:] < best[:-1]])
                rows = np.column_stack([workers, duration])[better]
                found.append(np.column_stack([np.tile([internal, m, p], (len(rows), 1)), rows]))
    if not found:
        return np.empty((0, 5), dtype=np.int64)
    table = np.concatenate(found).astype(np.int64)
    order = np.lexsort((*table[:, ::-1].T[1:], table[:, DURATION]))
    return table[order]
