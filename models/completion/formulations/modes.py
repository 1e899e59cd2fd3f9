"""The ways to run a job: all but its start and its servers.

Capacities are the tolerant ones (:mod:`models.tolerance`): every schedule that the scorer accepts
uses a mode that is here, or one that a mode here is better than.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from models.completion.cluster import Cluster, Job
from models.completion.instance import CompletionInstance
from models.completion.rates import least_duration, least_ps
from models.tolerance import count_fitting

__all__ = ["Mode", "horizon", "modes"]


@dataclass(frozen=True, eq=False)
class Mode:
    """One way k to run a job.

    Parameters
    ----------
    worker_type, ps_type, workers, duration : int
        m, p (``NO_TYPE`` with all-reduce), N and the least d for them.
    internal : bool
        q: all on one server, its *home*. If not, the home is the one server that has the PSs. One
        is enough: those of others may be left out, since (2i) at one server knows no PSs of
        another, and the rate does not depend on them.
    ps : int
        Parameter servers at home.
    beside : int
        Fewest workers that have to be at home for so many PSs, (2i).
    homes : tuple of int
        Servers that have room for the PSs and these workers; none if a mode has no home.
    room : tuple of int
        Most workers on each server if they are spread, at most N; or N - 1 without a home, for
        two servers are needed.
    """

    worker_type: int
    ps_type: int
    internal: bool
    workers: int
    ps: int
    beside: int
    duration: int
    homes: tuple[int, ...]
    room: tuple[int, ...]


def modes(job: Job, cluster: Cluster) -> list[Mode]:
    """Modes of a job that fit on the empty cluster, in tolerant capacities.

    One with more workers that is no shorter is not there: some of its workers may be left out.
    """
    cluster, found = cluster.tolerant, []
    workers = np.arange(1, job.chunks + 1)
    pairs = product(range(len(cluster.worker_types)), cluster.ps_choices)
    for (m, p), internal in product(pairs, (True, False)):
        duration = least_duration(job, m, p, workers, internal)
        shortest = np.minimum.accumulate(duration)
        for k in np.flatnonzero(np.append(True, shortest[1:] < shortest[:-1])).tolist():
            found += _placed(cluster, m, p, internal, k + 1, int(duration[k]))
    return found


def _placed(cluster: Cluster, m: int, p: int, internal: bool, n: int, d: int) -> list[Mode]:
    """Modes of n workers: with several numbers of parameter servers if they are spread."""
    e, servers, ring = cluster.worker_types[m], cluster.servers, cluster.allreduce
    z = np.zeros_like(e) if ring else cluster.ps_types[p]
    most = n if internal else n - 1  # at home
    room = np.minimum(count_fitting(servers, e), most if ring else n)
    least_beside = {0: 0} if ring else {1: 0}
    if not (internal or ring):
        b, big_b = float(cluster.worker_gbps[m]), float(cluster.ps_gbps[p])
        least_beside = {least_ps(n - beside, b, big_b): beside for beside in range(n - 1, -1, -1)}
    found = []
    for ps, beside in least_beside.items():
        at_home = np.minimum(count_fitting(servers - ps * z, e), most)
        elsewhere = 0 if internal else room.sum() - room
        fits = (count_fitting(servers, z) >= ps) & (at_home >= beside) & (at_home + elsewhere >= n)
        if homes := tuple(np.flatnonzero(fits).tolist()):
            homes = homes if internal or ps else ()
            found.append(Mode(m, p, internal, n, ps, beside, d, homes, tuple(room.tolist())))
    return found


def horizon(instance: CompletionInstance) -> int:
    """``max a + sum_j min d_j``: in an optimum of (2) all jobs complete by then.

    If one completes later, take the last number i of jobs, in the order of completion, so that the
    first i are done by ``max a`` plus the sum of their least durations. Run the others after them,
    one after the other in that order: each completes earlier than before.
    """
    least = (min(k.duration for k in modes(job, instance.cluster)) for job in instance.jobs)
    return max((job.arrival for job in instance.jobs), default=0) + sum(least)
