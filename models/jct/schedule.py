"""Schedule of the ``jct`` problem: which worker trains chunks of which job when, as intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from models.errors import InputError
from models.files import canonical, decode, read_bytes, write_atomic
from models.instance import check_made_for, known_jobs
from models.jct.cluster import CLOUD, Cluster
from models.jct.files import Allocations, ScheduledJob, ScheduleFile
from models.jct.instance import JctInstance
from models.sealing import sealed

__all__ = ["JctSchedule", "first_rows"]

_MOST_ROWS = 2 * 10**7  # of a schedule file; a hundred bytes each while it is written
_KINDS: tuple[Literal["worker", "ps"], ...] = ("worker", "ps")


@dataclass(frozen=True, eq=False)
class JctSchedule:
    """The decisions y, z and zeta of (2).

    Chunks of a job are identical, so those on one worker are interchangeable: a row says that
    the worker trains *a* chunk of the job, and how many chunks a worker trains follows from its
    slots. Workers and parameter servers of the cloud are numbered per job, from 0: jobs never
    share them.

    Parameters
    ----------
    instance_hash : str
        Hash of the instance it belongs to.
    ids : tuple of str
        Job ids, in the order of the instance.
    together : ndarray of bool, shape (J,)
        ``zeta_j``: all workers and the parameter server of the job are in the cloud.
    workers : ndarray of int64, shape (n, 5)
        Rows (job, server, worker's number there, start, stop), sorted: ``y = 1`` in the slots
        from start to stop - 1. Server -1 is the cloud. Touching intervals are one row.
    ps : ndarray of int64, shape (m, 5)
        The same of the parameter servers, ``z = 1``.
    migration : bool
        Whether chunks may move between workers, see :func:`models.jct.score.score`.
    faster : bool
        Whether it is made at the speed of ``JctInstance.online``.
    """

    instance_hash: str
    ids: tuple[str, ...]
    together: np.ndarray
    workers: np.ndarray
    ps: np.ndarray
    migration: bool = False
    faster: bool = False

    @classmethod
    def build(
        cls,
        instance: JctInstance,
        together: np.ndarray | list[bool],
        workers: np.ndarray | list,
        ps: np.ndarray | list,
        *,
        migration: bool = False,
        faster: bool = False,
    ) -> JctSchedule:
        """Make a schedule for an instance from rows in any order.

        Raises
        ------
        InputError
            If a row names a job, server, worker, parameter server or slot that is not there, or
            is empty.
        """
        flags = np.array(together, dtype=bool)
        if flags.shape != (len(instance.jobs),):
            raise InputError(
                f"schedule: {flags.size} numbers for {len(instance.jobs)} jobs - at `together`"
            )
        ids = tuple(job.id for job in instance.jobs)
        tables = []
        for kind, rows in zip(_KINDS, (workers, ps), strict=True):
            table = np.asarray(rows, dtype=np.int64).reshape(-1, 5)
            _check_rows(instance, kind, table)
            tables.append(sealed(_merged(table)))
        return cls(instance.hash, ids, sealed(flags), tables[0], tables[1], migration, faster)

    def at_its_speed(self, instance: JctInstance) -> JctInstance:
        """The instance that the schedule is judged on: at the augmented speed if it is faster."""
        return instance.online if self.faster else instance

    @cached_property
    def busy(self) -> np.ndarray:
        """Rows (job, server, worker's number there, slots in which it trains the job), sorted."""
        first = first_rows(self.workers, 3)
        slots = np.add.reduceat(self.workers[:, 4] - self.workers[:, 3], first)
        return sealed(np.column_stack([self.workers[first, :3], slots]))

    @classmethod
    def read(cls, path: str | Path, instance: JctInstance) -> JctSchedule:
        """Read a schedule file that belongs to an instance.

        Jobs that the file does not mention run nowhere.

        Raises
        ------
        InputError
            If it is malformed or made for another instance, or names an unknown job, slot,
            server, worker or parameter server.
        """
        source = str(path)
        file = decode(read_bytes(path), ScheduleFile, source=source)
        check_made_for(instance, file.instance, source, "$.instance")
        together = np.zeros(len(instance.jobs), dtype=bool)
        rows: dict[str, list] = {kind: [] for kind in _KINDS}
        for at, index, job in known_jobs(file.jobs, instance, source):
            if job.admitted is False:
                raise InputError(f"{source}: every job has to be admitted - at `{at}.admitted`")
            for number, (slot, server, kind, unit) in enumerate(job.allocations):
                where = f"{at}.allocations[{number}]"
                if slot >= instance.cluster.slots:
                    raise InputError(f"{source}: slot {slot} is past the horizon - at `{where}`")
                if fault := _unknown_unit(instance.cluster, kind, server, unit):
                    raise InputError(f"{source}: {fault} - at `{where}`")
                rows[kind].append((index, server, unit, slot, slot + 1))
            in_cloud = all(server == CLOUD for _, server, _, _ in job.allocations)
            derived = in_cloud and bool(job.allocations)
            together[index] = derived if job.together is None else job.together
        may = {"migration": file.migration, "faster": file.faster}
        return cls.build(instance, together, rows["worker"], rows["ps"], **may)

    def write(self, path: str | Path) -> None:
        """Write the schedule file (gzip-ed by ending), whole or not at all.

        Raises
        ------
        InputError
            If it would take more than 2e7 rows, or cannot be written.
        """
        size = sum(int((table[:, 4] - table[:, 3]).sum()) for table in (self.workers, self.ps))
        if size > _MOST_ROWS:
            raise InputError(f"{path}: {size} allocations are more than {_MOST_ROWS}")
        allocations: list[Allocations] = [[] for _ in self.ids]
        for kind, rows in zip(_KINDS, (self.workers, self.ps), strict=True):
            for job, server, unit, start, stop in rows.tolist():
                allocations[job].extend((slot, server, kind, unit) for slot in range(start, stop))
        jobs = [
            ScheduledJob(id=self.ids[j], admitted=True, allocations=rows, together=together)
            for j, (rows, together) in enumerate(
                zip(allocations, self.together.tolist(), strict=True)
            )
        ]
        file = ScheduleFile(
            format="1",
            problem="jct",
            instance=self.instance_hash,
            jobs=jobs,
            migration=self.migration,
            faster=self.faster,
        )
        write_atomic(path, canonical(file))


def first_rows(table: np.ndarray, columns: int) -> np.ndarray:
    """Where the first columns of a sorted table change, its first row included."""
    return np.flatnonzero(np.diff(table[:, :columns], axis=0, prepend=-2).any(axis=1))


def _unknown_unit(cluster: Cluster, kind: str, server: int, unit: int) -> str:
    """What is wrong with a worker or parameter server, if anything."""
    what = "worker" if kind == "worker" else "parameter server"
    if server == CLOUD:
        return "" if cluster.cloud else "there is no cloud"
    if server >= cluster.servers:
        return f"no server {server}"
    first = cluster.first_worker if kind == "worker" else cluster.first_ps
    if unit >= first[server + 1] - first[server]:
        return f"no {what} {unit} on server {server}"
    return ""


def _check_rows(instance: JctInstance, kind: str, table: np.ndarray) -> None:
    cluster = instance.cluster
    first = cluster.first_worker if kind == "worker" else cluster.first_ps
    job, server, unit, start, stop = table.T
    known = (job >= 0) & (job < len(instance.jobs)) & (server >= CLOUD) & (server < cluster.servers)
    known &= (unit >= 0) & (cluster.cloud | (server != CLOUD))
    known &= (start >= 0) & (start < stop) & (stop <= cluster.slots)
    at_edge = known & (server != CLOUD)
    size = np.diff(first)
    known[at_edge] &= unit[at_edge] < size[server[at_edge]]
    if not known.all():
        row = int(np.flatnonzero(~known)[0])
        raise InputError(
            f"schedule: {kind} row {tuple(table[row].tolist())} (job, server, number, start, "
            f"stop) is empty, past the horizon of {cluster.slots} slots, or names what is not there"
        )


def _merged(table: np.ndarray) -> np.ndarray:
    """Rows sorted, and intervals of one unit that touch made one."""
    table = table[np.lexsort(table.T[::-1])]
    if not len(table):
        return table
    opens = np.ones(len(table), dtype=bool)
    same = (table[1:, :3] == table[:-1, :3]).all(axis=1)
    opens[1:] = ~(same & (table[1:, 3] == table[:-1, 4]))
    last = np.append(np.flatnonzero(opens)[1:], len(table)) - 1
    return np.column_stack([table[opens, :4], table[last, 4]])
