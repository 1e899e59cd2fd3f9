"""The jobs of an instance: models, times, types, upload delays and requests."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from benchmarks.jct.servers import Edge
from benchmarks.jct.settings import Settings
from benchmarks.workload import scaling
from benchmarks.workload.submissions import Submissions
from models.jct.checks import chunk_times, whole_slots
from models.jct.files import MOST_SLOTS, JobRecord
from models.jct.load import load_of

__all__ = ["MODELS", "draw_gpus", "draw_jobs", "long_enough", "scaled_to"]

# GPUs of the jobs of the Philly list, and how many jobs have as many.
_GPUS = np.array([1, 2, 4, 8, 12, 16, 24, 32, 64, 128])
_GPU_JOBS = np.array([76627, 1818, 1870, 1643, 7, 199, 7, 67, 6, 3])

_LONGEST = 5e8  # slots of a chunk after scaling, half of what an instance file may have


class Model(NamedTuple):
    """A row of Table II: dataset, D chunks of data, B mini-batches in each; and q, see below."""

    name: str
    dataset: str
    chunks: int
    minibatches: int
    gradient_mb: float


# q is not in Table II: four bytes for each parameter. Parameters: torchvision (ResNet-50/101
# 25.557 and 44.549, GoogLeNet 6.625 million), MXNet Gluon model zoo (AlexNet 61,100,840), LeNet-5
# 61,706; Inception-BN: file size of Inception v2 in the ONNX model zoo.
MODELS = (
    Model("ResNet-50", "CIFAR10", 27, 58, 102.2),
    Model("ResNet-101", "CIFAR10", 27, 58, 178.2),
    Model("GoogLeNet", "Caltech101", 115, 58, 26.5),
    Model("LeNet", "Caltech101", 115, 58, 0.247),
    Model("AlexNet", "ImageNet-12", 60, 58, 244.4),
    Model("Inception-BN", "ImageNet-12", 60, 58, 45.0),
)


def draw_gpus(count: int, rng: np.random.Generator) -> np.ndarray:
    """Numbers of GPUs by their frequency in the Philly list, int64, shape (count,)."""
    return rng.choice(_GPUS, size=count, p=_GPU_JOBS / _GPU_JOBS.sum())


def draw_jobs(
    settings: Settings, edge: Edge, given: Submissions, streams: list[np.random.Generator]
) -> tuple[list[JobRecord], tuple[str, ...]]:
    """Jobs in order of arrival, and notes on them.

    Every job trains a model of Table II, drawn uniformly, on workers and a parameter server of
    types drawn uniformly among those of the edge. Where the trace has run times, m is
    ``hours / (E B)``, kept within its range: a worker is then busy with a chunk for as long as a
    GPU was with the trace's job. There are six streams.
    """
    count, servers = settings.jobs, settings.servers
    model = [MODELS[place] for place in streams[0].integers(len(MODELS), size=count)]
    types = (edge.worker_types, edge.ps_types)
    worker, ps = (streams[1].integers(len(names), size=count) for names in types)
    epochs = streams[2].integers(*settings.epochs, size=count, endpoint=True)
    chunks = np.array([item.chunks for item in model])
    if settings.chunks is not None:
        chunks = streams[2].integers(*settings.chunks, size=count, endpoint=True)
    low, high = settings.range_of("minibatch_hours")
    notes: tuple[str, ...] = ()
    if given.hours is None:
        minibatch = _slots(streams[3].uniform(low, high, size=count), settings)
    else:
        batches = epochs * np.array([item.minibatches for item in model])
        minibatch = _slots(np.clip(given.hours / batches, low, high), settings)
        raised, cut = (int((minibatch == _slots(end, settings)).sum()) for end in (low, high))
        notes = (f"m raised to its range for {raised} and cut for {cut} of {count} jobs",)
    update = streams[3].uniform(*settings.update_ms, size=count) / 1000.0
    gradient = np.array([item.gradient_mb for item in model])
    if (span := settings.range_of("gradient_mb")) is not None:
        gradient = np.round(streams[3].uniform(span[0], span[1], size=count), 3)
    slow, fast = settings.range_of("bandwidth_mbps")
    bandwidth = streams[3].uniform(slow, fast, size=len(edge.worker_types)) / 1000.0
    chunk_gb = np.round(streams[3].uniform(*settings.chunk_gb, size=count), 3)
    assert given.gpus is not None  # drawn where no trace has them
    requested = {
        "gpus": np.minimum(given.gpus, chunks),
        "uniform": streams[4].integers(1, chunks, endpoint=True),
        "chunks": chunks,
    }[settings.requested]
    rows = count if settings.upload == "job" else 1
    near, far = settings.range_of("cloud_upload")
    cloud = streams[5].integers(near, far, size=rows, endpoint=True)
    edge_upload = streams[5].integers(*settings.edge_upload, size=(rows, servers), endpoint=True)
    width = len(str(count - 1))
    jobs = [
        JobRecord(
            id=f"job-{j:0{width}}",
            arrival=int(given.arrival[j]),
            chunks=int(chunks[j]),
            worker_type=edge.worker_types[worker[j]],
            ps_type=edge.ps_types[ps[j]],
            upload_slots=edge_upload[j % rows].tolist(),
            requested_workers=int(requested[j]),
            epochs=int(epochs[j]),
            minibatches=model[j].minibatches,
            minibatch_slots=float(minibatch[j]),
            update_slots=float(np.round(update[j] / settings.slot_seconds, 9)),
            gradient_mb=float(gradient[j]),
            bandwidth_gbps=float(np.round(bandwidth[worker[j]], 6)),
            cloud_upload_slots=int(cloud[j % rows]) if settings.cloud else None,
            chunk_gb=float(chunk_gb[j]),
        )
        for j in range(count)
    ]
    return jobs, notes


def _slots(hours: float | np.ndarray, settings: Settings) -> np.ndarray:
    return np.round(np.asarray(hours) * 3600.0 / settings.slot_seconds, 9)


def scaled_to(
    load: float, jobs: list[JobRecord], edge: Edge, slot_seconds: float
) -> list[JobRecord]:
    """Jobs whose chunks take so many times as long that an instance has a load.

    m, G and q of all jobs are multiplied by one factor, as if all models were so many times as
    large: with m alone transfers would stay, and with them the least load and what the edge is
    worth against the cloud. D stays, and with it how many workers a job can use: a chunk takes at
    least a slot, which few servers or slots may not have. Raises InputError then.
    """

    def at(factor: float) -> tuple[float, list[JobRecord]]:
        scaled = [_scaled(job, factor) for job in jobs]
        return load_of(scaled, edge.servers, slot_seconds), scaled

    longest = max(chunk_times(job, slot_seconds, "$.jobs", "workload")[0] for job in jobs)
    ends = (0.5 / longest, _LONGEST / longest)
    return scaling.scaled_to(load, at, ends, "slots", "jobs, slots, servers or chunks")


def _scaled(job: JobRecord, factor: float) -> JobRecord:
    names = ("minibatch_slots", "update_slots", "gradient_mb")
    return replace(job, **{name: round(factor * getattr(job, name), 12) for name in names})


def long_enough(jobs: list[JobRecord], settings: Settings) -> int:
    """A horizon in which every policy completes all jobs.

    Twice the time of all jobs one after the other, each with one worker, uploads included, if a
    file may have as many slots. Horizons cost nothing: policies and solvers skip idle slots.
    """
    alone = 0
    for place, job in enumerate(jobs):
        apart, _ = chunk_times(job, settings.slot_seconds, f"$.jobs[{place}]", "workload")
        longest = max(*job.upload_slots, job.cloud_upload_slots or 0)
        alone += longest + job.chunks * whole_slots(apart)
    return min(settings.slots + 2 * alone, MOST_SLOTS // sum(settings.speed))
