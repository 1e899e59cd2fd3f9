"""``best_schedule``: the best schedule of one job at given prices (Alg. 4 to 7, made exact)."""

from __future__ import annotations

import numpy as np

from models.completion.cluster import Cluster, Job
from models.completion.column import Column
from models.tolerance import usable
from solvers.completion.kernels import find_best, fitting
from solvers.completion.modes import DURATION, INTERNAL, PS_TYPE, WORKER_TYPE, WORKERS, modes_of

__all__ = ["best_schedule"]


def best_schedule(
    job: Job,
    cluster: Cluster,
    prices: np.ndarray,
    free: np.ndarray,
    values: np.ndarray,
    *,
    first: int | None = None,
    beyond: bool = False,
    modes: np.ndarray | None = None,
) -> Column | None:
    """Maximise the worth of completing minus the price of what is used: (9a), (18a), (12), (20).

    Exact, unlike Alg. 4 and 7 (docs/completion.md). On one server (q = 1) workers and one PS go
    to the cheapest that holds them. Spread (q = 0), all PSs are on one server: dropping those on
    others keeps every constraint, costs less, and changes no rate. With s of them there, (2i)
    lets ``floor(s B / b)`` workers be elsewhere; at least one must. The others go to the cheapest
    servers with room, the PSs' own among them.

    Parameters
    ----------
    job : Job
    cluster : Cluster
    prices, free : ndarray, shape (S, H, R)
        Nonnegative prices of slots 0 to S - 1, and what is free in them; full capacities when
        pricing columns of (8).
    values : ndarray
        Worth of completing at 0, 1, ... (the first slot after the last): in the batch problem
        ``w_j`` up to a deadline, ``-w_j c`` for (2). Minus infinity, or no entry, forbids it.
    first : int, optional
        Earliest start; default the arrival.
    beyond : bool
        Whether it may run past slot S - 1, where everything is free and costs nothing, if it
        starts by S: later starts are dominated where values do not rise.
    modes : ndarray, optional
        :func:`solvers.completion.modes.modes_of` of the job, if at hand.

    Returns
    -------
    Column or None
        None if no schedule fits. Its payoff may be negative: admission is the caller's. Ties:
        earliest completion, then the least share of all capacity times slots, then the lowest
        mode and server.
    """
    table = modes_of(job, cluster) if modes is None else modes
    start = job.arrival if first is None else first
    ps_types = cluster.ps_types.reshape(-1, len(cluster.resources))
    best, choice = find_best(
        table,
        np.ascontiguousarray(prices, dtype=float),
        usable(np.ascontiguousarray(free, dtype=float)),
        usable(cluster.servers),
        np.asarray(values, dtype=float),
        start,
        beyond,
        cluster.worker_types,
        ps_types,
        cluster.bandwidth,
    )
    completion, mode, server, ps, forced, most = choice.tolist()
    if mode < 0:
        return None
    duration = int(table[mode, DURATION])
    window = slice(completion - duration, min(completion, len(prices)))
    servers, workers = _place(
        cluster, table[mode], prices[window].sum(axis=0), free[window], (server, ps, forced, most)
    )
    return Column(
        job=job.index,
        start=completion - duration,
        duration=duration,
        worker_type=int(table[mode, WORKER_TYPE]),
        ps_type=int(table[mode, PS_TYPE]),
        servers=servers,
        workers=workers,
        ps=np.where(servers == server, ps, 0),
        value=float(values[completion]),
        cost=float(best[1]),
    )


def _place(
    cluster: Cluster,
    mode: np.ndarray,
    paid: np.ndarray,
    free: np.ndarray,
    at: tuple[int, int, int, int],
) -> tuple[np.ndarray, np.ndarray]:
    """Servers and numbers of workers of a choice of the kernel, in the order that it counted."""
    server, _, forced, most = at
    left = int(mode[WORKERS])
    count = np.zeros(len(cluster.servers), dtype=np.int64)
    if server >= 0:
        count[server], left = forced, left - forced
    if not mode[INTERNAL]:
        demand = cluster.worker_types[mode[WORKER_TYPE]]
        window = usable(free.min(axis=0) if len(free) else cluster.servers)
        for h in np.argsort((demand * paid).sum(axis=1), kind="stable").tolist():
            room = most - forced if h == server else fitting(window[h], demand)
            take = min(left, room if server >= 0 else min(room, most))
            count[h] += take
            left -= take
    used = count > 0
    if server >= 0:
        used[server] = True
    servers = np.flatnonzero(used)
    return servers, count[servers]
