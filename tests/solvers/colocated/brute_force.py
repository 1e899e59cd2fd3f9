"""Every placement of a slot, and every choice of placements, tried."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from models.colocated import ColocatedInstance, Job
from tests.models.colocated.small import random_instance

Case = tuple[ColocatedInstance, np.ndarray, np.ndarray]


def random_case(seed: int, **sizes: int) -> Case:
    """A tiny instance with random prices and partly used servers."""
    rng = np.random.default_rng(seed)
    ins = random_instance(rng, **sizes)
    shape = ins.cluster.slots, *ins.cluster.servers.shape
    scale = 10.0 ** rng.uniform(-2, 1)
    price = rng.exponential(scale, shape) * rng.integers(0, 2, shape)
    return ins, price, ins.cluster.servers - rng.choice([0.0, 0.5, 1.0], shape)


def placements(job: Job, free: np.ndarray) -> Iterator[np.ndarray]:
    """Workers and parameter servers on each machine, shape (H, 2); enough PSs, as few as may be."""
    machines = []
    for room in free:
        pairs = itertools.product(range(job.max_workers + 1), range(2 * job.max_workers + 1))
        fits = [p for p in pairs if (p[0] * job.worker + p[1] * job.ps <= room + 1e-9).all()]
        machines.append(fits or [(0, 0)])
    for chosen in itertools.product(*machines):
        counts = np.array(chosen)
        workers, ps = counts.sum(axis=0)
        if 0 < workers <= job.max_workers and workers <= job.gamma * ps + 1e-9:
            if workers > job.gamma * (ps - 1) + 1e-9:
                yield counts


def cost_of(job: Job, price: np.ndarray, counts: np.ndarray) -> float:
    return float(counts[:, 0] @ price @ job.worker + counts[:, 1] @ price @ job.ps)


def cheapest(job: Job, price: np.ndarray, free: np.ndarray) -> dict[tuple[int, bool], float]:
    """Least cost of each number of workers, internal or anywhere."""
    best: dict[tuple[int, bool], float] = {}
    for counts in placements(job, free):
        cost, workers = cost_of(job, price, counts), int(counts[:, 0].sum())
        for key in {(workers, False), (workers, bool((counts.any(axis=1)).sum() == 1))}:
            best[key] = min(best.get(key, math.inf), cost)
    return best


def best_payoff(job: Job, prices: np.ndarray, free: np.ndarray, work: float) -> float:
    """Right-hand side of (11) over all schedules that do so many external worker-slots."""
    slots = len(prices)
    options = [[(0.0, 0.0)] for _ in range(job.arrival)]
    for t in range(job.arrival, slots):
        found = cheapest(job, prices[t], free[t])
        speeds = {True: job.speedup, False: 1.0}
        done = [(workers * speeds[inside], cost) for (workers, inside), cost in found.items()]
        options.append([(0.0, 0.0), *done])
    top = -math.inf
    for chosen in itertools.product(*options):
        if sum(done for done, _ in chosen) >= work * (1.0 - 1e-10):
            last = max(t for t, (done, _) in enumerate(chosen) if done > 0.0)
            cost = sum(cost for _, cost in chosen)
            top = max(top, float(job.utility(last - job.arrival)) - cost)
    return top
