"""Instance of the ``jct`` problem: edge servers, a cloud, and the jobs that arrive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.files import decode, sha256
from models.instance import FileInstance, check_ids
from models.jct.checks import check_job, check_served, check_sizes, chunk_times, whole_slots
from models.jct.cluster import Cluster, Job
from models.jct.files import JctFile, JobRecord
from models.sealing import sealed

__all__ = ["JctInstance"]


@dataclass(frozen=True, eq=False)
class JctInstance(FileInstance):
    """An edge-cloud system and its jobs (paper, Sec. III), validated; its arrays stay read-only.

    Build it with :meth:`from_file`, :meth:`decode` or :meth:`read`.
    """

    file: JctFile
    cluster: Cluster
    jobs: tuple[Job, ...]
    hash: str

    problem = "jct"

    @classmethod
    def decode(cls, data: bytes, source: str) -> JctInstance:
        """Build from JSON text; raises InputError naming ``source``."""
        file = decode(data, JctFile, source=source)
        check_sizes(file, source)
        cluster = _cluster(file)
        check_ids(file.jobs, source)
        numbered = enumerate(file.jobs)
        jobs = (_job(index, record, file, cluster, source) for index, record in numbered)
        return cls(file=file, cluster=cluster, jobs=tuple(jobs), hash=sha256(file))


def _cluster(file: JctFile) -> Cluster:
    workers = [server.workers for server in file.servers]
    ps = [server.ps for server in file.servers]
    worker_types, worker_server, worker_number, worker_type = _flat(workers)
    ps_types, ps_server, ps_number, ps_type = _flat(ps)
    storage = [np.inf if s.storage_gb is None else s.storage_gb for s in file.servers]
    return Cluster(
        slots=file.slots,
        slot_seconds=file.slot_seconds,
        worker_types=worker_types,
        ps_types=ps_types,
        worker_server=worker_server,
        worker_number=worker_number,
        worker_type=worker_type,
        ps_server=ps_server,
        ps_number=ps_number,
        ps_type=ps_type,
        storage_gb=sealed(np.array(storage, dtype=float)),
        cloud=file.cloud,
    )


def _flat(
    servers: list[list[str]],
) -> tuple[tuple[str, ...], np.ndarray, np.ndarray, np.ndarray]:
    """Names of the types; server, number there and type of each worker or parameter server."""
    names = tuple(sorted({name for types in servers for name in types}))
    code = {name: place for place, name in enumerate(names)}
    rows = [(s, n, code[name]) for s, types in enumerate(servers) for n, name in enumerate(types)]
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return names, sealed(table[:, 0]), sealed(table[:, 1]), sealed(table[:, 2])


def _place(names: tuple[str, ...], name: str) -> int:
    return names.index(name) if name in names else -1


def _job(index: int, record: JobRecord, file: JctFile, cluster: Cluster, source: str) -> Job:
    path = f"$.jobs[{index}]"
    check_job(record, file, path, source)
    apart, alone = chunk_times(record, cluster.slot_seconds, path, source)
    job = Job(
        index=index,
        id=record.id,
        arrival=record.arrival,
        chunks=record.chunks,
        chunk_slots=whole_slots(apart),
        cloud_chunk_slots=whole_slots(alone),
        chunk_time=apart,
        cloud_chunk_time=alone,
        rate=1.0 / (apart * record.chunks),
        worker_type=_place(cluster.worker_types, record.worker_type),
        ps_type=_place(cluster.ps_types, record.ps_type),
        upload_slots=sealed(np.array(record.upload_slots, dtype=np.int64)),
        cloud_upload_slots=record.cloud_upload_slots if file.cloud else None,
        chunk_gb=record.chunk_gb,
        requested_workers=record.requested_workers,
    )
    check_served(job, cluster, record, path, source)
    return job
