"""The bound of prices and packing cuts of `utility`, recomputed in plain Python by brute force.

Nothing is shared with the code that it judges: the payoff of a job is sought over all totals per
slot, the right-hand side of a cut over all whole packings of each server.
"""

from __future__ import annotations

import math
from itertools import product

from models.utility import UtilityInstance
from models.utility.files import CertificateFile, JobRecord


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


def best_payoff(
    instance: UtilityInstance, index: int, prices: list[list[float]], room: dict[str, list]
) -> float:
    """Largest value minus cost over all totals n(t) with at least W worker-slots, or 0.

    ``prices``: of one worker and of one parameter server of the job, by slot.
    """
    job, need, slots = instance.file.jobs[index], instance.jobs[index].work, instance.cluster.slots
    bandwidth = instance.cluster.bandwidth
    places = copies(job.worker, room["worker"], job.chunks)
    ps_places = copies(job.ps, room["ps"], job.chunks)
    ps = [ps_needed(n, job.worker[bandwidth], job.ps[bandwidth]) for n in range(job.chunks + 1)]
    numbers = [n for n in range(min(job.chunks, places) + 1) if ps[n] <= ps_places]
    best = 0.0
    for counts in product(numbers, repeat=slots - job.arrival):
        if sum(counts) < need:
            continue
        last = max(t for t, n in enumerate(counts) if n)
        exponent = job.utility.decay * (last - job.utility.target)
        cost = math.fsum(
            n * prices[0][job.arrival + t] + ps[n] * prices[1][job.arrival + t]
            for t, n in enumerate(counts)
        )
        best = max(best, job.utility.priority / (1 + math.exp(exponent)) - cost)
    return best


def most_worth(
    jobs: list[JobRecord], side: str, weights: dict[str, float], servers: list[list[float]]
) -> float:
    """Sum over the servers of the most valuable whole packing of each."""
    named = [one for one in jobs if weights.get(one.id, 0.0) > 0.0]
    demands = [one.worker if side == "worker" else one.ps for one in named]
    worths = [weights[one.id] for one in named]
    return math.fsum(
        max(
            math.fsum(n * worth for n, worth in zip(counts, worths, strict=True))
            for counts in product(*(range(one.chunks + 1) for one in named))
            if all(
                fits(sum(n * demand[r] for n, demand in zip(counts, demands, strict=True)), room)
                for r, room in enumerate(server)
            )
        )
        for server in servers
    )


def slow_bound(instance: UtilityInstance, file: CertificateFile) -> float:
    """The bound that a certificate's prices prove, rounded up by 1e-9."""
    given = instance.file
    room = {
        "worker": [[roomy(c) for c in server] for server in given.worker_servers],
        "ps": [[roomy(c) for c in server] for server in given.ps_servers],
    }
    terms = []
    for side, table in (("worker", file.worker), ("ps", file.ps)):
        for row in table:
            terms += [price * sum(s[r] for s in room[side]) for r, price in enumerate(row)]
    for cut in file.cuts:
        terms.append(cut.price * most_worth(given.jobs, cut.side, cut.weights, room[cut.side]))
    for index, job in enumerate(given.jobs):
        prices = [
            [
                math.fsum(price * need for price, need in zip(row, demand, strict=True))
                + math.fsum(
                    cut.price * cut.weights.get(job.id, 0.0)
                    for cut in file.cuts
                    if (cut.side, cut.slot) == (side, t)
                )
                for t, row in enumerate(table)
            ]
            for side, table, demand in (
                ("worker", file.worker, job.worker),
                ("ps", file.ps, job.ps),
            )
        ]
        terms.append(best_payoff(instance, index, prices, room))
    return math.fsum(terms) * (1.0 + 1e-9)
