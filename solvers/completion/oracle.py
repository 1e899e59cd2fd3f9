"""``best_schedule``: the best schedule of one job at given prices (Alg. 4 to 7, made exact)."""

from __future__ import annotations

import numpy as np

from models.completion.cluster import Cluster, Job
from models.completion.column import Column
from models.tolerance import usable
from solvers.completion.kernels import find_best
from solvers.completion.modes import (
    DURATION,
    FORCED,
    INTERNAL,
    PS,
    PS_TYPE,
    WORKER_TYPE,
    WORKERS,
    fitting,
    modes_of,
)

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
    best, choice = find_best(
        table,
        np.ascontiguousarray(prices, dtype=float),
        usable(np.ascontiguousarray(free, dtype=float)),
        usable(cluster.servers),
        np.asarray(values, dtype=float),
        job.arrival if first is None else first,
        beyond,
        cluster.worker_types,
        cluster.ps_types,
    )
    completion, row, server = choice.tolist()
    if row < 0:
        return None
    mode, start = table[row], completion - int(table[row, DURATION])
    window = slice(start, min(completion, len(prices)))
    room = usable(free[window].min(axis=0) if len(free[window]) else cluster.servers)
    servers, workers = _place(cluster, mode, prices[window].sum(axis=0), room, server)
    return Column(
        job=job.index,
        start=start,
        duration=int(mode[DURATION]),
        worker_type=int(mode[WORKER_TYPE]),
        ps_type=int(mode[PS_TYPE]),
        servers=servers,
        workers=workers,
        ps=np.where(servers == server, mode[PS], 0),
        value=float(values[completion]),
        cost=float(best[1]),
    )


def _place(
    cluster: Cluster, mode: np.ndarray, paid: np.ndarray, room: np.ndarray, server: int
) -> tuple[np.ndarray, np.ndarray]:
    """Servers that a choice of the kernel uses, and workers there, in the order it counted."""
    demand, workers = cluster.worker_types[mode[WORKER_TYPE]], int(mode[WORKERS])
    count = np.zeros(len(room), dtype=np.int64)
    used = np.arange(len(room)) == server
    if mode[INTERNAL]:
        count[server] = workers
    else:
        most = np.array([fitting(free, demand) for free in room])
        if server < 0:
            most = np.minimum(most, workers - 1)
        else:
            count[server] = mode[FORCED]
            held = mode[PS] * cluster.ps_types[mode[PS_TYPE]]
            most[server] = min(workers - 1, fitting(room[server] - held, demand))
        for h in np.argsort((demand * paid).sum(axis=1), kind="stable").tolist():
            count[h] += min(workers - count.sum(), most[h] - count[h])
        used |= count > 0
    servers = np.flatnonzero(used)
    return servers, count[servers]
