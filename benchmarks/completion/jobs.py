"""The jobs of an instance, drawn in batches in the ranges of Sec. 7."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.completion.servers import Types
from benchmarks.completion.settings import Settings
from benchmarks.workload.submissions import Submissions
from models.completion.files import JobRecord

__all__ = ["Jobs", "Speeds", "draw_jobs", "records", "take"]

Jobs = Mapping[str, np.ndarray]
"""Columns by the name of the file's key, with one row per job."""

# V100 against K80: log-uniform, with the median 4 and the 90 % quantile 8 of Gavel's models.
_V100 = (2.0, 8.0)


Speeds = np.ndarray | None
"""Iterations per second of models by type of GPU, shape (models, 3); None where there are none."""


def take(jobs: Jobs, rows: np.ndarray) -> Jobs:
    """Some of the jobs."""
    return {name: column[rows] for name, column in jobs.items()}


def draw_jobs(
    settings: Settings, types: Types, given: Submissions, speeds: Speeds, rng: np.random.Generator
) -> Jobs:
    """Draw one job for each submission.

    ``v`` is drawn for each job and worker type. Where the speeds of its GPU are known, it is drawn
    for the slowest type alone, and a worker trains in proportion to the speed of the model, drawn
    from the list, on its GPU, times its GPUs. Of EC2's types without a list, a V100 is 2 to 8
    times as fast as a K80, drawn log-uniformly. Where there are run times, v of a job is multiplied
    so that its mean over the types is GPUs x run time / (E D K), kept within the range of v: as
    many workers as GPUs then run about as long as the job of the trace.
    """
    count = len(given.arrival)

    def whole(interval: tuple[int, int]) -> np.ndarray:
        return rng.integers(*interval, size=count, endpoint=True)

    def real(interval: tuple[float, float], digits: int, *more: int) -> np.ndarray:
        return np.round(rng.uniform(*interval, size=(count, *more)), digits)

    jobs = {
        "arrival": given.arrival,
        "weight": np.maximum(real(settings.weight, 1), 0.1),
        "epochs": whole(settings.epochs),
        "chunks": whole(settings.chunks),
        "minibatches": whole(settings.minibatches),
        "gradient_mb": real(settings.gradient_mb, 1),
        "requested_workers": whole(settings.requested),
        "update_slots": real(settings.update_ms, 3, settings.ps_types),
    }
    low, high = settings.minibatch_slots
    slots = rng.uniform(low, high, size=(count, settings.kinds))
    if speeds is not None:
        models = speeds[rng.integers(len(speeds), size=count)]
        slots = _by_speed(slots, models[:, types.gpu] * types.workers[:, 0])
    elif settings.types == "ec2":
        low_log, high_log = np.log(_V100).tolist()
        faster = np.exp(rng.uniform(low_log, high_log, size=count))[:, None]
        slots = _by_speed(slots, np.where(types.gpu > 0, faster, 1.0) * types.workers[:, 0])
    if given.hours is not None and given.gpus is not None:
        work = jobs["epochs"] * jobs["chunks"] * jobs["minibatches"]
        told = given.gpus * given.hours * 3600.0 / settings.slot_seconds / work
        slots *= (np.clip(told, low, high) / slots.mean(axis=1))[:, None]
        jobs["requested_workers"] = given.gpus
    if given.weights is not None:
        jobs["weight"] = given.weights
    jobs["minibatch_slots"] = np.maximum(np.round(slots, 9), 1e-9)
    jobs["update_slots"] = np.round(jobs["update_slots"] / 1000.0 / settings.slot_seconds, 12)
    jobs["requested_workers"] = np.minimum(jobs["requested_workers"], jobs["chunks"])
    return jobs


def _by_speed(slots: np.ndarray, speed: np.ndarray) -> np.ndarray:
    """The drawn slots of the first type, as those of the slowest, and the others in proportion."""
    return slots[:, :1] * speed.min(axis=1, keepdims=True) / speed


def records(settings: Settings, jobs: Jobs, *, restricted: bool = False) -> list[JobRecord]:
    """Jobs as they stand in a file; restricted as two of the settings say."""
    known = dict(jobs)
    if settings.architecture == "allreduce":
        known["update_slots"] = known["update_slots"][:, 0]
    if restricted and settings.only_type is not None:
        known["minibatch_slots"] = known["minibatch_slots"][:, [settings.only_type]]
    if restricted and settings.most_workers is not None:
        chunks = np.minimum(known["chunks"], settings.most_workers)
        known["minibatches"] = -(-known["chunks"] * known["minibatches"] // chunks)
        known["requested_workers"] = np.minimum(known["requested_workers"], chunks)
        known["chunks"] = chunks
    columns = {name: column.tolist() for name, column in known.items()}
    width = len(str(len(jobs["arrival"]) - 1))
    return [
        JobRecord(id=f"job-{i:0{width}}", **dict(zip(columns, row, strict=True)))
        for i, row in enumerate(zip(*columns.values(), strict=True))
    ]
