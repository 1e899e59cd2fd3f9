"""Put jobs one by one into what is free: the cheapest start and mode that can be placed."""

from __future__ import annotations

import math
import sys

import numpy as np
from numba import njit

from models.completion.cluster import Job
from models.completion.column import Column
from models.tolerance import usable
from solvers.column_table import ColumnTable
from solvers.completion.kernels import look, window_minima
from solvers.completion.modes import (
    DURATION,
    FORCED,
    INTERNAL,
    PS,
    PS_TYPE,
    WORKER_TYPE,
    WORKERS,
    amounts_of,
    fitting,
)
from solvers.completion.pool_bound import PoolOracle

__all__ = ["Timetable"]


class Timetable(ColumnTable):
    """What is free on every server in every slot, while jobs are put in and taken out.

    It grows as needed. The oracle knows the instance and the modes of its jobs.
    """

    def __init__(self, oracle: PoolOracle) -> None:
        self.cluster = oracle.instance.cluster
        self._modes = oracle.modes
        self._amounts = [amounts_of(modes, self.cluster) for modes in self._modes]
        self.shortest = np.array([modes[0, DURATION] for modes in self._modes], dtype=np.int64)
        self._full = usable(self.cluster.servers)
        self._free = np.repeat(self._full[None], self.cluster.slots, axis=0)
        self.columns = {}

    def insert(self, job: Job, total: np.ndarray, latest: int = sys.maxsize) -> Column | None:
        """Put a job where weighted completion and prices of what it uses are least.

        ``total`` are the :func:`~solvers.completion.pool_bound.sums` of prices that are the same
        on all servers. None if it fits nowhere so that it completes by ``latest``.
        """
        modes, first = self._modes[job.index], job.arrival
        # Look as far ahead as the job can complete that is cheaper than the best found, and twice
        # as far where nothing is found.
        reach = first + 2 * int(self.shortest[job.index]) + 16
        while True:
            reach = min(reach, max(latest, first))
            self._grow(reach)
            start, row, cost, workers, ps = _search(
                self._free[first:reach],
                modes,
                self._amounts[job.index],
                first,
                job.weight,
                total,
                self.cluster.worker_types,
                self.cluster.ps_types,
            )
            needed = latest if row < 0 else math.ceil(min(latest, cost / job.weight))
            if row >= 0 and needed > len(self._free):
                # Light jobs need not wait for longer than until nothing is held or has a price.
                ends = [column.completion for column in self.columns.values()]
                idle = max([first, len(total) - 1, *ends])
                needed = min(needed, idle + int(self.shortest[job.index]))
            if reach >= needed:
                break
            reach = 2 * reach - first if row < 0 else needed
        if row < 0:
            return None
        servers = np.flatnonzero((workers > 0) | (ps > 0))
        duration = int(modes[row, DURATION])
        column = Column(
            job=job.index,
            start=start,
            duration=duration,
            worker_type=int(modes[row, WORKER_TYPE]),
            ps_type=int(modes[row, PS_TYPE]),
            servers=servers,
            workers=workers[servers],
            ps=ps[servers],
            value=-job.weight * (start + duration),
        )
        self.put(column)
        return column

    def _take(self, column: Column, sign: int) -> None:
        self._grow(column.completion)
        amounts = sign * column.amounts(self.cluster)
        self._free[column.start : column.completion, column.servers] -= amounts

    def _clear(self) -> None:
        self._free[:] = self._full

    def _grow(self, slots: int) -> None:
        """Be at least so long; a quarter longer, so that this is rare."""
        if slots > len(self._free):
            more = np.repeat(self._full[None], slots + slots // 4 - len(self._free), axis=0)
            self._free = np.concatenate([self._free, more])


@njit(cache=True)
def _search(free, modes, amounts, first, weight, total, worker_types, ps_types):  # type: ignore
    """Start, mode (-1: none fits), cost and places of the cheapest way to run a job that fits.

    The first slot of ``free`` is the slot ``first``.
    """
    slots, servers, resources = free.shape
    types, priced = worker_types.shape[0], total.shape[0] - 1
    minima = window_minima(free)
    best, best_start, best_row = np.inf, -1, -1
    window, pooled = np.empty((servers, resources)), np.empty(resources)
    room = np.empty((types, servers), dtype=np.int64)
    known = np.zeros(types, dtype=np.bool_)
    workers, ps = np.zeros(servers, dtype=np.int64), np.zeros(servers, dtype=np.int64)
    trial, trial_ps = np.zeros(servers, dtype=np.int64), np.zeros(servers, dtype=np.int64)
    after = 0
    while after < modes.shape[0]:
        begin_row, length = after, modes[after, DURATION]
        while after < modes.shape[0] and modes[after, DURATION] == length:
            after += 1
        for start in range(slots - length + 1):
            completion = first + start + length
            if weight * completion >= best:
                break
            begin, stop = min(first + start, priced), min(completion, priced)
            looked = False
            for row in range(begin_row, after):
                cost = weight * completion
                for r in range(resources):
                    cost += amounts[row, r] * (total[stop, r] - total[begin, r])
                if cost >= best:
                    continue
                if not looked:
                    looked = True
                    known[:] = False
                    look(start, start + length, minima, window, window)
                    for r in range(resources):
                        pooled[r] = window[:, r].sum()
                if (amounts[row] > pooled).any():
                    continue
                m, number = modes[row, WORKER_TYPE], modes[row, WORKERS]
                if not known[m]:
                    known[m] = True
                    for h in range(servers):
                        room[m, h] = fitting(window[h], worker_types[m])
                if (room[m].max() if modes[row, INTERNAL] else room[m].sum()) < number:
                    continue
                if _place(window, room[m], modes[row], worker_types, ps_types, trial, trial_ps):
                    best, best_start, best_row = cost, first + start, row
                    workers[:], ps[:] = trial, trial_ps
    return best_start, best_row, best, workers, ps


@njit(cache=True)
def _place(window, room, mode, worker_types, ps_types, workers, ps):  # type: ignore[no-untyped-def]
    """Place workers and PSs of one mode into what is free, full servers first; False if it fails.

    Fills in ``workers`` and ``ps``, the numbers on each server.
    """
    servers, demand, number = window.shape[0], worker_types[mode[WORKER_TYPE]], mode[WORKERS]
    workers[:], ps[:] = 0, 0
    held = np.zeros(window.shape[1])
    if mode[PS] > 0:
        held[:] = mode[PS] * ps_types[mode[PS_TYPE]]
    chosen, tightest, most = -1, np.inf, -1
    if mode[INTERNAL]:
        need = number * demand + held
        for h in range(servers):
            if room[h] >= number and (need <= window[h]).all():
                left = _left_over(window[h], need)
                if left < tightest:
                    chosen, tightest = h, left
        if chosen >= 0:
            workers[chosen], ps[chosen] = number, mode[PS]
        return chosen >= 0
    rest = number
    if mode[PS] > 0:
        everywhere = room.sum()
        for h in range(servers):
            if room[h] < mode[FORCED] or not (held <= window[h]).all():
                continue
            near = min(number - 1, fitting(window[h] - held, demand))
            if near < max(most, mode[FORCED]) or everywhere - room[h] + near < number:
                continue
            left = _left_over(window[h], held + near * demand)
            if near > most or left < tightest:
                chosen, most, tightest = h, near, left
        if chosen < 0:
            return False
        workers[chosen], ps[chosen] = most, mode[PS]
        rest -= most
    for h in np.argsort(room, kind="mergesort"):
        if h != chosen:
            take = min(room[h], rest if chosen >= 0 else min(rest, number - 1))
            workers[h] += take
            rest -= take
    return rest == 0


@njit(cache=True)
def _left_over(window, need):  # type: ignore[no-untyped-def]
    """Share of what is free on a server that stays free, summed over the resources."""
    left = 0.0
    for r in range(window.shape[0]):
        if window[r] > 0.0:
            left += (window[r] - need[r]) / window[r]
    return left
