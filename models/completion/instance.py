"""Instance of the ``completion`` problem: servers, types, and the jobs that arrive."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from models.completion.cluster import Cluster, Job
from models.completion.files import CompletionFile, JobRecord
from models.completion.rates import least_ps
from models.files import decode, sha256
from models.instance import Faults, FileInstance, check_ids, refuse
from models.resources import BANDWIDTH, check_demand, check_names, check_vector
from models.sealing import sealed
from models.tolerance import count_fitting
from models.wire import LEAST

__all__ = ["CompletionInstance"]

# Prices per slot, server and resource; durations per job, pair of types and number of workers.
_MOST_PRICES = 2 * 10**7
_MOST_DURATIONS = 2 * 10**7
_MOST_WAYS = 2 * 10**5  # to give a job workers and PSs, which are compared
_MOST_SLOTS = 10**7  # that one worker takes for a job, of whatever type


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
        file = decode(data, CompletionFile, source=source, least=LEAST)
        check_names(file.resources, source)
        for key, rows in (("worker_types", file.worker_types), ("ps_types", file.ps_types)):
            for index, row in enumerate(rows):
                check_demand(row, file.resources, f"$.{key}[{index}]", source)
        for index, row in enumerate(file.servers):
            check_vector(row, len(file.resources), f"$.servers[{index}]", source)
        cluster, jobs = _cluster(file), []
        refuse(_cluster_faults(file, cluster), "$", source)
        check_ids(file.jobs, source)
        for index, record in enumerate(file.jobs):
            refuse(_job_faults(record, file), f"$.jobs[{index}]", source)
            jobs.append(_job(index, record, cluster))
            refuse(_long_faults(jobs[-1]), f"$.jobs[{index}]", source)
        return cls(file=file, cluster=cluster, jobs=tuple(jobs), hash=sha256(file))


def _cluster(file: CompletionFile) -> Cluster:
    servers, worker_types, ps_types = (
        sealed(np.array(rows, dtype=float).reshape(-1, len(file.resources)))
        for rows in (file.servers, file.worker_types, file.ps_types)
    )
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


def _cluster_faults(file: CompletionFile, cluster: Cluster) -> Faults:
    """Sizes, which types there have to be, and room for some of them."""
    prices = file.slots * len(file.servers) * len(file.resources)
    if prices > _MOST_PRICES:
        yield f"{prices} prices of slots, servers, resources are more than {_MOST_PRICES}", "slots"
    pairs = len(file.worker_types) * max(1, len(file.ps_types))
    durations = pairs * sum(record.chunks for record in file.jobs)
    if durations > _MOST_DURATIONS:
        yield f"{durations} durations of chunks, types are more than {_MOST_DURATIONS}", "jobs"
    room = max(count_fitting(cluster.servers, e).sum() for e in cluster.worker_types)
    most = max((count_fitting(cluster.servers, z).max() for z in cluster.ps_types), default=0)
    workers = min(max((record.chunks for record in file.jobs), default=0), int(room))
    gbps = product(cluster.worker_gbps, cluster.ps_gbps)
    levels = sum(min(workers, int(most), least_ps(workers, *pair)) for pair in gbps)
    if (ways := workers * levels) > _MOST_WAYS:
        yield f"{ways} numbers of workers, PSs, types are more than {_MOST_WAYS}", "jobs"
    if file.architecture == "allreduce" and file.ps_types:
        yield "all-reduce has no parameter servers", "ps_types"
    if file.architecture == "ps" and not file.ps_types:
        yield "at least one type is needed, (2e)", "ps_types"
    if file.jobs and not _has_room(cluster):
        yield "no room for one worker of any type and what it needs", "servers"


def _job_faults(record: JobRecord, file: CompletionFile) -> Faults:
    """Rules of one job that need nothing but the file."""
    if record.arrival >= file.slots:
        yield f"arrival {record.arrival} is not before the end of the {file.slots} slots", "arrival"
    if (record.requested_workers or 0) > record.chunks:
        yield f"more than D = {record.chunks} workers, against (2g)", "requested_workers"
    for key, kind, types in (
        ("minibatch_slots", "worker", file.worker_types),
        ("update_slots", "PS", file.ps_types),
    ):
        numbers = getattr(record, key)
        if isinstance(numbers, list) == (kind == "PS" and file.architecture == "allreduce"):
            yield "want one number with all-reduce, else a list", key
        elif isinstance(numbers, list) and len(numbers) != len(types):
            yield f"{len(numbers)} numbers for {len(types)} {kind} types", key


def _long_faults(job: Job) -> Faults:
    """No number of mini-batches or slots may be out of range."""
    slowest = job.minibatch_slots.max() + job.update_slots.max() + job.transfer_slots.max()
    if job.work >= 2**53 or not job.work * slowest <= _MOST_SLOTS:
        yield f"one worker may take more than {_MOST_SLOTS} slots for E D K", "epochs"


def _has_room(cluster: Cluster) -> bool:
    """Whether one worker, with the parameter servers that it needs, fits on the empty cluster."""
    for m, e in enumerate(cluster.worker_types):
        worker = count_fitting(cluster.servers, e) > 0
        if cluster.allreduce and worker.any():
            return True
        for p, z in enumerate(cluster.ps_types):
            needed = least_ps(1, cluster.worker_gbps[m], cluster.ps_gbps[p])
            ps = count_fitting(cluster.servers, z) >= needed
            apart = worker.any() and ps.any() and (worker | ps).sum() > 1
            if apart or count_fitting(cluster.servers, e + z).any():
                return True
    return False
