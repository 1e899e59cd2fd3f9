"""The workloads of ``jct``: Sec. V-A of the paper, synthetic, or with parts of real traces.

What the paper leaves open, and what is chosen here: docs/jct.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import UNSET

from benchmarks.jct.jobs import draw_jobs, long_enough, scaled_to
from benchmarks.jct.servers import draw_edge
from benchmarks.jct.settings import PRESETS, Settings
from benchmarks.jct.traces import submissions
from benchmarks.traces import Trace
from benchmarks.workload.report import WorkloadReport
from benchmarks.workload.submissions import origin_of, source_of
from models.jct import JctInstance
from models.jct.files import JctFile

__all__ = ["generate"]


def _report(instance: JctInstance, notes: tuple[str, ...]) -> WorkloadReport:
    cluster, jobs = instance.cluster, instance.jobs
    types = max(1, len(cluster.worker_types))
    fields: dict[str, Any] = {
        "workers of a server": np.diff(cluster.first_worker),
        "parameter servers of a server": np.diff(cluster.first_ps),
        "workers of a type": np.bincount(cluster.worker_type, minlength=types),
        "arrival": [job.arrival for job in jobs],
        "chunks": [job.chunks for job in jobs],
        "slots of a chunk": [job.chunk_slots for job in jobs],
        "the same all in the cloud": [job.cloud_chunk_slots for job in jobs],
        "requested workers": [job.requested_workers for job in jobs],
        "worker-slots of a job": [job.chunks * job.chunk_slots for job in jobs],
    }
    edge = f"{len(cluster.worker_server)} workers and {len(cluster.ps_server)} parameter servers"
    return WorkloadReport.of(instance, fields, notes=notes, counts=(f"{edge} at the edge",))


def generate(
    settings: Settings, rng: np.random.Generator, trace: Trace | None = None
) -> tuple[JctInstance, WorkloadReport]:
    """Draw an instance; what a trace has is taken from it, the rest is drawn.

    See :class:`benchmarks.workload.contract.Workload`. Raises InputError if the trace is of no use
    or too small, the arrival pattern is unknown, the jobs cannot have the load asked for, or,
    without a cloud, one can be served by nothing.
    """
    # Each part has streams of its own, so that a change in one (other servers, other arrivals)
    # leaves the others as they are.
    streams = rng.spawn(12)
    edge = draw_edge(settings, streams[:4], trace)
    given, notes = submissions(settings, streams[4:6], trace)
    jobs, told = draw_jobs(settings, edge, given, streams[6:])
    if settings.load is not None:
        jobs = scaled_to(settings.load, jobs, edge, settings.slot_seconds)
    notes = (edge.note, *notes, *told)
    instance = JctInstance.from_file(
        JctFile(
            format="1",
            problem="jct",
            name=_name(settings, trace),
            slots=long_enough(jobs, settings),
            servers=edge.servers,
            cloud=settings.cloud,
            jobs=jobs,
            slot_seconds=settings.slot_seconds,
            seed=settings.seed,
            epsilon=settings.speed if settings.epsilon else UNSET,
            origin=origin_of(trace, notes, "edge-cloud Sec. V-A", settings.describe()),
        )
    )
    return instance, _report(instance, notes)


def _name(settings: Settings, trace: Trace | None) -> str:
    """Name that tells instances apart in a table."""
    source = source_of(settings, trace)
    scale = "" if settings.scale == "simulation" else f"{settings.scale}-"
    size = f"{settings.jobs}x{settings.slots}-{settings.servers}"
    told = f"-{settings.preset}" if PRESETS[settings.preset].keys() - {"load"} else ""
    told += "" if settings.load is None else f"-load{settings.load:g}"
    told += f"-epsilon{settings.epsilon:g}" if settings.epsilon else ""
    return f"{scale}{source}-{size}{told}-seed{settings.seed}"
