"""The optimum of tiny `utility` instances by trying everything: plain Python, nothing shared.

Written from the constraints of the paper alone, with the tolerance that the scorer has; no
formulation, oracle or kernel is used, so that it can judge them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from models.slot_column import Column
from models.utility import UtilityInstance

Placement = tuple[int, ...]  # workers or parameter servers on each server, in one slot


@dataclass(frozen=True)
class Plan:
    """One schedule of one job."""

    job: int
    completion: int
    value: float
    workers: tuple[Placement, ...]  # [T][H]
    ps: tuple[Placement, ...]  # [T][K]


def at_most(used: float, most: float) -> bool:
    """Whether a constraint holds as far as the scorer is concerned."""
    return used <= most + 1e-6 * max(1.0, most)


def fits(load: tuple[tuple[float, ...], ...], capacity: tuple[tuple[float, ...], ...]) -> bool:
    """Whether no server carries more than it can."""
    return all(
        at_most(used, most)
        for server, limits in zip(load, capacity, strict=True)
        for used, most in zip(server, limits, strict=True)
    )


def placements(count: int, servers: int) -> Iterator[Placement]:
    """All ways to put so many equal things on so many servers."""
    if servers == 1:
        yield (count,)
        return
    for first in range(count + 1):
        for rest in placements(count - first, servers - 1):
            yield (first, *rest)


def plans(instance: UtilityInstance, index: int) -> list[Plan]:
    """All schedules of one job that obey (2), (3), (6)-(10), (12), (13), fit alone, and waste
    nothing: exactly W worker-slots, and as few parameter servers as (6) allows.

    Leaving out workers beyond W, or parameter servers beyond (6), breaks no constraint and
    completes no later, so an optimum is among them.
    """
    job, cluster = instance.file.jobs[index], instance.cluster
    need = instance.jobs[index].work
    hosts, ps_hosts = len(instance.file.worker_servers), len(instance.file.ps_servers)
    b, big_b = job.worker[cluster.bandwidth], job.ps[cluster.bandwidth]

    def on(servers: list[list[float]], demand: list[float], count: int) -> list[Placement]:
        return [
            place
            for place in placements(count, len(servers))
            if all(
                at_most(place[s] * demand[r], servers[s][r])
                for s in range(len(servers))
                for r in range(len(demand))
            )
        ]

    options: list[list[tuple[Placement, Placement]]] = []  # by number of workers
    for n in range(min(job.chunks, need) + 1):
        m = next(m for m in range(n + 1) if at_most(n * b, m * big_b))  # (6), (7)
        options.append(
            list(
                product(
                    on(instance.file.worker_servers, job.worker, n),
                    on(instance.file.ps_servers, job.ps, m),
                )
            )
        )
    idle = ((0,) * hosts, (0,) * ps_hosts)
    found = []
    for counts in product(range(len(options)), repeat=cluster.slots - job.arrival):
        if sum(counts) != need:
            continue
        last = job.arrival + max(t for t, n in enumerate(counts) if n)
        exponent = job.utility.decay * (last - job.arrival - job.utility.target)
        value = job.utility.priority / (1 + math.exp(exponent))
        for chosen in product(*(options[n] for n in counts)):
            slots = [idle] * job.arrival + list(chosen)
            found.append(
                Plan(
                    job=index,
                    completion=last,
                    value=value,
                    workers=tuple(workers for workers, _ in slots),
                    ps=tuple(ps for _, ps in slots),
                )
            )
    return found


def optimum(instance: UtilityInstance) -> float:
    """Largest total utility of (1): every combination of one plan, or none, per job."""
    cluster = instance.cluster
    capacity = (
        tuple(map(tuple, instance.file.worker_servers)),
        tuple(map(tuple, instance.file.ps_servers)),
    )
    choices = [
        sorted(plans(instance, i), key=lambda plan: -plan.value) for i in range(len(instance.jobs))
    ]
    rest = [sum(plans_[0].value for plans_ in choices[i:] if plans_) for i in range(len(choices))]
    rest.append(0.0)  # no more than this can be won from job i on

    def add(load: Any, places: tuple[Placement, ...], demand: list[float]) -> Any:
        return tuple(
            tuple(
                tuple(used + count * need for used, need in zip(server, demand, strict=True))
                for server, count in zip(servers, place, strict=True)
            )
            for servers, place in zip(load, places, strict=True)
        )

    @cache
    def best(i: int, load: Any, ps_load: Any) -> float:
        if i == len(choices):
            return 0.0
        value = best(i + 1, load, ps_load)
        job = instance.file.jobs[i]
        for plan in choices[i]:
            if plan.value + rest[i + 1] <= value:
                break  # nor can the plans to come, worth no more, win more
            new, new_ps = add(load, plan.workers, job.worker), add(ps_load, plan.ps, job.ps)
            if all(fits(slot, capacity[0]) for slot in new) and all(
                fits(slot, capacity[1]) for slot in new_ps
            ):
                value = max(value, plan.value + best(i + 1, new, new_ps))
        return value

    resources = len(cluster.resources)
    empty = tuple(
        tuple(((0.0,) * resources,) * len(side) for _ in range(cluster.slots)) for side in capacity
    )
    return best(0, *empty)


def columns(instance: UtilityInstance) -> list[Column]:
    """All schedules of all jobs that `plans` enumerates, as columns of (14)."""

    def table(slots: tuple[Placement, ...]) -> np.ndarray:
        rows = [
            (t, s, count) for t, place in enumerate(slots) for s, count in enumerate(place) if count
        ]
        return np.array(rows, dtype=np.int64).reshape(-1, 3)

    return [
        Column(
            job=plan.job,
            completion=plan.completion,
            value=plan.value,
            workers=table(plan.workers),
            ps=table(plan.ps),
        )
        for i in range(len(instance.jobs))
        for plan in plans(instance, i)
    ]
