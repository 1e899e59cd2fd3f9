"""Instance of the ``utility`` problem: a cluster and the jobs that arrive at it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from models.errors import InputError
from models.files import decode, sha256
from models.instance import FileInstance, check_ids
from models.resources import BANDWIDTH, check_demand, check_names, check_vector
from models.sealing import sealed
from models.sigmoid import Sigmoid
from models.tolerance import count_fitting, tolerant
from models.utility.checks import check_sizes, check_states, work_of
from models.utility.files import JobRecord, UtilityFile
from models.utility.least_ps import least_ps, least_ps_table
from models.wire import LEAST

__all__ = ["Cluster", "Job", "UtilityInstance"]


@dataclass(frozen=True, eq=False)
class Cluster:
    """Everything that is public before the first job arrives.

    Parameters
    ----------
    slots : int
        Timespan T.
    slot_seconds : float
        Length of a slot in seconds.
    resources : tuple of str
        Names of the R resource types.
    worker_servers : ndarray, shape (H, R)
        Capacities ``c_h^r`` of the servers that run workers.
    ps_servers : ndarray, shape (K, R)
        Capacities ``c_k^r`` of the servers that run parameter servers.
    bandwidth : int
        Index of the resource that gives ``b_i`` and ``B_i``.
    """

    slots: int
    slot_seconds: float
    resources: tuple[str, ...]
    worker_servers: np.ndarray
    ps_servers: np.ndarray
    bandwidth: int

    @property
    def sides(self) -> tuple[np.ndarray, np.ndarray]:
        """Servers of workers, and of parameter servers."""
        return self.worker_servers, self.ps_servers

    @cached_property
    def tolerant(self) -> Cluster:
        """The cluster with all that the scorer lets pass: for bounds and formulations.

        See :mod:`models.tolerance`.
        """
        sides = tolerant(self.worker_servers), tolerant(self.ps_servers)
        return replace(self, worker_servers=sealed(sides[0]), ps_servers=sealed(sides[1]))


@dataclass(frozen=True, eq=False)
class Job:
    """One job, as revealed to a policy at its arrival.

    Parameters
    ----------
    index : int
        Position in the instance file; for a policy, rank in the order of arrival.
    id : str
        Name of the job.
    arrival : int
        Arrival slot ``a_i``, 0-based.
    work : int
        Worker-slots ``W_i`` needed, right-hand side of (2).
    chunks : int
        ``N_i``: most workers in one slot, (3).
    worker, ps : ndarray, shape (R,)
        Demands ``w_i`` and ``s_i`` of one worker and one parameter server.
    worker_gbps, ps_gbps : float
        ``b_i`` and ``B_i``.
    utility : Sigmoid
        ``f_i``, of the delay in slots.
    requested_workers : int or None
        Fixed number of workers that FIFO and RRH run the job with.
    """

    index: int
    id: str
    arrival: int
    work: int
    chunks: int
    worker: np.ndarray
    ps: np.ndarray
    worker_gbps: float
    ps_gbps: float
    utility: Sigmoid
    requested_workers: int | None

    def ps_needed(self, workers: int) -> int:
        """Least number of parameter servers for so many workers: ``ceil(n b / B)``, (6).

        Up to the tolerance of (6), see :mod:`models.utility.least_ps`.
        """
        return least_ps(workers, self.worker_gbps, self.ps_gbps)

    def ps_needed_table(self, most: int) -> np.ndarray:
        """``ps_needed(n)`` for n = 0..most, shape (most + 1,)."""
        return least_ps_table(most, self.worker_gbps, self.ps_gbps)

    def max_workers(self, cluster: Cluster) -> int:
        """``n_max``: most workers the job can run in one slot of the empty cluster.

        The largest ``n <= min(N, sum of floors)`` whose parameter servers fit; 0 if none does.
        """
        places = int(count_fitting(cluster.worker_servers, self.worker).sum())
        ps_places = int(count_fitting(cluster.ps_servers, self.ps).sum())
        numbers = range(1, min(self.chunks, places) + 1)
        return bisect_right(numbers, ps_places, key=self.ps_needed)

    def values(self, slots: int) -> np.ndarray:
        """``f_i(t - a_i)`` for completion slots t = 0..slots-1; 0 before arrival."""
        value = np.zeros(slots)
        delays = np.arange(slots - self.arrival)
        value[self.arrival :] = self.utility(delays)
        return value


@dataclass(frozen=True, eq=False)
class UtilityInstance(FileInstance):
    """A cluster and its jobs (paper, Sec. III), validated; its arrays stay read-only.

    Build it with :meth:`from_file`, :meth:`decode` or :meth:`read`.
    """

    file: UtilityFile
    cluster: Cluster
    jobs: tuple[Job, ...]
    hash: str

    problem = "utility"

    @cached_property
    def demand(self) -> tuple[np.ndarray, np.ndarray]:
        """Demands ``w_i`` of workers, and ``s_i`` of parameter servers; shape (I, R) each."""
        shape = len(self.jobs), len(self.cluster.resources)
        worker, ps = ([job.worker for job in self.jobs], [job.ps for job in self.jobs])
        return sealed(np.array(worker).reshape(shape)), sealed(np.array(ps).reshape(shape))

    @classmethod
    def decode(cls, data: bytes, source: str) -> UtilityInstance:
        """Build from JSON text; raises InputError naming ``source``."""
        file = decode(data, UtilityFile, source=source, least=LEAST)
        check_sizes(file, source)
        cluster = _cluster(file, source)
        check_ids(file.jobs, source)
        jobs = tuple(_job(index, record, cluster, source) for index, record in enumerate(file.jobs))
        return cls(file=file, cluster=cluster, jobs=jobs, hash=sha256(file))


def _cluster(file: UtilityFile, source: str) -> Cluster:
    names = file.resources
    check_names(names, source)
    return Cluster(
        slots=file.slots,
        slot_seconds=file.slot_seconds,
        resources=tuple(names),
        worker_servers=_capacities("worker_servers", file.worker_servers, len(names), source),
        ps_servers=_capacities("ps_servers", file.ps_servers, len(names), source),
        bandwidth=names.index(BANDWIDTH),
    )


def _capacities(key: str, rows: list[list[float]], width: int, source: str) -> np.ndarray:
    if not rows:
        raise InputError(f"{source}: at least one server is needed - at `$.{key}`")
    for index, row in enumerate(rows):
        check_vector(row, width, f"$.{key}[{index}]", source)
    return sealed(np.array(rows, dtype=float))


def _job(index: int, record: JobRecord, cluster: Cluster, source: str) -> Job:
    path = f"$.jobs[{index}]"
    if record.arrival >= cluster.slots:
        raise InputError(
            f"{source}: arrival {record.arrival} is not before the horizon of {cluster.slots} "
            f"slots - at `{path}.arrival`"
        )
    for key, vector in (("worker", record.worker), ("ps", record.ps)):
        check_demand(vector, cluster.resources, f"{path}.{key}", source)
    b, big_b = record.worker[cluster.bandwidth], record.ps[cluster.bandwidth]
    if b > big_b:
        # (6) then asks for more parameter servers than workers, which (7) forbids.
        raise InputError(
            f"{source}: bandwidth of a worker {b} exceeds that of a parameter server {big_b}, "
            f"so (6) and (7) contradict - at `{path}.worker[{cluster.bandwidth}]`"
        )
    work = work_of(record, b, cluster.slot_seconds, path, source)
    check_states(record, work, cluster.slots - record.arrival, path, source)
    return Job(
        index=index,
        id=record.id,
        arrival=record.arrival,
        work=work,
        chunks=record.chunks,
        worker=sealed(np.array(record.worker, dtype=float)),
        ps=sealed(np.array(record.ps, dtype=float)),
        worker_gbps=b,
        ps_gbps=big_b,
        utility=record.utility,
        requested_workers=record.requested_workers,
    )
