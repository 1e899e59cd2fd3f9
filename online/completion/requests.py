"""What a job asks for where a scheduler leaves that to its owner: the ideal configuration."""

from __future__ import annotations

import numpy as np

from models.completion.checks import one_worker
from models.completion.cluster import Cluster, Job
from models.completion.rates import minibatch_time
from online.completion.room import Request, Room

__all__ = ["LARGEST_REQUEST", "Ideal"]

LARGEST_REQUEST = 30
"""Upper end of the range [1, 30] of the paper's FIFO (Sec. 7)."""


class Ideal:
    """The paper's "ideal case": the configuration that trains a job fastest.

    The paper derives it "according to recent literature", and has all baselines use its types.
    Here it is the pair of types whose mini-batches take the least time when ``N = D`` workers run
    spread over servers, among those of which one worker can run on the empty cluster; ties go to
    the lower types.

    Parameters
    ----------
    cluster : Cluster
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._pairs = np.unique(one_worker(cluster)[:, :2], axis=0)
        self._empty = Room(cluster)

    def request(self, job: Job, most: int | None = None) -> Request:
        """The ideal types, and D workers, or ``most``, or as many as fit on the empty cluster."""
        m, p = self._pairs.T
        fastest = int(minibatch_time(job, m, p, np.full_like(m, job.chunks), False).argmin())
        worker_type, ps_type = self._pairs[fastest].tolist()
        workers = min(job.chunks, job.chunks if most is None else most)
        while self._empty.place(wanted := Request(worker_type, ps_type, workers)) is None:
            workers -= 1
        return wanted
