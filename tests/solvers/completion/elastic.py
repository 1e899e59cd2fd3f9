"""The best elastic schedule of a tiny instance, by going through all of them slot by slot."""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np

from models.completion import CompletionInstance, Job
from models.tolerance import tolerant
from tests.models.completion.brute_force import placements

Ways = list[tuple[float, np.ndarray]]


def elastic_optimum(ins: CompletionInstance) -> float:
    """Least weighted completion time where placements change from slot to slot, or pause."""
    ways = [by_types(ins, one) for one in ins.jobs]
    best = inf
    for chosen in product(*(each.values() for each in ways)):
        best = min(best, _best(ins, list(chosen), best))
    return best


def by_types(ins: CompletionInstance, one: Job) -> dict[tuple[int, int], Ways]:
    """For each pair of types: mini-batches of a slot and what it takes, for each placement."""
    found: dict[tuple[int, int], Ways] = {}
    cluster = ins.cluster
    for m, p, workers, ps in placements(ins, one):
        n = int(workers.sum())
        transfer = 16 * one.gradient_mb / 1000 / cluster.worker_types[m, cluster.bandwidth]
        transfer *= (np.count_nonzero(workers + ps) > 1) / cluster.slot_seconds
        part = (n - 1) / n if cluster.allreduce else 1.0
        exchange = one.update_slots[0 if cluster.allreduce else p] + transfer
        need = np.outer(workers, cluster.worker_types[m])
        if not cluster.allreduce:
            need = need + np.outer(ps, cluster.ps_types[p])
        found.setdefault((m, p), []).append((n / (one.minibatch_slots[m] + part * exchange), need))
    return found


def _best(ins: CompletionInstance, ways: list[Ways], limit: float) -> float:
    """Breadth first over slots; states are the work left of every job."""
    room = tolerant(ins.cluster.servers)
    nothing = (0.0, np.zeros_like(room))
    states = {tuple(float(one.work) for one in ins.jobs): 0.0}
    best, slot = limit, 0
    while states:
        later: dict[tuple[float, ...], float] = {}
        for left, cost in states.items():
            open_jobs = [
                ways[j] if rest > 0 and one.arrival <= slot else []
                for j, (one, rest) in enumerate(zip(ins.jobs, left, strict=True))
            ]
            for choice in product(*([*each, nothing] for each in open_jobs)):
                if (sum(need for _, need in choice) > room).any():
                    continue
                after, total = [], cost
                for one, rest, (done, _) in zip(ins.jobs, left, choice, strict=True):
                    rest_after = rest - done
                    if rest_after <= one.work * 1e-9:
                        rest_after = 0.0
                    if rest > 0 and rest_after == 0.0:
                        total += one.weight * (slot + 1)
                    after.append(round(rest_after, 9))
                to_come = sum(
                    one.weight * (max(slot + 1, one.arrival) + 1)
                    for one, rest in zip(ins.jobs, after, strict=True)
                    if rest > 0
                )
                if total + to_come >= best:
                    continue
                if not any(after):
                    best = total
                elif total < later.get(tuple(after), inf):
                    later[tuple(after)] = total
        states = later
        slot += 1
    return best
