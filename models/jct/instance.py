"""Instance of the ``jct`` problem: edge servers, a cloud, and the jobs that arrive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from msgspec import UNSET

from models.errors import InputError
from models.files import decode, sha256
from models.instance import FileInstance, check_ids
from models.jct.checks import check_job, check_served, check_sizes, chunk_times, whole_slots
from models.jct.cluster import Cluster, Job
from models.jct.files import MOST_SLOTS, JctFile, JobRecord
from models.sealing import sealed
from models.wire import LEAST

__all__ = ["JctInstance"]


@dataclass(frozen=True, eq=False)
class JctInstance(FileInstance):
    """An edge-cloud system and its jobs (paper, Sec. III), validated; its arrays stay read-only.

    Build it with :meth:`from_file`, :meth:`decode` or :meth:`read`. Its times are in the finer
    slots of the file's ``epsilon``, at the offline speed.

    Parameters
    ----------
    file : JctFile
    cluster : Cluster
    jobs : tuple of Job
    hash : str
    speed : (int, int)
        ``(a, b)`` with ``epsilon = a/b`` for policies that run on it.
    """

    file: JctFile
    cluster: Cluster
    jobs: tuple[Job, ...]
    hash: str
    speed: tuple[int, int] = (0, 1)

    problem = "jct"

    @classmethod
    def decode(cls, data: bytes, source: str) -> JctInstance:
        """Build from JSON text; raises InputError naming ``source``."""
        file = decode(data, JctFile, source=source, least=LEAST)
        check_sizes(file, source)
        speed = (0, 1) if file.epsilon is UNSET else file.epsilon
        fine = sum(speed)
        if fine * file.slots > MOST_SLOTS:
            raise InputError(
                f"{source}: {fine} finer slots in each of {file.slots} are more than "
                f"{MOST_SLOTS:g} - at `$.epsilon`"
            )
        cluster = _cluster(file, fine)
        check_ids(file.jobs, source)
        numbered = enumerate(file.jobs)
        jobs = (_job(index, record, file, fine, cluster, source) for index, record in numbered)
        return cls(file, cluster, tuple(jobs), sha256(file), speed)

    @property
    def epsilon(self) -> float:
        """By how much online policies are faster, as a share of the offline speed."""
        return self.speed[0] / self.speed[1]

    @cached_property
    def online(self) -> JctInstance:
        """What online policies run on: chunks take b of every a + b slots. Or itself."""
        a, b = self.speed
        return self if a == 0 else replace(self.offline, jobs=tuple(_faster(self.jobs, a, b)))

    @cached_property
    def offline(self) -> JctInstance:
        """The same without augmentation: policies run on it at the offline speed. Or itself."""
        return self if self.speed[0] == 0 else replace(self, speed=(0, 1))


def _faster(jobs: tuple[Job, ...], a: int, b: int) -> Iterator[Job]:
    """Jobs at ``1 + a/b`` times the speed, exactly; uploads are not sped up."""
    for job in jobs:
        yield replace(
            job,
            chunk_slots=job.chunk_slots * b // (a + b),
            cloud_chunk_slots=job.cloud_chunk_slots * b // (a + b),
            chunk_time=job.chunk_time * b / (a + b),
            cloud_chunk_time=job.cloud_chunk_time * b / (a + b),
        )


def _cluster(file: JctFile, fine: int) -> Cluster:
    workers = [server.workers for server in file.servers]
    ps = [server.ps for server in file.servers]
    worker_types, worker_server, worker_number, worker_type = _flat(workers)
    ps_types, ps_server, ps_number, ps_type = _flat(ps)
    storage = [np.inf if s.storage_gb is None else s.storage_gb for s in file.servers]
    return Cluster(
        slots=fine * file.slots,
        slot_seconds=file.slot_seconds / fine,
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


def _job(
    index: int, record: JobRecord, file: JctFile, fine: int, cluster: Cluster, source: str
) -> Job:
    path = f"$.jobs[{index}]"
    check_job(record, file, path, source)
    apart, alone = chunk_times(record, file.slot_seconds, path, source)
    cloud = record.cloud_upload_slots
    job = Job(
        index=index,
        id=record.id,
        arrival=fine * record.arrival,
        chunks=record.chunks,
        chunk_slots=fine * whole_slots(apart),
        cloud_chunk_slots=fine * whole_slots(alone),
        chunk_time=fine * apart,
        cloud_chunk_time=fine * alone,
        rate=1.0 / (apart * record.chunks),
        worker_type=_place(cluster.worker_types, record.worker_type),
        ps_type=_place(cluster.ps_types, record.ps_type),
        upload_slots=sealed(fine * np.array(record.upload_slots, dtype=np.int64)),
        cloud_upload_slots=fine * cloud if file.cloud and cloud is not None else None,
        chunk_gb=record.chunk_gb,
        requested_workers=record.requested_workers,
    )
    check_served(job, cluster, record, path, source)
    return job
