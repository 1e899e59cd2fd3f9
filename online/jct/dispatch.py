"""A_greedy (Alg. 2): where each chunk of a job goes, by least Q of (5)."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from models.jct.cluster import CLOUD, Cluster, Job
from online.jct.queues import Queues
from online.jct.stock import Stock

__all__ = ["Dispatch", "dispatch"]

_DIGITS = 9  # decimals in which prices are compared, so that round-off breaks no tie


@dataclass(frozen=True)
class Dispatch:
    """Where the chunks of a job go.

    Parameters
    ----------
    workers : tuple of int
        Edge worker of each chunk, or -1 for the cloud.
    together : bool
        The whole job goes to the cloud, ``zeta = 1``.
    alphas : tuple of float
        ``alpha_jd``, the price of each chunk when it was sent.
    """

    workers: tuple[int, ...]
    together: bool
    alphas: tuple[float, ...]


def dispatch(
    job: Job,
    now: int,
    cluster: Cluster,
    queues: Queues,
    stock: Stock,
    *,
    gamma: float,
    cloud: bool,
    all_follow: bool = False,
) -> Dispatch | None:
    """Send each chunk to the worker of least Q, at slot ``now``.

    The first chunk sees the cloud priced with ``zeta = 1``; if the cloud wins, the whole job goes
    there. Otherwise the other chunks see it priced with ``zeta = 0``. A server without storage for
    a chunk is no candidate (Sec. VI). Ties: the edge first, then the worker's index.

    Parameters
    ----------
    job : Job
    now : int
        Its arrival, or later if it had to wait for storage: the wait is part of every price.
    cluster : Cluster
    queues : Queues
        Of all edge workers; not changed.
    stock : Stock
    gamma : float
        The job's average processing rate.
    cloud : bool
        Whether the cloud is a candidate.
    all_follow : bool
        When a later chunk goes to the cloud, all chunks of the job do, those before it too, at
        its price (Alg. 2 as printed), and not only those after it.

    Returns
    -------
    Dispatch or None
        None if not all chunks find a place; then none of them is sent.
    """
    room = stock.room(job, now)
    workers = job.eligible(cluster)
    workers = workers[room[cluster.worker_server[workers]] > 0]
    servers = cluster.worker_server[workers]
    chunks, wait = job.chunks, now - job.arrival
    first = wait / chunks + queues.prices(
        workers,
        now,
        job.upload_slots[servers],
        gamma=gamma,
        processing=job.chunk_slots,
        chunks=chunks,
    )
    candidates = [(round(price, _DIGITS), n, 0) for n, price in enumerate(first.tolist())]
    heapq.heapify(candidates)
    apart = np.inf
    if cloud:
        upload = job.upload_to(CLOUD) + wait
        whole = (upload + job.cloud_chunk_slots) / chunks
        apart = (upload + job.chunk_slots) / chunks
        if not candidates or round(whole, _DIGITS) < candidates[0][0]:
            return Dispatch((CLOUD,) * chunks, True, (whole,) * chunks)
    chosen: list[int] = []
    alphas: list[float] = []
    while len(chosen) < chunks:
        while candidates and not room[servers[candidates[0][1]]]:
            heapq.heappop(candidates)
        price, n, before = candidates[0] if candidates else (np.inf, -1, 0)
        if price == apart == np.inf:
            return None
        if round(apart, _DIGITS) < price:  # so it is for later chunks: its price does not rise
            if all_follow:
                return Dispatch((CLOUD,) * chunks, True, (apart,) * chunks)
            rest = chunks - len(chosen)
            chosen += [CLOUD] * rest
            alphas += [apart] * rest
            break
        alphas.append(float(first[n]) + before * job.chunk_slots / chunks)
        again = float(first[n]) + (before + 1) * job.chunk_slots / chunks
        heapq.heapreplace(candidates, (round(again, _DIGITS), n, before + 1))
        room[servers[n]] -= 1
        chosen.append(int(workers[n]))
    return Dispatch(tuple(chosen), False, tuple(alphas))
