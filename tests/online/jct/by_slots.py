"""A_online once more, slot by slot and without cleverness: the reference of its tests."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from models.jct import JctInstance


@dataclass
class Pending:
    """One chunk at a worker."""

    rate: float
    rank: int
    chunk: int
    ready: int
    left: int
    weight: Fraction

    @property
    def key(self) -> tuple[float, int, int]:
        return (-self.rate, self.rank, self.chunk)


def run_slot(queue: list[Pending], slot: int) -> Pending | None:
    """Train the first chunk that is there and not done for one slot."""
    for item in sorted(queue, key=lambda item: item.key):
        if item.left and item.ready <= slot:
            item.left -= 1
            return item
    return None


def price(queue: list[Pending], job, now: int, delay: int) -> Fraction:
    """Q of (5), by running a copy of the queue slot by slot."""
    copy = [Pending(**vars(item)) for item in queue]
    for slot in range(now, now + delay):
        run_slot(copy, slot)
    d, p = job.chunks, job.chunk_slots
    wait = sum(item.left for item in copy if item.rate >= job.rate)
    delayed = sum((item.weight for item in copy if item.left and item.rate < job.rate), Fraction(0))
    return Fraction(delay + wait + p, d) + p * delayed


def a_online_by_slots(ins: JctInstance) -> tuple[list[int], Fraction]:
    """JCT of every job, in the order of the file, and the sum of alpha; no storage limits."""
    cluster = ins.cluster
    order = sorted(ins.jobs, key=lambda job: (job.arrival, job.index))
    queues: list[list[Pending]] = [[] for _ in cluster.worker_server]
    ends = [[0] * job.chunks for job in ins.jobs]
    alphas = Fraction(0)
    for slot in range(cluster.slots):
        for rank, job in enumerate(order):
            if job.arrival != slot:
                continue
            d = job.chunks
            for chunk in range(d):
                options = [
                    (price(queues[w], job, slot, job.upload_to(int(cluster.worker_server[w]))), w)
                    for w in job.eligible(cluster).tolist()
                ]
                if job.cloud_upload_slots is not None:
                    p = job.chunk_slots if chunk else job.cloud_chunk_slots
                    far = slot + job.cloud_upload_slots + p
                    options.append((Fraction(far - slot, d), len(queues)))
                best, w = min(options)
                if w == len(queues):
                    left = range(d) if chunk == 0 else [chunk]
                    for which in left:
                        ends[job.index][which] = far
                    alphas += best * len(left)
                    if chunk == 0:
                        break
                    continue
                alphas += best
                ready = slot + job.upload_to(int(cluster.worker_server[w]))
                queues[w].append(
                    Pending(job.rate, rank, chunk, ready, job.chunk_slots, Fraction(1, d))
                )
        for queue in queues:
            ran = run_slot(queue, slot)
            if ran is not None:
                ends[order[ran.rank].index][ran.chunk] = slot + 1
    return [max(ends[job.index]) - job.arrival for job in ins.jobs], alphas
