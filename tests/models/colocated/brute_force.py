"""The optimum of tiny `colocated` instances by enumeration.

Independent of formulations and oracle: every placement of every number of workers, with as few
parameter servers as the scorer accepts; rates by Fact 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from models.colocated import ColocatedInstance, Job
from models.tolerance import tolerant

_ROUND_OFF = 1 - 1e-9

State = tuple[int, int]  # external and internal worker-slots that a job has had


class Option(NamedTuple):
    """What a job may run in one slot."""

    internal: bool
    workers: tuple[int, ...]
    ps: tuple[int, ...]
    used: np.ndarray  # (H, R)

    def after(self, state: State) -> State:
        count = sum(self.workers)
        return state[0] + (not self.internal) * count, state[1] + self.internal * count


def options(job: Job, room: np.ndarray) -> list[Option]:
    """All there are on servers with so much room, shape (H, R); the first is to run nothing."""
    none = (0,) * len(room)
    found = [Option(False, none, none, np.zeros_like(room))]
    for count in range(1, job.max_workers + 1):
        needed = 1
        while count * _ROUND_OFF > job.gamma * needed:
            needed += 1
        for workers in spreads(count, len(room)):
            for ps in spreads(needed, len(room)):
                used = np.outer(workers, job.worker) + np.outer(ps, job.ps)
                if (used <= room).all():
                    internal = sum(w + s > 0 for w, s in zip(workers, ps, strict=True)) == 1
                    found.append(Option(internal, workers, ps, used))
    return found


def spreads(count: int, servers: int) -> Iterator[tuple[int, ...]]:
    every = product(range(count + 1), repeat=servers)
    return (spread for spread in every if sum(spread) == count)


def is_done(job: Job, state: State) -> bool:
    """(3), with both rates."""
    per_gbps = 16 * job.gradient_mb / 1000 / job.slot_seconds * job.gamma / job.max_workers
    external, internal = (
        job.sample_slots + per_gbps / gbps for gbps in (job.external_gbps, job.internal_gbps)
    )
    return state[0] / external + state[1] / internal >= job.samples * _ROUND_OFF


def optimum(ins: ColocatedInstance) -> float:
    """Greatest total utility of any schedule that the scorer accepts."""
    room, jobs = tolerant(ins.cluster.servers), ins.jobs
    ways = _together([options(job, room) for job in jobs], room)
    values = [job.values(ins.cluster.slots).tolist() for job in jobs]
    best: dict[tuple[State | None, ...], float] = {((0, 0),) * len(jobs): 0.0}
    for t in range(ins.cluster.slots):
        after: dict[tuple[State | None, ...], float] = {}
        for states, value in best.items():
            runs = [
                state is not None and job.arrival <= t
                for job, state in zip(jobs, states, strict=True)
            ]
            for way in ways:
                if any(count and not run for (_, count), run in zip(way, runs, strict=True)):
                    continue
                total, then = value, list(states)
                for i, (internal, count) in enumerate(way):
                    if count:
                        e, n = states[i]  # type: ignore[misc]
                        then[i] = (e, n + count) if internal else (e + count, n)
                        if is_done(jobs[i], then[i]):  # type: ignore[arg-type]
                            then[i] = None
                            total += values[i][t]
                key = tuple(then)
                after[key] = max(after.get(key, -1.0), total)
        best = after
    return max(best.values())


def _together(each: list[list[Option]], room: np.ndarray) -> list[tuple[tuple[bool, int], ...]]:
    """(Internal, number of workers) of all jobs in a slot, as far as they fit together."""
    found = set()

    def place(i: int, left: np.ndarray, way: tuple[tuple[bool, int], ...]) -> None:
        if i == len(each):
            found.add(way)
            return
        for option in each[i]:
            if (option.used <= left).all():
                run = option.internal, sum(option.workers)
                place(i + 1, left - option.used, (*way, run))

    place(0, room + 1e-12, ())
    return sorted(found)
