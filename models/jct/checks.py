"""Rules on instance files that go across keys; those of single keys stand in the file types."""

from __future__ import annotations

import numpy as np

from models.errors import InputError
from models.jct.cluster import Cluster, Job
from models.jct.files import MOST_CHUNKS, JctFile, JobRecord
from models.rounding import ceil_tolerant

__all__ = ["check_job", "check_served", "check_sizes", "chunk_times", "whole_slots"]

_MOST_NUMBERS = 5 * 10**7  # upload delays, per job and server
_MOST_WORKERS = 10**6
_MOST_WORK = 10**15  # worker-slots of a job, less than HiGHS takes as a coefficient
_PRODUCT = (
    "epochs",
    "minibatches",
    "minibatch_slots",
    "update_slots",
    "gradient_mb",
    "bandwidth_gbps",
)


def check_sizes(file: JctFile, source: str) -> None:
    """Refuse instances whose arrays would be too large, or whose runs would take too long."""
    if not file.servers and not file.cloud:
        raise InputError(f"{source}: neither a server nor the cloud - at `$.servers`")
    if len(file.jobs) * len(file.servers) > _MOST_NUMBERS:
        raise InputError(
            f"{source}: {len(file.jobs)} jobs x {len(file.servers)} servers are more than "
            f"{_MOST_NUMBERS} - at `$.jobs`"
        )
    chunks = sum(record.chunks for record in file.jobs)
    if chunks > MOST_CHUNKS:
        raise InputError(
            f"{source}: {chunks} `chunks` of all jobs are more than {MOST_CHUNKS} - at `$.jobs`"
        )
    for key in ("workers", "ps"):
        count = sum(len(getattr(server, key)) for server in file.servers)
        if count > _MOST_WORKERS:
            raise InputError(
                f"{source}: {count} {key} are more than {_MOST_WORKERS} - at `$.servers`"
            )


def check_job(record: JobRecord, file: JctFile, path: str, source: str) -> None:
    """Rules of one job that need nothing but the file."""
    if record.arrival >= file.slots:
        raise InputError(
            f"{source}: arrival {record.arrival} is not before the horizon of {file.slots} "
            f"slots - at `{path}.arrival`"
        )
    if len(record.upload_slots) != len(file.servers):
        raise InputError(
            f"{source}: {len(record.upload_slots)} numbers for {len(file.servers)} servers - at "
            f"`{path}.upload_slots`"
        )
    if file.cloud and record.cloud_upload_slots is None:
        raise InputError(
            f"{source}: missing, and there is a cloud - at `{path}.cloud_upload_slots`"
        )
    if record.requested_workers > record.chunks:
        raise InputError(
            f"{source}: {record.requested_workers} workers requested for {record.chunks} chunks, "
            f"more than (2c) allows - at `{path}.requested_workers`"
        )


def chunk_times(
    record: JobRecord, slot_seconds: float, path: str, source: str
) -> tuple[float, float]:
    """Slots that one worker needs for one chunk, ``E B / n`` with n from (1).

    Returns
    -------
    (float, float)
        With ``zeta = 0`` (transfers between worker and parameter server included) and with
        ``zeta = 1``; not rounded.

    Raises
    ------
    InputError
        If numbers are missing or the times are out of range.
    """
    given = record.chunk_slots, record.cloud_chunk_slots
    if given[0] is not None and given[1] is not None:
        if given[1] > given[0]:
            raise InputError(
                f"{source}: {given[1]} slots are more than `chunk_slots` ({given[0]}), but the "
                f"transfers fall away - at `{path}.cloud_chunk_slots`"
            )
        return float(given[0]), float(given[1])
    if given != (None, None):
        lacking = "chunk_slots" if given[0] is None else "cloud_chunk_slots"
        raise InputError(
            f"{source}: missing, `chunk_slots` and `cloud_chunk_slots` go together - at "
            f"`{path}.{lacking}`"
        )
    for key in _PRODUCT:
        if getattr(record, key) is None:
            raise InputError(
                f"{source}: missing, and there is no `chunk_slots` to replace it - at "
                f"`{path}.{key}`"
            )
    assert record.epochs is not None and record.minibatches is not None
    assert record.minibatch_slots is not None and record.update_slots is not None
    assert record.gradient_mb is not None and record.bandwidth_gbps is not None
    # 2 q / b with q in MB = 8 Mbit, b in Gbps = 1000 Mbit/s.
    transfer = 16.0 * record.gradient_mb / (1000.0 * record.bandwidth_gbps * slot_seconds)
    batches = record.epochs * record.minibatches
    alone = batches * (record.minibatch_slots + record.update_slots)
    apart = batches * (record.minibatch_slots + record.update_slots + transfer)
    if not apart <= 1e9:
        raise InputError(f"{source}: {apart:g} slots for a chunk are more than 1e9 - at `{path}`")
    return apart, alone


def whole_slots(slots: float) -> int:
    """Processing time in whole slots, at least one."""
    return max(1, ceil_tolerant(slots))


def check_served(job: Job, cluster: Cluster, record: JobRecord, path: str, source: str) -> None:
    """Refuse a job that cannot complete even alone, or has more work than can be reckoned with."""
    if job.chunks * job.chunk_slots >= _MOST_WORK:
        raise InputError(
            f"{source}: {job.chunks} chunks of {job.chunk_slots} slots are {_MOST_WORK:g} "
            f"worker-slots or more - at `{path}.chunks`"
        )
    left = cluster.slots - job.arrival
    upload = job.cloud_upload_slots
    if upload is not None and upload + job.cloud_chunk_slots <= left:
        return
    servers = cluster.worker_server[job.eligible(cluster)]
    if not cluster.cloud:
        _check_served_at_edge(job, cluster, servers, record, path, source)
    slots = np.maximum(left - job.upload_slots, 0)  # in which each server's workers can train
    workers = np.bincount(servers, minlength=cluster.servers)
    trained = np.minimum(workers * (slots // job.chunk_slots), job.places(cluster))
    if trained.sum() < job.chunks:
        raise InputError(
            f"{source}: the job cannot complete before the horizon of {cluster.slots} slots, even "
            f"alone - at `{path}`"
        )


def _check_served_at_edge(
    job: Job, cluster: Cluster, servers: np.ndarray, record: JobRecord, path: str, source: str
) -> None:
    if not servers.size:
        raise InputError(
            f"{source}: no worker of type '{record.worker_type}' and no cloud, so nothing can "
            f"serve the job - at `{path}.worker_type`"
        )
    if not job.eligible_ps(cluster).size:
        raise InputError(
            f"{source}: no parameter server of type '{record.ps_type}' and no cloud, so (2e) "
            f"cannot hold - at `{path}.ps_type`"
        )
    places = int(job.places(cluster)[np.unique(servers)].sum())
    if places < job.chunks:
        raise InputError(
            f"{source}: the servers with eligible workers can store {places} of {job.chunks} "
            f"chunks of {job.chunk_gb:g} GB, and there is no cloud - at `{path}.chunk_gb`"
        )
