"""Draws of jobs in batches (paper, Sec. V-A)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from benchmarks.utility.servers import RESOURCES

__all__ = [
    "SIMULATION",
    "Candidates",
    "Ranges",
    "draw_candidates",
    "draw_demands",
    "draw_whole",
    "most_epochs",
    "work_of",
]

Interval = tuple[float, float]

_BANDWIDTH = RESOURCES.index("bandwidth_gbps")


@dataclass(frozen=True)
class Ranges:
    """Ranges, ends included, that jobs are drawn from uniformly; the defaults are the paper's.

    GPUs, vCPUs, memory and storage are whole numbers (they are sold so), bandwidths are
    rounded to 1 Mbps.

    Parameters
    ----------
    worker_gpus, vcpus, memory_gb, storage_gb, worker_gbps, ps_gbps : tuple of float
        Demands; those of vCPUs, memory and storage hold for a worker and for a parameter
        server, which asks for no GPU.
    epochs, chunks, minibatches : tuple of float
        E, N and M.
    minibatch_slots : tuple of float
        tau, in slots.
    gradient_mb : tuple of float
        e, in MB.
    requested_workers : tuple of float
        Fixed number of workers of FIFO and RRH, before it is capped by what can run.
    """

    worker_gpus: Interval = (0, 4)
    vcpus: Interval = (1, 10)
    memory_gb: Interval = (2, 32)
    storage_gb: Interval = (5, 10)
    worker_gbps: Interval = (0.1, 5.0)
    ps_gbps: Interval = (5.0, 20.0)
    epochs: Interval = (50, 200)
    chunks: Interval = (5, 100)
    minibatches: Interval = (10, 100)
    minibatch_slots: Interval = (0.001, 0.1)
    gradient_mb: Interval = (30.0, 575.0)
    requested_workers: Interval = (1, 30)


SIMULATION = Ranges()


@dataclass(frozen=True, eq=False)
class Candidates:
    """Jobs drawn, of which some will be kept; all arrays have one entry per job.

    Parameters
    ----------
    arrival, chunks, work, requested : ndarray of int64, shape (n,)
        a, N, W and the number of workers FIFO asks for.
    worker, ps : ndarray of float, shape (n, R)
        Demands.
    training : mapping of str to ndarray
        The factors of W as the instance file names them; empty where W is given.
    source : ndarray of int64, shape (n,), or None
        Row of the trace that each job stands for; a row is used once.
    """

    arrival: np.ndarray
    chunks: np.ndarray
    work: np.ndarray
    requested: np.ndarray
    worker: np.ndarray
    ps: np.ndarray
    training: Mapping[str, np.ndarray] = field(default_factory=dict)
    source: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.arrival)

    def take(self, rows: np.ndarray) -> Candidates:
        """Some of the jobs."""
        return Candidates(
            arrival=self.arrival[rows],
            chunks=self.chunks[rows],
            work=self.work[rows],
            requested=self.requested[rows],
            worker=self.worker[rows],
            ps=self.ps[rows],
            training={name: values[rows] for name, values in self.training.items()},
            source=None if self.source is None else self.source[rows],
        )


def draw_whole(rng: np.random.Generator, interval: Interval, count: int) -> np.ndarray:
    """Whole numbers, uniform, both ends included."""
    return rng.integers(int(interval[0]), int(interval[1]), size=count, endpoint=True)


def _real(rng: np.random.Generator, interval: Interval, count: int, digits: int) -> np.ndarray:
    return np.round(rng.uniform(*interval, size=count), digits)


def draw_demands(
    rng: np.random.Generator, count: int, ranges: Ranges
) -> tuple[np.ndarray, np.ndarray]:
    """Demands of a worker and of a parameter server, each of shape (count, R)."""
    sides = []
    for gpus, gbps in ((ranges.worker_gpus, ranges.worker_gbps), ((0, 0), ranges.ps_gbps)):
        whole = (gpus, ranges.vcpus, ranges.memory_gb, ranges.storage_gb)
        columns = [draw_whole(rng, interval, count) for interval in whole]
        columns.append(_real(rng, gbps, count, 3))
        sides.append(np.column_stack(columns).astype(float))
    return sides[0], sides[1]


def work_of(
    training: Mapping[str, np.ndarray], chunks: np.ndarray, b: np.ndarray, slot_seconds: float
) -> np.ndarray:
    """Worker-slots W = ceil(E N M (tau + 2 e / b)), (2); e in MB, b in Gbps, tau in slots."""
    transfer_slots = 16.0 * training["gradient_mb"] / (1000.0 * b * slot_seconds)
    batches = training["epochs"] * chunks * training["minibatches"]
    work = batches * (training["minibatch_slots"] + transfer_slots)
    return np.ceil(work * (1 - 1e-12)).astype(np.int64)


def most_epochs(
    training: Mapping[str, np.ndarray],
    chunks: np.ndarray,
    b: np.ndarray,
    slot_seconds: float,
    most: np.ndarray,
) -> np.ndarray:
    """Largest E for which :func:`work_of` is at most ``most``, shape (n,)."""
    transfer_slots = 16.0 * training["gradient_mb"] / (1000.0 * b * slot_seconds)
    epoch = chunks * training["minibatches"] * (training["minibatch_slots"] + transfer_slots)
    epochs = np.floor(most / epoch).astype(np.int64) + 1
    for _ in range(2):  # one down from the next whole number, and one for round-off
        epochs -= work_of({**training, "epochs": epochs}, chunks, b, slot_seconds) > most
    return epochs


def draw_candidates(
    rng: np.random.Generator, arrival: np.ndarray, slot_seconds: float, ranges: Ranges
) -> Candidates:
    """Draw everything but the arrivals."""
    count = len(arrival)
    worker, ps = draw_demands(rng, count, ranges)
    chunks = draw_whole(rng, ranges.chunks, count)
    training = {
        "epochs": draw_whole(rng, ranges.epochs, count),
        "minibatches": draw_whole(rng, ranges.minibatches, count),
        "minibatch_slots": _real(rng, ranges.minibatch_slots, count, 6),
        "gradient_mb": _real(rng, ranges.gradient_mb, count, 1),
    }
    return Candidates(
        arrival=arrival,
        chunks=chunks,
        work=work_of(training, chunks, worker[:, _BANDWIDTH], slot_seconds),
        requested=draw_whole(rng, ranges.requested_workers, count),
        worker=worker,
        ps=ps,
        training=training,
    )
