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


def price(queue: list[Pending], job, now: int, delay: int) -> tuple[Fraction, Fraction]:
    """Q of (5), by running a copy of the queue slot by slot; and what every chunk may be worth.

    The second has for each pending chunk the lesser of the wait and of the delay, whoever is first.
    """
    copy = [Pending(**vars(item)) for item in queue]
    for slot in range(now, now + delay):
        run_slot(copy, slot)
    d, p = job.chunks, job.chunk_slots
    wait = sum(item.left for item in copy if item.rate >= job.rate)
    delayed = sum((item.weight for item in copy if item.left and item.rate < job.rate), Fraction(0))
    least = sum((min(Fraction(c.left, d), p * c.weight) for c in copy if c.left), Fraction(0))
    return Fraction(delay + wait + p, d) + p * delayed, Fraction(delay + p, d) + least


@dataclass
class Replay:
    """JCT of every job, in the order of the file; the sum of alpha; and (6a).

    Of each job ``highest`` is its largest alpha, ``repaired`` the largest of the least second
    prices over all workers, ``allowed`` the least right-hand side, ``own`` that with p/D more.
    """

    jcts: list[int]
    alphas: Fraction
    highest: list[Fraction]
    repaired: list[Fraction]
    allowed: list[Fraction]
    own: list[Fraction]


def a_online_by_slots(ins: JctInstance) -> Replay:
    """A run without storage limits."""
    cluster = ins.cluster
    order = sorted(ins.jobs, key=lambda job: (job.arrival, job.index))
    queues: list[list[Pending]] = [[] for _ in cluster.worker_server]
    ends = [[0] * job.chunks for job in ins.jobs]
    alphas = Fraction(0)
    highest, repaired = ([Fraction(0)] * len(ins.jobs) for _ in range(2))
    beta: list[list[Fraction]] = [[] for _ in queues]
    for slot in range(cluster.slots):
        for rank, job in enumerate(order):
            if job.arrival != slot:
                continue
            d = job.chunks
            for chunk in range(d):
                priced = [
                    (price(queues[w], job, slot, job.upload_to(int(cluster.worker_server[w]))), w)
                    for w in job.eligible(cluster).tolist()
                ]
                options = [(q, w) for (q, _), w in priced]
                least = [second for (_, second), _ in priced]
                if job.cloud_upload_slots is not None:
                    p = job.chunk_slots if chunk else job.cloud_chunk_slots
                    far = slot + job.cloud_upload_slots + p
                    options.append((Fraction(far - slot, d), len(queues)))
                    least.append(Fraction(job.cloud_upload_slots + job.cloud_chunk_slots, d))
                best, w = min(options)
                highest[job.index] = max(highest[job.index], best)
                repaired[job.index] = max(repaired[job.index], min(least))
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
        for w, queue in enumerate(queues):
            beta[w].append(sum((item.weight for item in queue if item.left), Fraction(0)))
            ran = run_slot(queue, slot)
            if ran is not None:
                ends[order[ran.rank].index][ran.chunk] = slot + 1
    jcts = [max(ends[job.index]) - job.arrival for job in ins.jobs]
    allowed, own = zip(*(_allowed(ins, job, beta) for job in ins.jobs), strict=True)
    return Replay(jcts, alphas, highest, repaired, list(allowed), list(own))


def _allowed(ins: JctInstance, job, beta: list[list[Fraction]]) -> tuple[Fraction, Fraction]:
    """Least right-hand side of (6a) times p, and the same with the chunk's own weight."""
    d, p, server = job.chunks, job.chunk_slots, ins.cluster.worker_server
    edge = [
        Fraction(t - job.arrival, d) + p * beta[w][t]
        for w in job.eligible(ins.cluster).tolist()
        for t in range(job.arrival + job.upload_to(int(server[w])), ins.cluster.slots)
    ]
    both = [(right, right + Fraction(p, d)) for right in edge]
    if job.cloud_upload_slots is not None:
        far = job.cloud_upload_slots
        both.append((Fraction(far, d), Fraction(far + job.cloud_chunk_slots, d)))
    first, second = zip(*both, strict=True)
    return min(first), min(second)
