"""Rules on instance files that go across keys; those of single keys stand in the file types."""

from __future__ import annotations

import numpy as np

from models.completion.cluster import NO_TYPE, Cluster, Job
from models.completion.files import CompletionFile, JobRecord
from models.completion.rates import least_duration, least_ps
from models.errors import InputError
from models.tolerance import count_fitting

__all__ = ["BANDWIDTH", "check_cluster", "check_job", "check_runs", "check_sizes", "one_worker"]

BANDWIDTH = "bandwidth_gbps"

# Prices per slot, server and resource; durations per job, pair of types and number of workers.
_MOST_PRICES = 2 * 10**7
_MOST_DURATIONS = 5 * 10**7
_MOST_SLOTS = 10**6  # that one worker takes for a job


def check_sizes(file: CompletionFile, source: str) -> None:
    """Refuse instances whose arrays would not fit into memory."""
    prices = file.slots * len(file.servers) * len(file.resources)
    if prices > _MOST_PRICES:
        raise InputError(
            f"{source}: {file.slots} slots x {len(file.servers)} servers x {len(file.resources)} "
            f"resources are more than {_MOST_PRICES} - at `$.slots`"
        )
    pairs = len(file.worker_types) * max(1, len(file.ps_types))
    chunks = sum(record.chunks for record in file.jobs)
    if chunks * pairs > _MOST_DURATIONS:
        raise InputError(
            f"{source}: {chunks} chunks x {pairs} pairs of types are more than {_MOST_DURATIONS} "
            f"- at `$.jobs`"
        )


def check_cluster(file: CompletionFile, source: str) -> None:
    """Rules of servers and types."""
    names = file.resources
    if len(set(names)) != len(names):
        raise InputError(f"{source}: a name stands twice - at `$.resources`")
    if BANDWIDTH not in names:
        raise InputError(f"{source}: '{BANDWIDTH}' is missing - at `$.resources`")
    if file.architecture == "allreduce" and file.ps_types:
        raise InputError(f"{source}: all-reduce has no parameter servers - at `$.ps_types`")
    if file.architecture == "ps" and not file.ps_types:
        raise InputError(f"{source}: at least one type is needed, (2e) - at `$.ps_types`")
    for key in ("servers", "worker_types", "ps_types"):
        for index, row in enumerate(getattr(file, key)):
            if len(row) != len(names):
                raise InputError(
                    f"{source}: {len(row)} numbers for {len(names)} resources - at "
                    f"`$.{key}[{index}]`"
                )
            if key != "servers" and row[names.index(BANDWIDTH)] <= 0:
                raise InputError(
                    f"{source}: bandwidth must be positive - at "
                    f"`$.{key}[{index}][{names.index(BANDWIDTH)}]`"
                )


def check_job(record: JobRecord, file: CompletionFile, path: str, source: str) -> None:
    """Rules of one job that need nothing but the file."""
    if record.arrival >= file.slots:
        raise InputError(
            f"{source}: arrival {record.arrival} is not before the horizon of {file.slots} "
            f"slots - at `{path}.arrival`"
        )
    if record.requested_workers is not None and record.requested_workers > record.chunks:
        raise InputError(
            f"{source}: {record.requested_workers} workers requested for {record.chunks} chunks, "
            f"more than (2g) allows - at `{path}.requested_workers`"
        )
    if len(record.minibatch_slots) != len(file.worker_types):
        raise InputError(
            f"{source}: {len(record.minibatch_slots)} numbers for {len(file.worker_types)} worker "
            f"types - at `{path}.minibatch_slots`"
        )
    if isinstance(record.update_slots, list) == (file.architecture == "allreduce"):
        want = "one number" if file.architecture == "allreduce" else "one number per PS type"
        raise InputError(f"{source}: want {want} - at `{path}.update_slots`")
    if isinstance(record.update_slots, list) and len(record.update_slots) != len(file.ps_types):
        raise InputError(
            f"{source}: {len(record.update_slots)} numbers for {len(file.ps_types)} PS types - at "
            f"`{path}.update_slots`"
        )
    if record.epochs * record.chunks * record.minibatches >= 2**53:
        raise InputError(f"{source}: E D K is out of range - at `{path}.epochs`")


def check_runs(job: Job, fits: np.ndarray, path: str, source: str) -> None:
    """Refuse a job of which the empty cluster cannot run one worker, or not in a million slots.

    Parameters
    ----------
    job : Job
    fits : ndarray
        :func:`one_worker`.
    path, source : str
        For messages.
    """
    if not np.isfinite(job.transfer_slots).all():
        raise InputError(f"{source}: 2 pi / b is out of range - at `{path}.gradient_mb`")
    if not len(fits):
        raise InputError(
            f"{source}: the servers have no room for one worker and what it needs, whatever the "
            f"types - at `{path}`"
        )
    m, p, internal = fits.T
    least = int(least_duration(job, m, p, np.ones_like(m), internal > 0).min())
    if least > _MOST_SLOTS:
        raise InputError(
            f"{source}: one worker takes {least} slots, more than {_MOST_SLOTS} - at "
            f"`{path}.epochs`"
        )


def one_worker(cluster: Cluster) -> np.ndarray:
    """Rows (m, p, q): one worker, with the PSs it needs, fits on the empty cluster so."""
    found = []
    for m, e in enumerate(cluster.worker_types):
        worker = count_fitting(cluster.servers, e) > 0
        if cluster.allreduce and worker.any():
            found.append((m, NO_TYPE, 1))
        for p, z in enumerate(cluster.ps_types):
            if count_fitting(cluster.servers, e + z).any():
                found.append((m, p, 1))
            needed = least_ps(1, float(cluster.worker_gbps[m]), float(cluster.ps_gbps[p]))
            ps = count_fitting(cluster.servers, z) >= needed
            if worker.any() and ps.any() and (worker | ps).sum() > 1:
                found.append((m, p, 0))
    return np.array(found, dtype=np.int64).reshape(-1, 3)
