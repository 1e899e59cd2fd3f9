"""Algorithms 4 to 7 of the paper, line by line, with their flaws; slots and types count from 0.

- Algorithm 4: ``N`` is not reset for the next server of the PSs or start, so that later ones place
  no worker at all; at ``g = N`` there is no PS; workers go to the cheapest servers first, though a
  PS may need the room. Theorem 1 says that it is optimal.
- Algorithm 7: line 5 sets ``N`` to the duration, not to the number of workers, and does not reset
  it; nothing keeps the workers on two servers at least.

The last slot is never used: starts run to ``tau - L``, from 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf

import numpy as np

from models.completion import Cluster, Job
from models.completion.rates import minibatch_time

__all__ = ["Found", "one_server", "ring", "ring_one_server", "spread"]


@dataclass(frozen=True)
class Found:
    """What an algorithm returns; infinite cost: nothing."""

    cost: float = inf
    start: int = -1
    duration: int = 0
    worker_type: int = -1
    ps_type: int = -1
    workers: tuple[int, ...] = ()
    ps: tuple[int, ...] = ()


def copies(room: np.ndarray, demand: np.ndarray) -> int:
    """``min floor(omega / demand)`` over the slots of a window, shape (d, R), and resources."""
    if (room < 0).any():
        return 0
    needed = demand > 0
    return int(np.floor(room[:, needed] / demand[needed] + 1e-9).min())


def paid(prices: np.ndarray, amounts: np.ndarray) -> float:
    return float((prices.sum(axis=0) * amounts).sum())


def spread(
    job: Job, cluster: Cluster, prices: np.ndarray, free: np.ndarray, *, reset: bool = False
) -> Found:
    """Algorithm 4; with ``reset``, N starts anew for each server of the PSs."""
    best, tau = Found(), len(prices)
    servers = range(len(cluster.servers))
    for m, e in enumerate(cluster.worker_types):
        for p, z in enumerate(cluster.ps_types):
            slots = job.work * float(minibatch_time(job, m, p, 1, False))
            b, big_b = float(cluster.worker_gbps[m]), float(cluster.ps_gbps[p])
            for length in range(ceil(slots / job.chunks - 1e-9), ceil(slots - 1e-9) + 1):
                needed = ceil(slots / length - 1e-9)
                left = needed
                for start in range(tau - length):
                    window = slice(start, start + length)
                    omega = [paid(prices[window, h], e) for h in servers]
                    for n in servers:
                        if reset:
                            left = needed
                        y, s = np.zeros((2, len(cluster.servers)), dtype=np.int64)
                        for k in np.argsort(omega, kind="stable").tolist():
                            most = min(copies(free[window, k], e), left)
                            y[k] = most
                            for g in range(most + 1) if k == n else ():
                                ps = copies(free[window, n] - g * e, z)
                                if ps * big_b >= (needed - g) * b:
                                    y[n] = g
                                    s[n] = min(ps, ceil((needed - g) * b / big_b - 1e-9))
                            left -= int(y[k])
                        if left > 0 or s[n] < 1:
                            continue
                        cost = paid(prices[window], np.outer(y, e) + np.outer(s, z))
                        if cost < best.cost:
                            best = Found(cost, start, length, m, p, tuple(y), tuple(s))
    return best


def one_server(job: Job, cluster: Cluster, prices: np.ndarray, free: np.ndarray) -> Found:
    """Algorithm 5."""
    best, tau = Found(), len(prices)
    for m, e in enumerate(cluster.worker_types):
        for p, z in enumerate(cluster.ps_types):
            slots = job.work * float(minibatch_time(job, m, p, 1, True))
            least = max(1, ceil(slots / job.chunks - 1e-9))
            for length in range(least, max(1, ceil(slots - 1e-9)) + 1):
                needed = ceil(slots / length - 1e-9)
                for start in range(tau - length):
                    window = slice(start, start + length)
                    for h in range(len(cluster.servers)):
                        need = needed * e + z
                        cost = paid(prices[window, h], need)
                        if (free[window, h] >= need - 1e-9).all() and cost < best.cost:
                            y, s = np.zeros((2, len(cluster.servers)), dtype=np.int64)
                            y[h], s[h] = needed, 1
                            best = Found(cost, start, length, m, p, tuple(y), tuple(s))
    return best


def ring_one_server(job: Job, cluster: Cluster, prices: np.ndarray, free: np.ndarray) -> Found:
    """Algorithm 6."""
    best, tau = Found(), len(prices)
    for m, e in enumerate(cluster.worker_types):
        for phi in range(1, job.chunks + 1):
            slots = job.work * float(minibatch_time(job, m, -1, phi, True))
            length = max(1, ceil(slots / phi - 1e-9))
            for start in range(tau - length):
                window = slice(start, start + length)
                for h in range(len(cluster.servers)):
                    cost = paid(prices[window, h], phi * e)
                    if copies(free[window, h], e) >= phi and cost < best.cost:
                        y = np.zeros(len(cluster.servers), dtype=np.int64)
                        y[h] = phi
                        best = Found(cost, start, length, m, -1, tuple(y))
    return best


def ring(
    job: Job, cluster: Cluster, prices: np.ndarray, free: np.ndarray, *, reset: bool = False
) -> Found:
    """Algorithm 7; with ``reset``, N is the number of workers, anew for each start."""
    best, tau = Found(), len(prices)
    for m, e in enumerate(cluster.worker_types):
        for phi in range(1, job.chunks + 1):
            slots = job.work * float(minibatch_time(job, m, -1, phi, False))
            length = max(1, ceil(slots / phi - 1e-9))
            left = length
            for start in range(tau - length):
                if reset:
                    left = phi
                window = slice(start, start + length)
                omega = [paid(prices[window, h], e) for h in range(len(cluster.servers))]
                y = np.zeros(len(cluster.servers), dtype=np.int64)
                for h in np.argsort(omega, kind="stable").tolist():
                    y[h] = min(copies(free[window, h], e), left)
                    left -= int(y[h])
                cost = paid(prices[window], np.outer(y, e))
                if left <= 0 and cost < best.cost:
                    best = Found(cost, start, length, m, -1, tuple(y))
    return best
