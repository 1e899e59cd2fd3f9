"""Random small instances of the `jct` problem, and their optima by exhaustive search."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import permutations, product

import numpy as np

from models.jct import Job
from models.jct.files import JctFile, JobRecord, ServerRecord
from models.jct.instance import JctInstance

__all__ = ["NO_SCHEDULE", "contended", "exhaustive", "least_jct", "small", "tiny"]

NO_SCHEDULE = 10**9


def contended(
    seed: int,
    *,
    jobs: int = 3,
    most_workers: int = 3,
    most_chunks: int = 3,
    most_slots: int = 4,
    slots: int = 60,
    storage: bool = True,
) -> JctInstance:
    """More work than two edge servers bear; two in three with a cloud, one in three with storage.

    Edge-only instances have a parameter server for each job, or (one in four) a single one; then
    a job's delays are the same on both servers.
    """
    rng = np.random.default_rng(seed)
    cloud = bool(rng.random() < 0.67)
    types = ["a", "b"] if rng.random() < 0.3 else ["a"]
    total = int(rng.integers(max(2, len(types)), most_workers + 1))
    kinds = [*types, *rng.choice(types, total - len(types)).tolist()]
    cut = int(rng.integers(1, total))
    limited = storage and rng.random() < 0.34
    one_ps = not cloud and bool(rng.random() < 0.25)
    records = []
    for j in range(jobs):
        p = int(rng.integers(1, most_slots + 1))
        chunks = int(rng.integers(1, most_chunks + 1))
        delays = rng.integers(0, 3, 2).tolist()
        records.append(
            JobRecord(
                id=f"j{j}",
                arrival=int(rng.integers(0, 4)),
                chunks=chunks,
                worker_type=str(rng.choice(types)),
                ps_type="ps",
                upload_slots=[int(rng.integers(0, 3))] * 2 if one_ps else delays,
                requested_workers=1,
                chunk_slots=p,
                cloud_chunk_slots=int(rng.integers(max(1, p - 1), p + 1)),
                cloud_upload_slots=int(rng.integers(3, 9)) if cloud else None,
                chunk_gb=1.0,
            )
        )
    room = float(max(rng.integers(most_chunks, 2 * most_chunks + 1), 1))
    ps = ["ps"] * (1 if one_ps else jobs)
    return JctInstance.from_file(
        JctFile(
            format="1",
            problem="jct",
            name=f"contended-{seed}",
            slots=slots,
            servers=[
                ServerRecord(kinds[:cut], ps, room if limited else None),
                ServerRecord(kinds[cut:], [], room if limited else None),
            ],
            cloud=cloud,
            jobs=records,
            seed=seed,
        )
    )


@cache
def tiny(seed: int) -> JctInstance:
    """Small enough for exhaustive search."""
    return contended(seed, most_slots=3)


@cache
def least_jct(seed: int) -> int:
    """Least total JCT of a tiny instance, or NO_SCHEDULE."""
    return exhaustive(tiny(seed))


def small(seed: int) -> JctInstance:
    """4 to 6 jobs on 2 to 4 workers."""
    return contended(seed, jobs=4 + seed % 3, most_workers=4, most_chunks=2, most_slots=3, slots=16)


def _placements(ins: JctInstance, job: Job) -> Iterator[tuple[tuple[int, ...], int]]:
    """All ways to put the chunks on workers and in the cloud: counts per worker, and there."""
    able = job.eligible(ins.cluster).tolist()
    for counts in product(range(job.chunks + 1), repeat=len(able)):
        left = job.chunks - sum(counts)
        if left < 0 or (left and not ins.cluster.cloud):
            continue
        row = [0] * len(ins.cluster.worker_type)
        for w, n in zip(able, counts, strict=True):
            row[w] = n
        yield tuple(row), left


def exhaustive(ins: JctInstance) -> int:
    """Least total JCT (or NO_SCHEDULE), over all placements and all orders of the jobs.

    Given the placement and the completions of an optimum, earliest deadline first on every
    worker meets them all: it is the rule that runs jobs by a fixed order, with preemption. With a
    single parameter server at the edge and equal delays, jobs share the slots like one machine,
    each in need of as many as its busiest worker, and the order again suffices.
    """
    cluster, jobs = ins.cluster, ins.jobs
    one_ps = not cluster.cloud and len(cluster.ps_server) < len(jobs)
    best = NO_SCHEDULE
    for places in product(*(list(_placements(ins, job)) for job in jobs)):
        for order in permutations(range(len(jobs))):
            done = _played(ins, places, order, one_ps)
            if max(done) > cluster.slots:
                continue
            total = sum(c - job.arrival for c, job in zip(done, jobs, strict=True))
            if total < best and _stored(ins, places, done):
                best = total
    return best


def _played(
    ins: JctInstance,
    places: tuple[tuple[tuple[int, ...], int], ...],
    order: tuple[int, ...],
    one_ps: bool,
) -> list[int]:
    """Slots after the completions, jobs having priority in the given order."""
    cluster = ins.cluster
    taken: set[tuple[int, int]] = set()
    served: set[int] = set()
    done = [0] * len(ins.jobs)
    for j in order:
        job, (counts, in_cloud) = ins.jobs[j], places[j]
        if in_cloud == job.chunks:
            done[j] = job.arrival + job.cloud_upload_slots + job.cloud_chunk_slots
            continue
        if in_cloud:
            done[j] = job.arrival + job.cloud_upload_slots + job.chunk_slots
        mine: set[int] = set()
        for w, count in enumerate(counts):
            t = job.arrival + int(job.upload_slots[cluster.worker_server[w]])
            left = count * job.chunk_slots
            while left:
                if (w, t) not in taken and not (one_ps and t in served):
                    taken.add((w, t))
                    mine.add(t)
                    left -= 1
                    done[j] = max(done[j], t + 1)
                t += 1
        served |= mine
    return done


def _stored(
    ins: JctInstance, places: tuple[tuple[tuple[int, ...], int], ...], done: list[int]
) -> bool:
    """Whether (7b) holds, storage being kept from arrival to completion."""
    cluster = ins.cluster
    if not cluster.has_storage_limits:
        return True
    held = np.zeros((cluster.servers, max(done)))
    for job, (counts, _), end in zip(ins.jobs, places, done, strict=True):
        for w, count in enumerate(counts):
            held[cluster.worker_server[w], job.arrival : end] += count * job.chunk_gb
    return bool((held <= cluster.storage_gb[:, None] + 1e-9).all())
