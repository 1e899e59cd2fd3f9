"""Tables that the pictures draw: decisions, prices, who runs where, utilisation."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from models.utility import Job, UtilityInstance, UtilitySchedule
from models.utility.column import Column, Resources
from online.primal_dual import decide
from online.utility.price_bounds import PriceBounds
from online.utility.prices import ExponentialPrices
from solvers.utility.oracle import best_schedule

__all__ = ["blocks", "decisions", "price_table", "usage"]

Side = Literal["worker", "ps"]


def decisions(instance: UtilityInstance, bounds: PriceBounds | None = None) -> pd.DataFrame:
    """What OASiS considers at each arrival.

    Parameters
    ----------
    instance : UtilityInstance
    bounds : PriceBounds, optional
        By default the exact ones.

    Returns
    -------
    DataFrame
        One row per job, in order of arrival: ``job`` (id), ``arrival``, ``completion`` (slot, of
        the best schedule), ``value`` (its utility), ``cost`` (at the prices the job met),
        ``payoff``, ``admitted``; NaN where no schedule fits.
    """
    book = ExponentialPrices(instance.cluster, bounds or PriceBounds.from_instance(instance))
    seen: list[Column | None] = []

    def oracle(job: Job, prices: Resources, free: Resources) -> Column | None:
        seen.append(best_schedule(job, prices, free))
        return seen[-1]

    records = []
    for job in sorted(instance.jobs, key=lambda job: (job.arrival, job.index)):
        admitted, _ = decide(job, oracle, book)
        best = seen[-1]
        records.append(
            {
                "job": job.id,
                "arrival": job.arrival,
                "completion": np.nan if best is None else float(best.completion),
                "value": np.nan if best is None else best.value,
                "cost": np.nan if best is None else best.cost,
                "payoff": np.nan if best is None else best.payoff,
                "admitted": admitted is not None,
            }
        )
    return pd.DataFrame(records)


def price_table(
    instance: UtilityInstance,
    prices: Resources,
    *,
    side: Side = "worker",
    rows: Literal["server", "resource"] = "server",
) -> pd.DataFrame:
    """What the capacity of each server, or of each resource, costs in every slot.

    Parameters
    ----------
    instance : UtilityInstance
    prices : Resources
        Prices per unit of resource; LP duals or those of OASiS.
    side : {"worker", "ps"}
    rows : {"server", "resource"}
        ``sum_r p_h^r(t) c_h^r`` for every server h, or ``sum_h p_h^r(t) c_h^r`` for every r.

    Returns
    -------
    DataFrame
        In units of utility; rows are servers or resources, columns are slots.
    """
    price, capacity, _ = _side(instance, side, prices)
    worth = price * capacity  # [T, S, R]
    if rows == "server":
        return pd.DataFrame(worth.sum(axis=2).T, index=range(capacity.shape[0]))
    return pd.DataFrame(worth.sum(axis=1).T, index=list(instance.cluster.resources))


def blocks(
    instance: UtilityInstance, schedule: UtilitySchedule, *, side: Side = "worker"
) -> pd.DataFrame:
    """Who runs where: stretches of slots with the same number of copies on one server.

    Returns
    -------
    DataFrame
        ``job`` (id), ``server``, ``start``, ``stop`` (slot after the last), ``count`` and
        ``share`` of the server's scarcest resource that the job takes there; in order of job,
        server and time.
    """
    rows = schedule.workers if side == "worker" else schedule.ps
    _, capacity, demand = _side(instance, side)
    records: list[dict[str, object]] = []
    last = None
    for job, server, slot, count in sorted(rows[:, [0, 2, 1, 3]].tolist()):
        if last == (job, server, slot, count):
            records[-1]["stop"] = slot + 1
        else:
            needed = demand[job] > 0
            share = count * (demand[job][needed] / capacity[server][needed]).max(initial=0.0)
            records.append(
                {
                    "job": instance.jobs[job].id,
                    "server": server,
                    "start": slot,
                    "stop": slot + 1,
                    "count": count,
                    "share": float(share),
                }
            )
        last = (job, server, slot + 1, count)
    columns = ["job", "server", "start", "stop", "count", "share"]
    return pd.DataFrame(records, columns=columns)


def usage(
    instance: UtilityInstance, schedule: UtilitySchedule, *, side: Side = "worker"
) -> pd.DataFrame:
    """Share of each resource in use, of all servers of a side together.

    Returns
    -------
    DataFrame
        ``slot``, ``resource``, ``share``; resources of which there is none are left out.
    """
    rows = schedule.workers if side == "worker" else schedule.ps
    _, capacity, demand = _side(instance, side)
    used = np.zeros((instance.cluster.slots, capacity.shape[1]))
    np.add.at(used, rows[:, 1], demand[rows[:, 0]] * rows[:, 3:4])
    total = capacity.sum(axis=0)
    return pd.DataFrame(
        [
            {"slot": slot, "resource": name, "share": used[slot, r] / total[r]}
            for r, name in enumerate(instance.cluster.resources)
            if total[r] > 0
            for slot in range(instance.cluster.slots)
        ]
    )


def _side(
    instance: UtilityInstance, side: Side, prices: Resources | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Prices [T, S, R] (zeros if none), capacities [S, R] and demands [I, R] of one side."""
    cluster = instance.cluster
    if side == "worker":
        capacity, demand = cluster.worker_servers, [job.worker for job in instance.jobs]
    else:
        capacity, demand = cluster.ps_servers, [job.ps for job in instance.jobs]
    shape = (len(instance.jobs), capacity.shape[1])
    price = np.zeros((cluster.slots, *capacity.shape))
    if prices is not None:
        price = prices.worker if side == "worker" else prices.ps
    return price, capacity, np.array(demand).reshape(shape)
