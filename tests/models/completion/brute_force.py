"""All schedules of the jobs of a tiny `completion` instance, and the best choice of them.

Independent of formulations and oracle: every number of workers, every placement of them, every set
of servers with parameter servers; the fewest slots and parameter servers by the scorer's equations.
"""

from __future__ import annotations

from itertools import combinations, product
from math import ceil

import numpy as np

from models.completion import CompletionInstance, Job
from models.completion.cluster import NO_TYPE
from models.completion.column import Column
from models.tolerance import tolerant

_ROUND_OFF = 1 - 1e-9


def columns(
    ins: CompletionInstance, *, deadline: int | None = None, end: int | None = None
) -> list[Column]:
    """Schedules of each job from its arrival on, worth ``-w c``, that complete by ``end``.

    With a deadline: from slot 0, worth w, that complete by it.
    """
    found: list[Column] = []
    last = deadline if deadline is not None else end
    assert last is not None
    for job in ins.jobs:
        for m, p, workers, ps in placements(ins, job):
            d = duration(ins, job, m, p, workers, ps)
            used = np.flatnonzero(workers + ps)
            for start in range(job.arrival if deadline is None else 0, last - d + 1):
                value = job.weight * (-(start + d) if deadline is None else 1.0)
                found.append(
                    Column(m, p, used, workers[used], ps[used], job.index, start, d, value)
                )
    return found


def placements(ins: CompletionInstance, job: Job):
    """(m, p, workers, PSs) of all placements that fit on the empty servers."""
    cluster = ins.cluster
    servers = len(cluster.servers)
    room = tolerant(cluster.servers)
    b, big_b = cluster.worker_types[:, cluster.bandwidth], cluster.ps_types[:, cluster.bandwidth]
    for m, p in product(range(len(b)), [NO_TYPE] if cluster.allreduce else range(len(big_b))):
        for spread in product(range(job.chunks + 1), repeat=servers):
            workers = np.array(spread, dtype=np.int64)
            if not 1 <= workers.sum() <= job.chunks:
                continue
            sets = [()] if cluster.allreduce else subsets(servers)
            for hosts in sets:
                ps = np.zeros(servers, dtype=np.int64)
                for h in hosts:
                    elsewhere = (workers.sum() - workers[h]) * b[m] / big_b[p]
                    ps[h] = max(1, ceil(elsewhere * _ROUND_OFF))
                used = np.outer(workers, cluster.worker_types[m])
                if hosts:
                    used = used + np.outer(ps, cluster.ps_types[p])
                if (used <= room).all():
                    yield m, p, workers, ps


def subsets(servers: int) -> list[tuple[int, ...]]:
    return [s for size in range(1, servers + 1) for s in combinations(range(servers), size)]


def duration(
    ins: CompletionInstance, job: Job, m: int, p: int, workers: np.ndarray, ps: np.ndarray
) -> int:
    n = int(workers.sum())
    transfer = 16 * job.gradient_mb / 1000 / ins.cluster.worker_types[m, ins.cluster.bandwidth]
    transfer *= (np.count_nonzero(workers + ps) > 1) / ins.cluster.slot_seconds
    part = (n - 1) / n if ins.cluster.allreduce else 1.0
    exchange = job.update_slots[0 if ins.cluster.allreduce else p] + transfer
    return max(1, ceil(job.work * (job.minibatch_slots[m] + part * exchange) / n * _ROUND_OFF))


def best_choice(
    ins: CompletionInstance, found: list[Column], *, all_jobs: bool
) -> tuple[float, list[Column]]:
    """Greatest value of one column per job, or at most one, by exhaustive search."""
    slots = max((column.completion for column in found), default=0)
    per_job: list[list[Column]] = [[] for _ in ins.jobs]
    for column in sorted(found, key=lambda one: -one.value):
        per_job[column.job].append(column)
    most = [each[0].value if each else -np.inf for each in per_job]
    if not all_jobs:
        most = [max(0.0, value) for value in most]
    room = tolerant(ins.cluster.servers)
    best: list = [-np.inf, []]

    def search(j: int, value: float, used: np.ndarray, chosen: list[Column]) -> None:
        if value + sum(most[j:]) <= best[0]:
            return
        if j == len(per_job):
            best[:] = [value, chosen]
            return
        for column in per_job[j]:
            if value + column.value + sum(most[j + 1 :]) <= best[0]:
                break
            amounts = column.amounts(ins.cluster)
            more = used.copy()
            more[column.start : column.completion, column.servers] += amounts
            if (more[column.start : column.completion] <= room).all():
                search(j + 1, value + column.value, more, [*chosen, column])
        if not all_jobs:
            search(j + 1, value, used, chosen)

    search(0, 0.0, np.zeros((slots, *room.shape)), [])
    return best[0], best[1]
