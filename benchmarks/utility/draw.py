"""Draws of jobs in batches (paper, Sec. V-A)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.utility.servers import BANDWIDTH

__all__ = [
    "FACTORS",
    "Jobs",
    "Ranges",
    "draw_demands",
    "draw_jobs",
    "draw_whole",
    "most_epochs",
    "take",
    "transfer_slots",
    "work_of",
]

Jobs = Mapping[str, np.ndarray]
"""Jobs drawn, of which some will be kept: columns with one entry per job.

``arrival``, ``chunks``, ``work``, ``requested`` are a, N, W and the number of workers that FIFO
asks for; ``worker`` and ``ps`` are demands, of shape (n, R). Where W is not given, there are its
``FACTORS``. ``source``, where there is one, is what a job stands for (e.g. a row of a trace), which
is used once. Jobs that are kept have ``n_max``, the most workers that they can run.
"""

FACTORS = ("epochs", "minibatches", "minibatch_slots", "gradient_mb")
"""E, M, tau (slots) and e (MB), as the instance file names them."""

Interval = tuple[float, float]
Ranges = Mapping[str, tuple[Interval, ...]]
"""Demands of a worker and of a parameter server, in the order of the resources, ends included."""

_SIMULATION: Ranges = {
    "worker": ((0, 4), (1, 10), (2, 32), (5, 10), (0.1, 5.0)),
    "ps": ((0, 0), (1, 10), (2, 32), (5, 10), (5.0, 20.0)),
}


def take(jobs: Jobs, rows: np.ndarray) -> Jobs:
    """Some of the jobs."""
    return {name: column[rows] for name, column in jobs.items()}


def draw_whole(rng: np.random.Generator, interval: Interval, count: int) -> np.ndarray:
    """Whole numbers, uniform, both ends included."""
    return rng.integers(int(interval[0]), int(interval[1]), size=count, endpoint=True)


def _real(rng: np.random.Generator, interval: Interval, count: int, digits: int) -> np.ndarray:
    return np.round(rng.uniform(*interval, size=count), digits)


def draw_demands(rng: np.random.Generator, count: int, ranges: Ranges) -> dict[str, np.ndarray]:
    """Uniform demands of ``count`` jobs.

    GPUs, vCPUs, memory and storage are whole numbers (they are sold so), bandwidths are rounded
    to 1 Mbps.
    """
    sides = {}
    for side, (*whole, gbps) in ranges.items():
        columns = [draw_whole(rng, interval, count) for interval in whole]
        columns.append(_real(rng, gbps, count, 3))
        sides[side] = np.column_stack(columns).astype(float)
    return sides


def transfer_slots(jobs: Jobs, slot_seconds: float) -> np.ndarray:
    """Slots ``2 e / b`` in which a worker sends and receives gradients; e in MB, b in Gbps."""
    return 16.0 * jobs["gradient_mb"] / (1000.0 * jobs["worker"][:, BANDWIDTH] * slot_seconds)


def work_of(jobs: Jobs, slot_seconds: float) -> np.ndarray:
    """Worker-slots ``W = ceil(E N M (tau + 2 e / b))``, (2)."""
    batches = jobs["epochs"] * jobs["chunks"] * jobs["minibatches"]
    work = batches * (jobs["minibatch_slots"] + transfer_slots(jobs, slot_seconds))
    return np.ceil(work * (1 - 1e-12)).astype(np.int64)


def most_epochs(jobs: Jobs, slot_seconds: float, most: np.ndarray) -> np.ndarray:
    """Largest E for which :func:`work_of` is at most ``most``, shape (n,)."""
    batch = jobs["minibatch_slots"] + transfer_slots(jobs, slot_seconds)
    epochs = np.floor(most / (jobs["chunks"] * jobs["minibatches"] * batch)).astype(np.int64) + 1
    for _ in range(2):  # one down from the next whole number, and one for round-off
        epochs -= work_of({**jobs, "epochs": epochs}, slot_seconds) > most
    return epochs


def draw_jobs(rng: np.random.Generator, arrival: np.ndarray, slot_seconds: float) -> Jobs:
    """Draw everything but the arrivals, in the paper's ranges."""
    count = len(arrival)
    jobs = {
        "arrival": arrival,
        **draw_demands(rng, count, _SIMULATION),
        "chunks": draw_whole(rng, (5, 100), count),
        "epochs": draw_whole(rng, (50, 200), count),
        "minibatches": draw_whole(rng, (10, 100), count),
        "minibatch_slots": _real(rng, (0.001, 0.1), count, 6),
        "gradient_mb": _real(rng, (30.0, 575.0), count, 1),
        # Of FIFO and RRH, before it is capped by what can run.
        "requested": draw_whole(rng, (1, 30), count),
    }
    return {**jobs, "work": work_of(jobs, slot_seconds)}
