"""Good schedules: jobs put in one after the other, then some taken out and put in again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import product

import numpy as np

from models.jct.instance import JctInstance
from models.jct.schedule import JctSchedule
from solvers.jct.assembling import Runs
from solvers.jct.pool import Pool
from solvers.jct.relaxation import Relaxation
from solvers.jct.timetable import Placement, Timetable, horizon

__all__ = ["list_schedule", "orders", "placements"]

_WEIGHTS = (1.0, 0.0)
_MOST_OUT = 6  # jobs taken out at a time
_MOST_SLOTS = 2 * 10**7  # worker-slots that placements hold


def placements(instance: JctInstance, pool: Pool, schedule: JctSchedule) -> list[Placement] | None:
    """Placements of a schedule; None if it splits or moves a job in a way that lists do not.

    None, too, if its slots are too many for lists.
    """
    cluster = instance.cluster
    if np.diff(schedule.workers[:, 3:]).sum() > _MOST_SLOTS:
        return None
    runs: list[dict[int, list[np.ndarray]]] = [{} for _ in instance.jobs]
    if schedule.migration or (schedule.workers[:, 1] < 0)[~schedule.together[
        schedule.workers[:, 0]]].any():  # fmt: skip
        return None
    for j, server, unit, start, stop in schedule.workers.tolist():
        if server >= 0:
            w = int(cluster.first_worker[server]) + unit
            runs[j].setdefault(w, []).append(np.arange(start, stop))
    found = []
    for job, run in zip(instance.jobs, runs, strict=True):
        whole: Runs = {w: np.concatenate(parts) for w, parts in run.items()}
        jct = pool.jobs[job.index].cloud_jct
        if whole:
            if any(len(slots) % job.chunk_slots for slots in whole.values()):
                return None
            jct = 1 + max(int(slots[-1]) for slots in whole.values()) - job.arrival
        if jct is None:
            return None
        found.append(Placement(jct, whole))
    return found


def orders(pool: Pool, program: Relaxation | None) -> list[list[int]]:
    """Orders to try: by completion in the linear program, by work, by arrival."""
    jobs = pool.jobs
    everyone = range(len(jobs))
    found = [
        sorted(everyone, key=lambda j: (jobs[j].work, jobs[j].release)),
        sorted(everyone, key=lambda j: (jobs[j].release, jobs[j].work)),
    ]
    if program is not None:
        mean = program.mean_busy + [job.release + job.duration / 2 for job in jobs]
        found.insert(0, np.argsort(mean, kind="stable").tolist())
    return found


def list_schedule(
    instance: JctInstance,
    pool: Pool,
    prices: np.ndarray,
    orders: Sequence[Sequence[int]],
    rng: np.random.Generator,
    *,
    start: list[Placement] | None,
    iterations: int,
    deadline: float,
    target: int = 0,
) -> list[Placement] | None:
    """Best placements found.

    Parameters
    ----------
    instance, pool : JctInstance, Pool
    prices : ndarray, shape (types, H)
        Of the bound.
    orders : sequence of sequences of int
        Orders in which all jobs are put in.
    rng : Generator
    start : list of Placement, optional
        Feasible; the result is at least as good.
    iterations : int
        Rounds of the local search.
    deadline : float
        Of ``time.monotonic()``; the first order is tried all the same if there is no start.
    target : int
        A total JCT that cannot be beaten.

    Returns
    -------
    list of Placement or None
        None if no order, nor the start, puts all jobs before the horizon.
    """
    best = start
    ends = [job.arrival + found.jct for job, found in zip(instance.jobs, start or (), strict=False)]
    if max(ends, default=0) > horizon(instance):
        return start
    for number, (order, weight) in enumerate(product(orders, _WEIGHTS)):
        if (number or best is not None) and time.monotonic() > deadline:
            break
        placed = Timetable(instance, pool, prices).insert(order, weight)
        if placed is None:
            continue
        by_job = dict(zip(order, placed, strict=True))
        found = [by_job[j] for j in range(len(instance.jobs))]
        if best is None or _total(found) < _total(best):
            best = found
    if best is None or not best:
        return best
    return _improved(instance, pool, prices, rng, best, iterations, deadline, target)


def _total(placed: Sequence[Placement]) -> int:
    return sum(placement.jct for placement in placed)


def _improved(
    instance: JctInstance,
    pool: Pool,
    prices: np.ndarray,
    rng: np.random.Generator,
    placed: list[Placement],
    iterations: int,
    deadline: float,
    target: int,
) -> list[Placement]:
    """Take out a job and some that run at its time; put them in again in a random order."""
    count = len(placed)
    table = Timetable(instance, pool, prices)
    for j, placement in enumerate(placed):
        table.put(j, placement)
    placed, total = list(placed), _total(placed)
    release = np.array([job.arrival for job in instance.jobs])
    kind = np.array([job.worker_type for job in instance.jobs])
    for _ in range(iterations):
        if total <= target or time.monotonic() > deadline:
            break
        j = int(rng.integers(count))
        ends = release + np.array([placement.jct for placement in placed])
        meeting = (release < ends[j]) & (ends > release[j]) & (kind == kind[j])
        meeting[j] = False
        others = rng.permutation(np.flatnonzero(meeting))[: int(rng.integers(1, _MOST_OUT))]
        out = [j, *others.tolist()]
        rng.shuffle(out)
        before = [placed[i] for i in out]
        for i, placement in zip(out, before, strict=True):
            table.take_out(i, placement)
        after = table.insert(out, float(rng.choice(_WEIGHTS)))
        if after is None or _total(after) > _total(before):
            if after is not None:
                for i, placement in zip(out, after, strict=True):
                    table.take_out(i, placement)
            for i, placement in zip(out, before, strict=True):
                table.put(i, placement)
            continue
        total += _total(after) - _total(before)
        for i, placement in zip(out, after, strict=True):
            placed[i] = placement
    return placed
