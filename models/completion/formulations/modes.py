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

    Another mode is not better if it has more workers but is no shorter: leave out some of its
    workers. With all-reduce a single worker is as fast as it would be on one server of many.
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
    e, servers = cluster.worker_types[m], cluster.servers
    if cluster.allreduce:
        room = np.minimum(count_fitting(servers, e), n if internal else n - 1)
        homes = tuple(np.flatnonzero(room >= n).tolist())
        fits = bool(homes) if internal else room.sum() >= n
        return [Mode(m, p, internal, n, 0, n, d, homes, tuple(room.tolist()))] if fits else []
    b, big_b, z = float(cluster.worker_gbps[m]), float(cluster.ps_gbps[p]), cluster.ps_types[p]
    room = np.minimum(count_fitting(servers, e), n)
    least_beside = {1: n}
    if not internal:  # for each number of PSs the fewest workers beside them
        least_beside = {least_ps(n - beside, b, big_b): beside for beside in range(n - 1, -1, -1)}
    found = []
    for ps, beside in least_beside.items():
        at_home = np.minimum(count_fitting(servers - ps * z, e), n if internal else n - 1)
        fits = (count_fitting(servers, z) >= ps) & (at_home >= beside)
        if not internal:
            fits &= at_home + room.sum() - room >= n
        if homes := tuple(np.flatnonzero(fits).tolist()):
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
