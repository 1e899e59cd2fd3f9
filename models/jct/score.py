"""The scorer of the ``jct`` problem: constraints (2a)-(2k) and (7a)-(7d), one by one.

It judges every schedule, offline and online, and shares no code with what it judges. It reads
times as whole slots: a worker needs p slots for a chunk, ``p_c`` when ``zeta = 1``.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from models.instance import check_made_for
from models.jct.cluster import CLOUD
from models.jct.instance import JctInstance
from models.jct.schedule import JctSchedule
from models.jct.storage import storage_violations
from models.scoring import Score, Violation

__all__ = ["score"]


def score(instance: JctInstance, schedule: JctSchedule) -> Score:
    """Total JCT and every violation.

    =====  =======================================================================================
    (2b)   Without migration every chunk is trained on one worker: the numbers of whole chunks
           that the workers train add up to D. With it, p D worker-slots in all are enough, but
           chunks move between edge workers only: those of the cloud train whole ones.
    (2g)   ``zeta = 1`` where all workers and parameter servers of a job are in the cloud,
    (2h)   and 0 where not.
    (2i)   For workers only; else no parameter server of the cloud could serve before its delay.
    (2j)   The completion is read from y; the JCT of a job whose last slot is t is t + 1 - r.
    (2k)   No worker or parameter server has a job twice in a slot.
    (7a)   Holds of itself: a chunk is stored where it is trained,
    (7c)   from the arrival to the completion of the job, (7d), so it cannot move: workers that
           train parts of more than D chunks break (7c). With migration, a job stores on a server
           as many chunks as it trains there at once, from its first slot there on.
    =====  =======================================================================================

    Parameters
    ----------
    instance : JctInstance
    schedule : JctSchedule
        Must belong to the instance; says whether chunks may migrate, and whether it is judged at
        the offline speed or at that of ``instance.online``.

    Returns
    -------
    Score
        ``value`` is the JCT in slots, 0 of jobs that do not complete.

    Raises
    ------
    InputError
        If the schedule belongs to another instance.
    """
    check_made_for(instance, schedule.instance_hash, "schedule")
    instance = schedule.at_its_speed(instance)
    last = np.full(len(instance.jobs), -1, dtype=np.int64)
    np.maximum.at(last, schedule.workers[:, 0], schedule.workers[:, 4] - 1)
    incomplete = dict(_constraint_2b(instance, schedule))
    violations = [
        *_constraint_2a(instance, schedule),
        *incomplete.values(),
        *_per_job(instance, schedule),
        *_overlaps(instance, schedule.workers, "(2d)", "worker"),
        *_overlaps(instance, schedule.ps, "(2f)", "parameter server"),
        *_constraint_2gh(instance, schedule),
        *_constraint_2i(instance, schedule),
        *storage_violations(instance, schedule, last),
    ]
    completion = last.copy()
    completion[list(incomplete)] = -1
    arrival = np.array([job.arrival for job in instance.jobs], dtype=np.int64)
    value = np.where(completion >= 0, completion + 1 - arrival, 0).astype(float)
    return Score(float(value.sum()), tuple(violations), completion, value)


def _named(server: int, unit: int, what: str = "worker") -> str:
    return f"{what} {unit} of " + ("the cloud" if server == CLOUD else f"server {server}")


def _site(server: int) -> int | None:
    return None if server == CLOUD else server


def _constraint_2a(instance: JctInstance, schedule: JctSchedule) -> Iterator[Violation]:
    cluster = instance.cluster
    wanted = np.array([job.worker_type for job in instance.jobs], dtype=np.int64)
    rows = schedule.workers[schedule.workers[:, 1] != CLOUD]
    has = cluster.worker_type[cluster.first_worker[rows[:, 1]] + rows[:, 2]]
    for j, server, unit, start, _ in rows[has != wanted[rows[:, 0]]].tolist():
        job = instance.jobs[j]
        kind = cluster.worker_types[cluster.worker_type[cluster.first_worker[server] + unit]]
        message = (
            f"job '{job.id}' runs on {_named(server, unit)} from slot {start} on, whose type is "
            f"'{kind}'"
        )
        yield Violation("(2a)", message, job.id, start, server)


def _constraint_2b(instance: JctInstance, schedule: JctSchedule) -> Iterator[tuple[int, Violation]]:
    slots, rows, busy = instance.cluster.slots, schedule.workers, schedule.busy
    cut = set(rows[rows[:, 4] == slots, 0].tolist())
    first = np.searchsorted(busy[:, 0], np.arange(len(instance.jobs) + 1))
    for job, together in zip(instance.jobs, schedule.together.tolist(), strict=True):
        p = job.cloud_chunk_slots if together else job.chunk_slots
        units = busy[first[job.index] : first[job.index + 1], 1:]
        torn = units[units[:, 2] % p > 0]
        if schedule.migration:
            parts = torn[torn[:, 0] == CLOUD]
            if len(parts):
                server, unit, trained = parts[0].tolist()
                message = (
                    f"{_named(server, unit)} trains job '{job.id}' in {trained} slots, no "
                    f"whole chunks of {p}, which do not move to or from the cloud"
                )
                yield job.index, Violation("(2b)", message, job.id)
            elif (total := int(units[:, 2].sum())) < p * job.chunks:
                message = f"job '{job.id}' gets {total} of {p * job.chunks} worker-slots"
                yield job.index, Violation("(2b)", message, job.id)
        elif (done := int((units[:, 2] // p).sum())) < job.chunks:
            message = f"job '{job.id}' completes {done} of {job.chunks} chunks of {p} slots"
            if len(torn):
                server, unit, trained = torn[0].tolist()
                message += f"; {_named(server, unit)} trains it in {trained} slots"
            if job.index in cut:
                message += f", up to the horizon: more `slots` than {slots} may be enough"
            yield job.index, Violation("(2b)", message, job.id)


def _per_job(instance: JctInstance, schedule: JctSchedule) -> Iterator[Violation]:
    """(2c), and (2e) over the eligible parameter servers."""
    cluster = instance.cluster
    wanted = np.array([job.ps_type for job in instance.jobs], dtype=np.int64)
    rows = schedule.ps
    at_edge = rows[:, 1] != CLOUD
    eligible = ~at_edge
    places = cluster.first_ps[rows[at_edge, 1]] + rows[at_edge, 2]
    eligible[at_edge] = cluster.ps_type[places] == wanted[rows[at_edge, 0]]
    bounds = np.arange(len(instance.jobs) + 1)
    first = np.searchsorted(schedule.workers[:, 0], bounds)
    serving = rows[eligible]
    first_ps = np.searchsorted(serving[:, 0], bounds)
    for job in instance.jobs:
        j = job.index
        running = schedule.workers[first[j] : first[j + 1], 3:]
        served = serving[first_ps[j] : first_ps[j + 1], 3:]
        slots = np.unique(np.concatenate([running, served]))
        workers, ps = _counts(running, slots), _counts(served, slots)
        for place in _openings(workers > job.chunks):
            slot = int(slots[place])
            message = (
                f"job '{job.id}' runs {workers[place]} workers in slot {slot}, more than "
                f"D = {job.chunks}"
            )
            yield Violation("(2c)", message, job.id, slot)
        for place in _openings((workers > 0) & (ps != 1)):
            slot = int(slots[place])
            message = (
                f"job '{job.id}' runs in slot {slot} with {ps[place]} parameter servers of its "
                f"type, not one"
            )
            yield Violation("(2e)", message, job.id, slot)


def _counts(intervals: np.ndarray, slots: np.ndarray) -> np.ndarray:
    """Intervals [start, stop) that hold each of the slots."""
    starts, stops = np.sort(intervals[:, 0]), np.sort(intervals[:, 1])
    return np.searchsorted(starts, slots, "right") - np.searchsorted(stops, slots, "right")


def _openings(flags: np.ndarray) -> list[int]:
    """Where runs of True begin."""
    return np.flatnonzero(flags & ~np.append(False, flags[:-1])).tolist()


def _overlaps(
    instance: JctInstance, rows: np.ndarray, equation: str, what: str
) -> Iterator[Violation]:
    """(2d), (2f), and (2k): two jobs, or one job twice, on one unit."""
    at_edge = rows[rows[:, 1] != CLOUD]  # units of the cloud are the job's own
    for earlier, (j, server, unit, start, _) in _clashes(at_edge, 1):
        if earlier != j:
            first, second = instance.jobs[earlier].id, instance.jobs[j].id
            message = (
                f"{_named(server, unit, what)} has jobs '{first}' and '{second}' in slot {start}"
            )
            yield Violation(equation, message, second, start, server)
    for _, (j, server, unit, start, _) in _clashes(rows, 0):
        name = instance.jobs[j].id
        message = f"job '{name}' has {_named(server, unit, what)} twice in slot {start}"
        yield Violation("(2k)", message, name, start, _site(server))


def _clashes(rows: np.ndarray, first_key: int) -> Iterator[tuple[int, list[int]]]:
    """Rows that start before an earlier one with the same key stops, with the latter's job.

    The key are the columns from ``first_key`` to the unit; of several earlier rows, it is the
    one that stops last.
    """
    keys = rows[:, first_key:3]
    order = np.lexsort((rows[:, 3], *keys.T[::-1]))
    same = (keys[order[1:]] == keys[order[:-1]]).all(axis=1)
    if not (same & (rows[order[1:], 3] < rows[order[:-1], 4])).any():
        return  # a row that clashes with any before it makes two neighbours clash
    held: list[int] = []
    holder = until = -1
    for row in rows[order].tolist():
        key = row[first_key:3]
        if key == held and row[3] < until:
            yield holder, row
        if key != held or row[4] > until:
            held, holder, until = key, row[0], row[4]


def _constraint_2gh(instance: JctInstance, schedule: JctSchedule) -> Iterator[Violation]:
    runs = np.zeros(len(instance.jobs), dtype=bool)
    runs[schedule.workers[:, 0]] = True
    at_edge = np.zeros(len(instance.jobs), dtype=bool)
    for rows in (schedule.workers, schedule.ps):
        at_edge[rows[rows[:, 1] != CLOUD, 0]] = True
    for j in np.flatnonzero(runs & (schedule.together == at_edge)).tolist():
        job = instance.jobs[j]
        if at_edge[j]:
            message = f"job '{job.id}' has zeta = 1, but not all that it runs on is in the cloud"
            yield Violation("(2h)", message, job.id)
        else:
            message = f"job '{job.id}' has zeta = 0, but all that it runs on is in the cloud"
            yield Violation("(2g)", message, job.id)


def _constraint_2i(instance: JctInstance, schedule: JctSchedule) -> Iterator[Violation]:
    first = np.searchsorted(schedule.workers[:, 0], np.arange(len(instance.jobs) + 1))
    for job in instance.jobs:
        rows = schedule.workers[first[job.index] : first[job.index + 1]]
        # The cloud, -1, is the last place.
        ready = job.arrival + np.append(job.upload_slots, job.cloud_upload_slots or 0)[rows[:, 1]]
        late = rows[:, 3] < ready
        for (_, server, unit, start, _), slot in zip(
            rows[late].tolist(), ready[late].tolist(), strict=True
        ):
            message = (
                f"job '{job.id}' runs on {_named(server, unit)} in slot {start}, but its data are "
                f"there from slot {slot} on"
            )
            yield Violation("(2i)", message, job.id, start, _site(server))
