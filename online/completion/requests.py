"""What a job asks for where a scheduler leaves that to its owner: the ideal configuration."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np

from models.completion.cluster import Cluster, Job
from models.completion.rates import minibatch_time
from online.completion.room import Request
from solvers.completion.modes import WORKERS, placeable

__all__ = ["LARGEST_REQUEST", "ideal_request"]

LARGEST_REQUEST = 30
"""Upper end of the range [1, 30] of the paper's FIFO (Sec. 7)."""


def ideal_request(job: Job, cluster: Cluster, most: int | None = None) -> Request:
    """The paper's "ideal case": the types that train a job fastest, and as many workers as may be.

    The paper derives it "according to recent literature", and has all baselines use its types.
    Here they are the pair whose mini-batches take the least time when ``N = D`` workers run
    spread over servers, of those of which one worker can run on the empty cluster; ties go to the
    lower types.

    Parameters
    ----------
    job : Job
    cluster : Cluster
    most : int, optional
        Most workers; by default D, which is the limit in any case, as is what fits on the empty
        cluster.
    """
    m, p = _fitting(job, cluster, range(len(cluster.worker_types)), cluster.ps_choices, [1])[
        :, 1:3
    ].T
    fastest = minibatch_time(job, m, p, np.full_like(m, job.chunks), False).argmin()
    types = int(m[fastest]), int(p[fastest])
    numbers = range(1, min(job.chunks, job.chunks if most is None else most) + 1)
    fits = _fitting(job, cluster, [types[0]], [types[1]], numbers)
    return Request(*types, int(fits[:, WORKERS].max()))


def _fitting(job: Job, cluster: Cluster, *choices: Iterable[int]) -> np.ndarray:
    """The modes of some worker types, PS types and numbers that fit on the empty cluster."""
    rows = list(product((1, 0), *choices, [0]))
    return placeable(job, cluster, np.array(rows, dtype=np.int64))
