"""Tables that the notebook's pictures draw: decisions, prices, who runs where, utilisation."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from models.utility import UtilityInstance, UtilitySchedule
from models.utility.resources import Resources
from online.primal_dual import decide
from online.utility.price_bounds import PriceBounds
from online.utility.prices import ExponentialPrices
from solvers.utility.oracle import best_schedule

__all__ = ["blocks", "decisions", "price_table", "usage"]

Side = Literal["worker", "ps"]


def decisions(instance: UtilityInstance) -> pd.DataFrame:
    """What OASiS considers at each arrival, with the exact bounds of prices.

    Returns
    -------
    DataFrame
        One row per job, in order of arrival: ``job`` (id), ``arrival``, ``completion`` (slot, of
        the best schedule), ``value`` (its utility), ``cost`` (at the prices the job met),
        ``payoff``, ``admitted``; NaN where no schedule fits.
    """
    book = ExponentialPrices(instance.cluster, PriceBounds.from_instance(instance))
    records = []
    for job in sorted(instance.jobs, key=lambda job: (job.arrival, job.index)):
        best = best_schedule(job, book.prices, book.free)
        numbers = [np.nan] * 4
        if best is not None:
            numbers = [float(best.completion), best.value, best.cost, best.payoff]
        admitted, _ = decide(job, lambda *_, found=best: found, book)
        records.append((job.id, job.arrival, *numbers, admitted is not None))
    columns = ["job", "arrival", "completion", "value", "cost", "payoff", "admitted"]
    return pd.DataFrame(records, columns=columns)


def price_table(
    instance: UtilityInstance, prices: Resources, *, side: Side = "worker"
) -> pd.DataFrame:
    """What the capacity of each server costs in every slot, ``sum_r p_h^r(t) c_h^r``.

    Parameters
    ----------
    instance : UtilityInstance
    prices : Resources
        Prices per unit of resource; LP duals or those of OASiS.
    side : {"worker", "ps"}

    Returns
    -------
    DataFrame
        In units of utility; rows are servers, columns are slots.
    """
    capacity = getattr(instance.cluster, f"{side}_servers")
    return pd.DataFrame((getattr(prices, side) * capacity).sum(axis=2).T)


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
    rows, capacity, demand = _side(instance, schedule, side)
    records: list[list[object]] = []
    last = None
    for job, server, slot, count in sorted(rows[:, [0, 2, 1, 3]].tolist()):
        if last == (job, server, slot, count):
            records[-1][3] = slot + 1
        else:
            needed = demand[job] > 0
            share = count * (demand[job][needed] / capacity[server][needed]).max(initial=0.0)
            records.append([instance.jobs[job].id, server, slot, slot + 1, count, float(share)])
        last = (job, server, slot + 1, count)
    return pd.DataFrame(records, columns=["job", "server", "start", "stop", "count", "share"])


def usage(
    instance: UtilityInstance, schedule: UtilitySchedule, *, side: Side = "worker"
) -> pd.DataFrame:
    """Share of each resource in use, of all servers of a side together.

    Returns
    -------
    DataFrame
        ``slot``, ``resource``, ``share``; resources of which there is none are left out.
    """
    rows, capacity, demand = _side(instance, schedule, side)
    used = np.zeros((instance.cluster.slots, capacity.shape[1]))
    np.add.at(used, rows[:, 1], demand[rows[:, 0]] * rows[:, 3:4])
    total = pd.Series(capacity.sum(axis=0), index=instance.cluster.resources)
    share = pd.DataFrame(used, columns=total.index)[total.index[total > 0]] / total[total > 0]
    return share.reset_index(names="slot").melt("slot", var_name="resource", value_name="share")


def _side(
    instance: UtilityInstance, schedule: UtilitySchedule, side: Side
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of a schedule, capacities [S, R] and demands [I, R] of one side."""
    rows = schedule.workers if side == "worker" else schedule.ps
    capacity: np.ndarray = getattr(instance.cluster, f"{side}_servers")
    demand = np.array([getattr(job, side) for job in instance.jobs])
    return rows, capacity, demand.reshape(-1, capacity.shape[1])
