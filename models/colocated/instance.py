"""Instance of the ``colocated`` problem: servers, and the jobs that arrive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.colocated.cluster import Cluster, Job
from models.colocated.files import ColocatedFile, JobRecord
from models.files import decode, sha256
from models.instance import Faults, FileInstance, check_ids, refuse
from models.resources import check_distinct, check_vector
from models.sealing import sealed
from models.wire import LEAST

__all__ = ["ColocatedInstance"]

# Prices per slot, server and resource; numbers per job and slot; of the oracle, states per
# worker-slot and slot, and steps in its innermost loop.
_MOST_PRICES = 2 * 10**7
_MOST_JOB_SLOTS = 5 * 10**7
_MOST_STATES = 5 * 10**6
_MOST_STEPS = 5 * 10**8
_MOST_PS = 10**6  # of one job in one slot
_MOST_SPEEDUP = 1e6
_MOST_WORK = 2.0**53


@dataclass(frozen=True, eq=False)
class ColocatedInstance(FileInstance):
    """A cluster and its jobs, validated; its arrays stay read-only.

    Build it with :meth:`from_file`, :meth:`decode` or :meth:`read`. A server of nothing and a job
    that no server has room for are no faults.
    """

    file: ColocatedFile
    cluster: Cluster
    jobs: tuple[Job, ...]
    hash: str

    problem = "colocated"

    @classmethod
    def decode(cls, data: bytes, source: str) -> ColocatedInstance:
        """Build from JSON text; raises InputError naming ``source``."""
        file = decode(data, ColocatedFile, source=source, least=LEAST)
        check_distinct(file.resources, source)
        for index, row in enumerate(file.servers):
            check_vector(row, len(file.resources), f"$.servers[{index}]", source)
        refuse(_size_faults(file), "$", source)
        check_ids(file.jobs, source)
        cluster = Cluster(
            slots=file.slots,
            slot_seconds=file.slot_seconds,
            resources=tuple(file.resources),
            servers=sealed(np.array(file.servers, dtype=float)),
        )
        jobs = []
        for index, record in enumerate(file.jobs):
            path = f"$.jobs[{index}]"
            refuse(_record_faults(record, file), path, source)
            for key, row in (("worker", record.worker), ("ps", record.ps)):
                check_vector(row, len(file.resources), f"{path}.{key}", source)
            jobs.append(_job(index, record, cluster))
            refuse(_work_faults(jobs[-1], cluster.slots), path, source)
        return cls(file=file, cluster=cluster, jobs=tuple(jobs), hash=sha256(file))


def _job(index: int, record: JobRecord, cluster: Cluster) -> Job:
    return Job(
        index=index,
        id=record.id,
        arrival=record.arrival,
        samples=record.epochs * record.samples,
        gradient_mb=record.gradient_mb,
        sample_slots=record.sample_slots,
        gamma=record.gamma,
        max_workers=record.max_workers,
        worker=sealed(np.array(record.worker, dtype=float)),
        ps=sealed(np.array(record.ps, dtype=float)),
        internal_gbps=record.internal_gbps,
        external_gbps=record.external_gbps,
        slot_seconds=cluster.slot_seconds,
        utility=record.utility,
        requested_workers=record.requested_workers,
    )


def _size_faults(file: ColocatedFile) -> Faults:
    prices = file.slots * len(file.servers) * len(file.resources)
    if prices > _MOST_PRICES:
        yield f"{prices} prices of slots, servers, resources are more than {_MOST_PRICES}", "slots"
    job_slots = len(file.jobs) * file.slots
    if job_slots > _MOST_JOB_SLOTS:
        yield f"{job_slots} pairs of jobs and slots are more than {_MOST_JOB_SLOTS}", "jobs"


def _record_faults(record: JobRecord, file: ColocatedFile) -> Faults:
    """Rules of one job across its keys."""
    if record.arrival >= file.slots:
        yield f"arrival {record.arrival} is not before the end of the {file.slots} slots", "arrival"
    if (record.requested_workers or 0) > record.max_workers:
        yield f"more than F = {record.max_workers} workers, against (4)", "requested_workers"
    if record.internal_gbps < record.external_gbps:
        external = record.external_gbps
        yield f"less than {external} Gbps between servers, against Fact 1", "internal_gbps"
    if record.max_workers > _MOST_PS * record.gamma:
        yield f"F workers need more than {_MOST_PS} parameter servers", "gamma"


def _work_faults(job: Job, slots: int) -> Faults:
    """No number may be out of range, and no job that could run may take the oracle hours."""
    if not job.external_slots <= _MOST_SPEEDUP * job.internal_slots:
        yield f"external workers are more than {_MOST_SPEEDUP:g} times slower", "external_gbps"
    if not job.work < _MOST_WORK:
        yield f"E K samples are {job.work:g} worker-slots, which is out of range", "epochs"
    room = slots - job.arrival
    if job.max_workers * room * job.speedup < job.work:
        return
    if job.work * room > _MOST_STATES:
        yield f"{job.work:g} worker-slots x {room} slots are more than {_MOST_STATES}", "epochs"
    steps = job.work * min(job.max_workers, job.work) * room
    if steps > _MOST_STEPS:
        sizes = f"{job.work:g} worker-slots x {job.max_workers} workers x {room} slots"
        yield f"{sizes} are more than {_MOST_STEPS}", "max_workers"
