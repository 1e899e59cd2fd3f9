"""Schedules of elastic jobs: which server runs how many workers and parameter servers when."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import msgspec
import numpy as np

from models.allocations import summed_rows
from models.errors import InputError
from models.files import canonical, decode, read_bytes, write_atomic
from models.instance import check_made_for, known_jobs
from models.slot_column import Column
from models.wire import Index, SmallCount

__all__ = ["Allocations", "ScheduledJob", "SlotSchedule", "SlotScheduleFile"]

Allocations = list[tuple[Index, Index, Literal["worker", "ps"], SmallCount]]


class ScheduledJob(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One job of a schedule file; allocations are ``[slot, server, kind, count]``."""

    id: str
    admitted: bool
    allocations: Allocations


class SlotScheduleFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A schedule file; a subclass names its problem."""

    format: Literal["1"]
    problem: str
    instance: str
    jobs: list[ScheduledJob]


@dataclass(frozen=True, eq=False)
class SlotSchedule(ABC):
    """Admissions, and numbers of workers and parameter servers by slot and server, nonzeros only.

    A subclass names its problem, the type of its files, and the numbers of servers.

    Parameters
    ----------
    instance_hash : str
        Hash of the instance it belongs to.
    ids : tuple of str
        Job ids, in the order of the instance.
    admitted : ndarray of bool, shape (I,)
        Which jobs are admitted.
    workers, ps : ndarray of int64, shape (n, 4) and (m, 4)
        Rows (job, slot, server, count), sorted.
    """

    instance_hash: str
    ids: tuple[str, ...]
    admitted: np.ndarray
    workers: np.ndarray
    ps: np.ndarray

    problem: ClassVar[str]
    file_type: ClassVar[Any]

    @staticmethod
    @abstractmethod
    def servers(cluster: Any) -> dict[str, int]:
        """Number of servers for workers, ``"worker"``, and for parameter servers, ``"ps"``."""

    @classmethod
    def build(
        cls,
        instance: Any,
        admitted: np.ndarray,
        workers: np.ndarray | list,
        ps: np.ndarray | list,
    ) -> Self:
        """Make a schedule for an instance from rows in any order."""
        flags = np.array(admitted, dtype=bool)
        flags.setflags(write=False)
        ids = tuple(job.id for job in instance.jobs)
        return cls(instance.hash, ids, flags, summed_rows(workers, 4), summed_rows(ps, 4))

    @classmethod
    def of_columns(cls, instance: Any, columns: Iterable[Column]) -> Self:
        """Schedule that runs each of these columns, at most one per job; other jobs do not run."""
        admitted = np.zeros(len(instance.jobs), dtype=bool)
        tables: list[list[tuple[int, ...]]] = [[], []]
        for column in columns:
            if admitted[column.job]:
                raise ValueError(f"two columns of job {column.job}")
            admitted[column.job] = True
            for table, part in zip(tables, (column.workers, column.ps), strict=True):
                table += [(column.job, *row) for row in part.tolist()]
        return cls.build(instance, admitted, *tables)

    @classmethod
    def read(cls, path: str | Path, instance: Any) -> Self:
        """Read a schedule file that belongs to an instance.

        Jobs that the file does not mention are not admitted and run nowhere.

        Raises
        ------
        InputError
            If it is malformed or made for another instance, or names an unknown job,
            slot or server.
        """
        source = str(path)
        file = decode(read_bytes(path), cls.file_type, source=source)
        check_made_for(instance, file.instance, source, "$.instance")
        admitted = np.zeros(len(instance.jobs), dtype=bool)
        rows: dict[str, list] = {"worker": [], "ps": []}
        servers = cls.servers(instance.cluster)
        for at, index, job in known_jobs(file.jobs, instance, source):
            admitted[index] = job.admitted
            for number, (slot, server, kind, count) in enumerate(job.allocations):
                where = f"{at}.allocations[{number}]"
                if slot >= instance.cluster.slots:
                    raise InputError(f"{source}: slot {slot} is past the horizon - at `{where}`")
                if server >= servers[kind]:
                    raise InputError(f"{source}: no {kind} server {server} - at `{where}`")
                rows[kind].append((index, slot, server, count))
        return cls.build(instance, admitted, rows["worker"], rows["ps"])

    def write(self, path: str | Path) -> None:
        """Write the schedule file (gzip-ed by ending), whole or not at all."""
        allocations: list[Allocations] = [[] for _ in self.ids]
        kinds: tuple[tuple[Literal["worker", "ps"], np.ndarray], ...] = (
            ("worker", self.workers),
            ("ps", self.ps),
        )
        for kind, rows in kinds:
            for job, slot, server, count in rows.tolist():
                allocations[job].append((slot, server, kind, count))
        jobs = [
            ScheduledJob(id=self.ids[i], admitted=bool(self.admitted[i]), allocations=rows)
            for i, rows in enumerate(allocations)
        ]
        file = self.file_type(
            format="1", problem=self.problem, instance=self.instance_hash, jobs=jobs
        )
        write_atomic(path, canonical(file))
