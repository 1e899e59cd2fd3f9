"""The bound of prices and packing cuts of `utility`, recomputed in plain Python by brute force.

Nothing is shared with the code that it judges: the payoff of a job is sought over all totals per
slot, the right-hand side of a cut over all whole packings of each server.
"""

from __future__ import annotations

import math
from itertools import product

import msgspec

from models.utility import UtilityInstance
from models.utility.files import CertificateFile, CutRecord, JobRecord, LeafRecord

Allowed = tuple[range, tuple[range, ...]]
"""Deadlines of a job, and its numbers of workers in each slot."""


def roomy(capacity: float) -> float:
    """A capacity with all that the scorer lets pass, and a margin for round-off."""
    return (capacity + 1e-6 * max(1.0, capacity)) * (1.0 + 1e-8)


def fits(used: float, capacity: float) -> bool:
    """Up to the last bits of sums; the margin above is larger."""
    return used <= capacity * (1.0 + 1e-10)


def copies(demand: list[float], servers: list[list[float]], limit: int) -> int:
    """How many equal things fit on all servers together, ``limit`` on each at most."""
    return sum(
        max(
            n
            for n in range(limit + 1)
            if all(fits(n * need, room) for need, room in zip(demand, server, strict=True))
        )
        for server in servers
    )


def ps_needed(workers: int, b: float, big_b: float) -> int:
    """(6) as far as the scorer is concerned."""
    return next(
        m for m in range(workers + 1) if workers * b <= m * big_b + 1e-6 * max(1.0, m * big_b)
    )


def numbers_of(
    instance: UtilityInstance, index: int, room: dict[str, list]
) -> tuple[list[int], list[int]]:
    """Workers that a job may run in a slot, and the parameter servers that 0, 1, ... need."""
    job, bandwidth = instance.file.jobs[index], instance.cluster.bandwidth
    places = copies(job.worker, room["worker"], job.chunks)
    ps_places = copies(job.ps, room["ps"], job.chunks)
    ps = [ps_needed(n, job.worker[bandwidth], job.ps[bandwidth]) for n in range(job.chunks + 1)]
    most = min(job.chunks, places, instance.jobs[index].work)
    return [n for n in range(most + 1) if ps[n] <= ps_places], ps


def best_payoff(
    instance: UtilityInstance,
    index: int,
    prices: list[list[float]],
    room: dict[str, list],
    allowed: Allowed,
) -> float:
    """Largest value minus cost over all totals n(t) with W worker-slots.

    Where T is among the deadlines that are allowed, and 0 workers always, no less than 0.
    ``prices``: of one worker and of one parameter server of the job, by slot.
    """
    job, need, slots = instance.file.jobs[index], instance.jobs[index].work, instance.cluster.slots
    numbers, ps = numbers_of(instance, index, room)
    deadlines, workers = allowed
    best = 0.0 if slots in deadlines and all(0 in some for some in workers) else -math.inf
    if any(0 not in some for some in workers[: job.arrival]):
        return best
    for counts in product(numbers, repeat=slots - job.arrival):
        if sum(counts) != need:
            continue
        if any(n not in some for n, some in zip(counts, workers[job.arrival :], strict=True)):
            continue
        done = job.arrival + max(t for t, n in enumerate(counts) if n)
        deadline = next((d for d in deadlines if d >= done), slots)
        if deadline == slots:
            continue
        last = deadline - job.arrival
        exponent = job.utility.decay * (last - job.utility.target)
        cost = math.fsum(
            n * prices[0][job.arrival + t] + ps[n] * prices[1][job.arrival + t]
            for t, n in enumerate(counts)
        )
        best = max(best, job.utility.priority / (1 + math.exp(exponent)) - cost)
    return best


def most_worth(
    jobs: list[JobRecord],
    side: str,
    weights: dict[str, float],
    servers: list[list[float]],
    limits: dict[str, int],
) -> float:
    """Sum over the servers of the most valuable whole packing of each, within limits of jobs."""
    named = [one for one in jobs if weights.get(one.id, 0.0) > 0.0]
    demands = [one.worker if side == "worker" else one.ps for one in named]
    worths = [weights[one.id] for one in named]
    return math.fsum(
        max(
            math.fsum(n * worth for n, worth in zip(counts, worths, strict=True))
            for counts in product(*(range(limits[one.id] + 1) for one in named))
            if all(
                fits(sum(n * demand[r] for n, demand in zip(counts, demands, strict=True)), room)
                for r, room in enumerate(server)
            )
        )
        for server in servers
    )


def slow_bound(instance: UtilityInstance, file: CertificateFile) -> float:
    """The bound that a certificate's prices prove, with its tree, rounded up by 1e-9."""
    slots = instance.cluster.slots
    free = range(slots + 1), (range(1000),) * slots
    every = {job.id: free for job in instance.file.jobs}
    root = slow_leaf(instance, file.worker, file.ps, file.cuts, every)
    nodes = iter(file.tree)

    def part(allowed: dict[str, Allowed]) -> float:
        node = next(nodes)
        if isinstance(node, LeafRecord):
            cuts = [msgspec.structs.replace(file.cuts[k], price=price) for k, price in node.cuts]
            return slow_leaf(instance, node.worker, node.ps, cuts, allowed)
        deadlines, workers = allowed[node.job]
        if node.workers:
            before, some, after = workers[: node.slot], workers[node.slot], workers[node.slot + 1 :]
            parts = [
                (deadlines, (*before, these, *after))
                for these in (
                    range(node.workers, some.stop),
                    range(some.start, node.workers),
                )
            ]
        else:
            parts = [
                (range(deadlines.start, node.slot + 1), workers),
                (range(node.slot + 1, deadlines.stop), workers),
            ]
        return max([part({**allowed, node.job: left}) for left in parts])

    proven = min(root, max(0.0, part(every))) if file.tree else root
    assert next(nodes, None) is None
    return proven


def slow_leaf(
    instance: UtilityInstance,
    worker: list[list[float]],
    ps: list[list[float]],
    cuts: list[CutRecord],
    allowed: dict[str, Allowed],
) -> float:
    """What prices prove of the schedules with the deadlines and workers that are allowed."""
    given = instance.file
    room = {
        "worker": [[roomy(c) for c in server] for server in given.worker_servers],
        "ps": [[roomy(c) for c in server] for server in given.ps_servers],
    }
    terms = []
    for side, table in (("worker", worker), ("ps", ps)):
        for row in table:
            terms += [price * sum(s[r] for s in room[side]) for r, price in enumerate(row)]
    for cut in cuts:
        limits = {}
        for index, job in enumerate(given.jobs):
            numbers, needed = numbers_of(instance, index, room)
            n = min(max(numbers), allowed[job.id][1][cut.slot].stop - 1)
            limits[job.id] = min(job.chunks, needed[n] if cut.side == "ps" else n)
        worth = most_worth(given.jobs, cut.side, cut.weights, room[cut.side], limits)
        terms.append(cut.price * worth)
    for index, job in enumerate(given.jobs):
        prices = [
            [
                math.fsum(price * need for price, need in zip(row, demand, strict=True))
                + math.fsum(
                    cut.price * cut.weights.get(job.id, 0.0)
                    for cut in cuts
                    if (cut.side, cut.slot) == (side, t)
                )
                for t, row in enumerate(table)
            ]
            for side, table, demand in (("worker", worker, job.worker), ("ps", ps, job.ps))
        ]
        terms.append(best_payoff(instance, index, prices, room, allowed[job.id]))
    if -math.inf in terms:
        return -math.inf
    return math.fsum(terms) + 1e-9 * math.fsum(map(abs, terms))
