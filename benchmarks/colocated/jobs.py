"""The machines and the jobs of an instance, drawn in batches, and which jobs can complete alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.colocated.settings import Settings
from benchmarks.traces import Trace
from benchmarks.workload.ec2 import EC2
from benchmarks.workload.lists import some_of
from benchmarks.workload.submissions import Submissions
from models.colocated.files import JobRecord
from models.sigmoid import Sigmoid

__all__ = ["RESOURCES", "Jobs", "can_complete", "draw_jobs", "machines", "records", "worker_slots"]

RESOURCES = ("gpu", "cpu", "memory_gb", "storage_gb")

# EC2's sizes with 8 GPUs. Storage is attached and no part of a size: one volume of 1,000 GB is more
# than the 64 workers of 10 GB that the vCPUs could hold, and never binds.
_SIZES = np.array([size[:3] for size in EC2.values() if size[0] == 8], dtype=float)
_STORAGE_GB = 1000.0

# Ends included, in the order of the resources: whole numbers, since they are sold so.
_WORKER = ((0, 4), (1, 10), (2, 32), (5, 10))
_PS = ((0, 0), (1, 10), (2, 32), (5, 10))

_TOLERANCE = 1e-9

Jobs = Mapping[str, np.ndarray]
"""Columns with one row per job, by the name of the file's key; ``priority``, ``decay``, ``target``
of the utility."""


def machines(
    settings: Settings, rng: np.random.Generator, trace: Trace | None
) -> tuple[np.ndarray, str]:
    """Capacities, shape (judged_on, R), and where the machines are from.

    EC2's two sizes with 8 GPUs are equally likely; nodes of a list are taken at most once.
    """
    count = settings.judged_on or settings.servers
    if trace is None or "nodes" not in trace.names:
        sizes, note = _SIZES[rng.integers(len(_SIZES), size=count)], "EC2's sizes with 8 GPUs"
    else:
        frame = trace.table("nodes").frame
        frame = frame[frame["gpus"] > 0]
        chosen = some_of(frame, count, "nodes with GPUs", rng, trace.path)
        sizes = chosen[["gpus", "cpu", "memory_gib"]].to_numpy(dtype=float)
        note = f"{count} of {len(frame)} nodes of the list"
    return np.column_stack([sizes, np.full(count, _STORAGE_GB)]), f"machines: {note}"


def draw_jobs(settings: Settings, given: Submissions, rng: np.random.Generator) -> Jobs:
    """Draw one job for each submission.

    Where there are run times, K is such that as many workers as GPUs, external, run as long.
    """
    count = len(given.arrival)

    def whole(interval: tuple[int, int]) -> np.ndarray:
        return rng.integers(*interval, size=count, endpoint=True)

    def real(interval: tuple[float, float], digits: int) -> np.ndarray:
        return np.round(rng.uniform(*interval, size=count), digits)

    external = np.maximum(real(settings.external_gbps, 3), 1e-3)
    jobs = {
        "arrival": given.arrival,
        "epochs": whole(settings.epochs),
        "samples": whole(settings.samples),
        "gradient_mb": real(settings.gradient_mb, 1),
        "sample_slots": np.maximum(real(settings.sample_slots, 9), 1e-9),
        "gamma": whole(settings.gamma),
        "max_workers": whole(settings.max_workers),
        "worker": np.column_stack([whole(interval) for interval in _WORKER]).astype(float),
        "ps": np.column_stack([whole(interval) for interval in _PS]).astype(float),
        "external_gbps": external,
        "internal_gbps": np.round(external * settings.internal_times, 6),
        "requested_workers": whole(settings.requested),
        "priority": real(settings.priority, 3),
        "decay": real(settings.decay, 4),
        "target": whole(settings.target),
    }
    if given.hours is not None and given.gpus is not None:
        slots = given.gpus * given.hours * 3600.0 / settings.slot_seconds
        per_epoch = jobs["epochs"] * _slots_of_sample(jobs, settings.slot_seconds)
        jobs["samples"] = np.maximum(np.rint(slots / per_epoch), 1).astype(np.int64)
        jobs["requested_workers"] = given.gpus
    if given.weights is not None:
        jobs["priority"] = given.weights
    jobs["requested_workers"] = np.minimum(jobs["requested_workers"], jobs["max_workers"])
    return jobs


def _slots_of_sample(jobs: Jobs, slot_seconds: float) -> np.ndarray:
    """Slots for each sample and external worker, ``tau + (gamma / F) (2 g / b_ext)``; MB, Gbps."""
    transfer = 16.0 * jobs["gradient_mb"] / (1000.0 * jobs["external_gbps"] * slot_seconds)
    seconds: np.ndarray = jobs["sample_slots"] + jobs["gamma"] / jobs["max_workers"] * transfer
    return seconds


def worker_slots(jobs: Jobs, slot_seconds: float) -> np.ndarray:
    """External worker-slots that train all samples."""
    slots: np.ndarray = jobs["epochs"] * jobs["samples"]
    return slots * _slots_of_sample(jobs, slot_seconds)


def _room(jobs: Jobs, servers: np.ndarray) -> np.ndarray:
    """Most workers of each job that each machine holds with parameter servers of their own."""
    worker, ps, gamma = jobs["worker"][:, None], jobs["ps"][:, None], jobs["gamma"][:, None]
    have = servers[None] * (1.0 + _TOLERANCE)
    need = worker + ps / gamma[..., None]
    copies = np.divide(
        have, need, out=np.full(np.broadcast(have, need).shape, np.inf), where=need > 0
    )
    most = np.minimum(np.floor(copies.min(axis=2)), jobs["max_workers"][:, None])
    while True:
        held = most[..., None] * worker + np.ceil(most / gamma)[..., None] * ps
        over = (held > have).any(axis=2)
        if not over.any():
            return most.astype(np.int64)
        most = most - over


def can_complete(jobs: Jobs, servers: np.ndarray, factor: float, settings: Settings) -> np.ndarray:
    """Whether each job, with so many times its samples, completes by T alone on the machines.

    It is judged as if all were external, so that the jobs do not depend on ``internal_times``, and
    with parameter servers beside the workers, so that one that could just complete may be refused.
    """
    kinds, number = np.unique(servers, axis=0, return_counts=True)
    spread = np.minimum(_room(jobs, kinds) @ number, jobs["max_workers"])
    more = {**jobs, "samples": scaled(jobs["samples"], factor)}
    work = np.ceil(worker_slots(more, settings.slot_seconds) * (1.0 - _TOLERANCE))
    in_time: np.ndarray = work <= spread * (settings.slots - jobs["arrival"])
    return in_time


def scaled(samples: np.ndarray, factor: float) -> np.ndarray:
    """So many times the samples, at least one."""
    return np.maximum(np.rint(samples * factor), 1).astype(np.int64)


def records(jobs: Jobs, servers: np.ndarray, factor: float) -> list[JobRecord]:
    """Jobs as they stand in a file, with so many times the samples that were drawn."""
    spread = np.minimum(_room(jobs, servers).sum(axis=1), jobs["max_workers"])
    requested = np.minimum(jobs["requested_workers"], np.maximum(spread, 1))
    known = {**jobs, "samples": scaled(jobs["samples"], factor), "requested_workers": requested}
    sigmoid = [known.pop(name).tolist() for name in ("priority", "decay", "target")]
    columns = {name: column.tolist() for name, column in known.items()}
    width = len(str(len(jobs["arrival"]) - 1))
    return [
        JobRecord(
            id=f"job-{i:0{width}}",
            utility=Sigmoid(priority=one, decay=two, target=float(three)),
            **dict(zip(columns, row, strict=True)),
        )
        for i, (one, two, three, *row) in enumerate(zip(*sigmoid, *columns.values(), strict=True))
    ]
