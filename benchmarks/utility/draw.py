"""Draws of jobs in batches (paper, Sec. V-A)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.utility.servers import BANDWIDTH

__all__ = [
    "Candidates",
    "Demands",
    "draw_candidates",
    "draw_demands",
    "draw_whole",
    "most_epochs",
    "transfer_slots",
    "work_of",
]

Interval = tuple[float, float]


@dataclass(frozen=True)
class Demands:
    """Ranges, ends included, that demands are drawn from uniformly; the defaults are the paper's.

    GPUs, vCPUs, memory and storage are whole numbers (they are sold so), bandwidths are rounded
    to 1 Mbps. Those of vCPUs, memory and storage hold for a worker and for a parameter server,
    which asks for no GPU.
    """

    worker_gpus: Interval = (0, 4)
    vcpus: Interval = (1, 10)
    memory_gb: Interval = (2, 32)
    storage_gb: Interval = (5, 10)
    worker_gbps: Interval = (0.1, 5.0)
    ps_gbps: Interval = (5.0, 20.0)


# As the paper has them: E, N, M, tau (slots) and e (MB).
_EPOCHS, _CHUNKS, _MINIBATCHES = (50, 200), (5, 100), (10, 100)
_MINIBATCH_SLOTS, _GRADIENT_MB = (0.001, 0.1), (30.0, 575.0)
_REQUESTED = (1, 30)  # workers of FIFO and RRH, before they are capped by what can run


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
        What each job stands for, e.g. a row of a trace; it is used once.
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
        return _made([self], lambda arrays: arrays[0][rows])

    @staticmethod
    def join(parts: Sequence[Candidates]) -> Candidates:
        """The jobs of all parts."""
        return _made(parts, np.concatenate)


def _made(
    parts: Sequence[Candidates], make: Callable[[Sequence[np.ndarray]], np.ndarray]
) -> Candidates:
    """Jobs whose every array is made of those of the parts."""
    held: dict[str, list[Any]] = {name: [vars(p)[name] for p in parts] for name in vars(parts[0])}
    training = held.pop("training")
    made: dict[str, Any] = {name: None if v[0] is None else make(v) for name, v in held.items()}
    factors = {name: make([found[name] for found in training]) for name in training[0]}
    return Candidates(**made, training=factors)


def draw_whole(rng: np.random.Generator, interval: Interval, count: int) -> np.ndarray:
    """Whole numbers, uniform, both ends included."""
    return rng.integers(int(interval[0]), int(interval[1]), size=count, endpoint=True)


def _real(rng: np.random.Generator, interval: Interval, count: int, digits: int) -> np.ndarray:
    return np.round(rng.uniform(*interval, size=count), digits)


def draw_demands(
    rng: np.random.Generator, count: int, ranges: Demands
) -> tuple[np.ndarray, np.ndarray]:
    """Demands of a worker and of a parameter server, each of shape (count, R)."""
    sides = []
    for gpus, gbps in ((ranges.worker_gpus, ranges.worker_gbps), ((0, 0), ranges.ps_gbps)):
        whole = (gpus, ranges.vcpus, ranges.memory_gb, ranges.storage_gb)
        columns = [draw_whole(rng, interval, count) for interval in whole]
        columns.append(_real(rng, gbps, count, 3))
        sides.append(np.column_stack(columns).astype(float))
    return sides[0], sides[1]


def transfer_slots(
    training: Mapping[str, np.ndarray], b: np.ndarray, slot_seconds: float
) -> np.ndarray:
    """Slots ``2 e / b`` in which a worker sends and receives gradients; e in MB, b in Gbps."""
    return 16.0 * training["gradient_mb"] / (1000.0 * b * slot_seconds)


def work_of(
    training: Mapping[str, np.ndarray], chunks: np.ndarray, b: np.ndarray, slot_seconds: float
) -> np.ndarray:
    """Worker-slots ``W = ceil(E N M (tau + 2 e / b))``, (2)."""
    batches = training["epochs"] * chunks * training["minibatches"]
    work = batches * (training["minibatch_slots"] + transfer_slots(training, b, slot_seconds))
    return np.ceil(work * (1 - 1e-12)).astype(np.int64)


def most_epochs(
    training: Mapping[str, np.ndarray],
    chunks: np.ndarray,
    b: np.ndarray,
    slot_seconds: float,
    most: np.ndarray,
) -> np.ndarray:
    """Largest E for which :func:`work_of` is at most ``most``, shape (n,)."""
    batch_slots = training["minibatch_slots"] + transfer_slots(training, b, slot_seconds)
    epochs = np.floor(most / (chunks * training["minibatches"] * batch_slots)).astype(np.int64) + 1
    for _ in range(2):  # one down from the next whole number, and one for round-off
        epochs -= work_of({**training, "epochs": epochs}, chunks, b, slot_seconds) > most
    return epochs


def draw_candidates(
    rng: np.random.Generator, arrival: np.ndarray, slot_seconds: float
) -> Candidates:
    """Draw everything but the arrivals."""
    count = len(arrival)
    worker, ps = draw_demands(rng, count, Demands())
    chunks = draw_whole(rng, _CHUNKS, count)
    training = {
        "epochs": draw_whole(rng, _EPOCHS, count),
        "minibatches": draw_whole(rng, _MINIBATCHES, count),
        "minibatch_slots": _real(rng, _MINIBATCH_SLOTS, count, 6),
        "gradient_mb": _real(rng, _GRADIENT_MB, count, 1),
    }
    work = work_of(training, chunks, worker[:, BANDWIDTH], slot_seconds)
    requested = draw_whole(rng, _REQUESTED, count)
    return Candidates(arrival, chunks, work, requested, worker, ps, training)
