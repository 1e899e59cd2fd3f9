"""Instance of the ``completion`` problem: servers, types, and the jobs that arrive."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from models.completion.checks import cluster_faults, job_faults, one_worker, run_faults
from models.completion.cluster import Cluster, Job
from models.completion.files import CompletionFile, JobRecord
from models.errors import InputError
from models.files import decode, sha256
from models.instance import FileInstance, check_ids
from models.resources import BANDWIDTH, check_demand, check_names, check_vector
from models.sealing import sealed

__all__ = ["CompletionInstance"]


@dataclass(frozen=True, eq=False)
class CompletionInstance(FileInstance):
    """A cluster and its jobs (paper, Sec. 3 and 6), validated; its arrays stay read-only.

    Build it with :meth:`from_file`, :meth:`decode` or :meth:`read`.
    """

    file: CompletionFile
    cluster: Cluster
    jobs: tuple[Job, ...]
    hash: str

    problem = "completion"

    @classmethod
    def decode(cls, data: bytes, source: str) -> CompletionInstance:
        """Build from JSON text; raises InputError naming ``source``."""
        file = decode(data, CompletionFile, source=source)
        check_names(file.resources, source)
        for key, rows in (("worker_types", file.worker_types), ("ps_types", file.ps_types)):
            for index, row in enumerate(rows):
                check_demand(row, file.resources, f"$.{key}[{index}]", source)
        for index, row in enumerate(file.servers):
            check_vector(row, len(file.resources), f"$.servers[{index}]", source)
        _refuse(cluster_faults(file), "$", source)
        check_ids(file.jobs, source)
        cluster = _cluster(file)
        fits, jobs = one_worker(cluster), []
        for index, record in enumerate(file.jobs):
            path = f"$.jobs[{index}]"
            _refuse(job_faults(record, file), path, source)
            jobs.append(_job(index, record, cluster))
            _refuse(run_faults(jobs[-1], fits), path, source)
        return cls(file=file, cluster=cluster, jobs=tuple(jobs), hash=sha256(file))


def _refuse(faults: Iterable[tuple[str, str]], path: str, source: str) -> None:
    for fault, key in faults:
        raise InputError(f"{source}: {fault} - at `{path}.{key}`")


def _cluster(file: CompletionFile) -> Cluster:
    tables = (
        sealed(np.array(rows, dtype=float).reshape(-1, len(file.resources)))
        for rows in (file.servers, file.worker_types, file.ps_types)
    )
    servers, worker_types, ps_types = tables
    return Cluster(
        slots=file.slots,
        slot_seconds=file.slot_seconds,
        resources=tuple(file.resources),
        architecture=file.architecture,
        servers=servers,
        worker_types=worker_types,
        ps_types=ps_types,
        bandwidth=file.resources.index(BANDWIDTH),
    )


def _job(index: int, record: JobRecord, cluster: Cluster) -> Job:
    # 2 pi / b with pi in MB = 8 Mbit, b in Gbps = 1000 Mbit/s.
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        transfer = 16.0 * record.gradient_mb / (1000.0 * cluster.worker_gbps * cluster.slot_seconds)
    return Job(
        index=index,
        id=record.id,
        arrival=record.arrival,
        weight=record.weight,
        work=record.epochs * record.chunks * record.minibatches,
        chunks=record.chunks,
        minibatch_slots=sealed(np.array(record.minibatch_slots, dtype=float)),
        update_slots=sealed(np.array(record.update_slots, dtype=float).reshape(-1)),
        gradient_mb=record.gradient_mb,
        transfer_slots=sealed(transfer),
        requested_workers=record.requested_workers,
    )
