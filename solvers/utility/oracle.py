"""``best_schedule``: the best schedule of one job at given prices (Alg. 2, exact for (2))."""

from __future__ import annotations

import numpy as np

from models.slot_column import Column
from models.utility.instance import Cluster, Job
from models.utility.resources import Resources
from solvers.utility.kernels import cumulative_costs, shortest_work, take_cheapest

__all__ = ["best_schedule", "full_capacity", "zero_prices"]


def best_schedule(job: Job, prices: Resources, free: Resources) -> Column | None:
    """Maximise the right-hand side of (20) over the schedules of one job, problem (27).

    Alg. 2 counts work in chunks and rounds up in every slot. Constraint (2) only asks for
    the total, so the state here is worker-slots: exact for (2), never worse than Alg. 2, and
    one forward pass in O(T W N) serves all completion slots. Within a slot the n workers go
    to the cheapest servers with room, and so do the ``ceil(n b / B)`` parameter servers
    (Theorem 1).

    Parameters
    ----------
    job : Job
    prices : Resources
        Nonnegative ``p`` and ``q``.
    free : Resources
        Free capacities; full capacities when pricing columns of (14).

    Returns
    -------
    Column or None
        None if no schedule fits. Its payoff may be negative: admission is the caller's.
        Ties: earliest completion, then the earliest work, then the lowest server.
    """
    slots = prices.worker.shape[0]
    values = job.values(slots)
    first = job.arrival
    if job.work > job.chunks * (slots - first):
        return None
    limit = min(job.chunks, job.work)
    cost, order, room = cumulative_costs(
        prices.worker, free.worker, job.worker, limit, first, slots
    )
    ps_table = job.ps_needed_table(limit)
    ps_cost, ps_order, ps_room = cumulative_costs(
        prices.ps, free.ps, job.ps, int(ps_table[-1]), first, slots
    )
    cost += ps_cost[:, ps_table]
    # Feasible numbers are 0..reach: with n workers feasible, n - 1 are too.
    reach = np.isfinite(cost).sum(axis=1) - 1
    best, total, split = shortest_work(cost, reach, job.work, values[first:])
    if best < 0:
        return None
    workers = take_cheapest(split, order, room, first)
    ps = take_cheapest(ps_table[split], ps_order, ps_room, first)
    return Column(
        job=job.index,
        completion=first + int(best),
        value=float(values[first + best]),
        workers=workers[np.lexsort((workers[:, 1], workers[:, 0]))],
        ps=ps[np.lexsort((ps[:, 1], ps[:, 0]))],
        cost=float(total),
    )


def full_capacity(cluster: Cluster) -> Resources:
    """Free capacities of the empty cluster, broadcast over the slots (read-only views)."""
    return Resources(
        np.broadcast_to(cluster.worker_servers, (cluster.slots, *cluster.worker_servers.shape)),
        np.broadcast_to(cluster.ps_servers, (cluster.slots, *cluster.ps_servers.shape)),
    )


def zero_prices(cluster: Cluster) -> Resources:
    """Price 0 for everything."""
    return Resources(
        np.zeros((cluster.slots, *cluster.worker_servers.shape)),
        np.zeros((cluster.slots, *cluster.ps_servers.shape)),
    )
