"""``best_schedule``: the best schedule of one job at given prices (Alg. 2 and 3 on units)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from models.colocated.cluster import Job
from models.errors import InputError
from models.slot_column import Column
from solvers.colocated.kernels import shortest_units
from solvers.colocated.placement import Placement, SlotOptions
from solvers.colocated.progress import UNITS, progress, units_needed

__all__ = ["best_schedule"]

_MOST_STATES = 10**8  # units x slots: 800 MB


def best_schedule(
    job: Job,
    prices: np.ndarray,
    free: np.ndarray,
    placement: Placement,
    *,
    units: float = UNITS,
) -> Column | None:
    """Maximise the right-hand side of (11) over the schedules of one job, problem (15).

    The paper's programme (21) has a state for every sample, up to 1e8. Here the state is units of
    work (:mod:`solvers.colocated.progress`), rounded down, so a schedule does at least what it
    promises. For whole ``units`` that is exact where internal workers are no faster; else up to a
    unit is lost in every slot, and one in the sum. Slots with the same prices and capacities are
    placed once.

    Parameters
    ----------
    job : Job
    prices, free : ndarray, shape (T, H, R)
        Nonnegative prices, and what is free.
    placement : Placement
        How to place externally.
    units : float
        Units in one external worker-slot.

    Returns
    -------
    Column or None
        None if no schedule was found. Its payoff may be negative: admission is the caller's. Ties:
        earliest completion.

    Raises
    ------
    InputError
        If the units make more states than memory has room for.
    """
    slots, first = len(prices), job.arrival
    values = job.values(slots)[first:]
    most = min(job.max_workers, math.ceil(job.work))
    numbers, need = np.arange(most + 1), units_needed(job, units)
    speeds = [progress(job, numbers, internal, units) for internal in (True, False)]
    if int(speeds[0][-1]) * (slots - first) < need:
        return None
    if (states := need * (slots - first)) > _MOST_STATES:
        raise InputError(
            f"job '{job.id}': with {units:g} units in a worker-slot the programme has {states} "
            f"states, more than {_MOST_STATES}: want fewer units"
        )
    menus = _menus(job, prices[first:], free[first:], placement, speeds)
    width = max((len(menu.units) for menu in menus), default=0)
    steps = np.zeros((len(menus), width), dtype=np.int64)
    costs = np.full((len(menus), width), np.inf)
    for t, menu in enumerate(menus):
        steps[t, : len(menu.units)], costs[t, : len(menu.units)] = menu.units, menu.cost
    best, total, choice = shortest_units(steps, costs, need, values)
    if best < 0:
        return None
    rows: tuple[list[np.ndarray], list[np.ndarray]] = [], []
    for t in np.flatnonzero(choice >= 0).tolist():
        menu, option = menus[t], int(choice[t])
        placed = menu.options.rows(int(menu.workers[option]), bool(menu.internal[option]))
        for side, found in zip(rows, placed, strict=True):
            side.append(np.column_stack([np.full(len(found), first + t), found]))
    return Column.build(
        job, float(values[best]), np.concatenate(rows[0]), np.concatenate(rows[1]), float(total)
    )


class _Menu(NamedTuple):
    """Options of a slot that no other one beats, by progress from most to least."""

    options: SlotOptions
    workers: np.ndarray
    internal: np.ndarray
    units: np.ndarray
    cost: np.ndarray


def _menus(
    job: Job,
    prices: np.ndarray,
    free: np.ndarray,
    placement: Placement,
    speeds: list[np.ndarray],
) -> list[_Menu]:
    """Menu of every slot; equal slots share one."""
    known: dict[tuple[bytes, bytes], _Menu] = {}
    found = []
    for price, room in zip(prices, free, strict=True):
        key = price.tobytes(), room.tobytes()
        if key not in known:
            options = placement.options(job, price, room, len(speeds[0]) - 1)
            known[key] = _menu(options, speeds)
        found.append(known[key])
    return found


def _menu(options: SlotOptions, speeds: list[np.ndarray]) -> _Menu:
    """Menu of a slot from its options and the units of internal and of external workers."""
    count = len(options.external_cost)
    workers = np.tile(np.arange(count), 2)
    internal = np.repeat([True, False], count)
    cost = np.concatenate([options.internal_cost, options.external_cost])
    units = np.concatenate([side[:count] for side in speeds])
    # By progress, the cheapest first, internal first; each has to be cheaper than all before it.
    order = np.lexsort((cost, -units))
    least = np.minimum.accumulate(np.concatenate([[np.inf], cost[order]]))
    kept = order[(cost[order] < least[:-1]) & (units[order] > 0)]
    return _Menu(options, workers[kept], internal[kept], units[kept], cost[kept])
