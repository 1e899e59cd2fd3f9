"""Schedule of the ``utility`` problem: which server runs how many workers when, sparse."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from models.errors import InputError
from models.files import canonical, decode, read_bytes, write_atomic
from models.instance import check_made_for, known_jobs
from models.utility.files import Allocations, ScheduledJob, ScheduleFile
from models.utility.instance import UtilityInstance

__all__ = ["UtilitySchedule"]


def _rows(rows: np.ndarray | list) -> np.ndarray:
    """Sorted, read-only rows without zeros; equal keys are added up."""
    table = np.asarray(rows, dtype=np.int64).reshape(-1, 4)
    keys, place = np.unique(table[:, :3], axis=0, return_inverse=True)
    count = np.zeros(len(keys), dtype=np.int64)
    np.add.at(count, place.ravel(), table[:, 3])
    table = np.column_stack([keys, count])[count != 0]
    table.setflags(write=False)
    return table


@dataclass(frozen=True, eq=False)
class UtilitySchedule:
    """The decisions x, y and z of the paper, nonzeros only.

    Parameters
    ----------
    instance_hash : str
        Hash of the instance it belongs to.
    ids : tuple of str
        Job ids, in the order of the instance.
    admitted : ndarray of bool, shape (I,)
        ``x_i``.
    workers : ndarray of int64, shape (n, 4)
        Rows (job, slot, server, ``y_ih(t)``), sorted.
    ps : ndarray of int64, shape (m, 4)
        Rows (job, slot, server, ``z_ik(t)``), sorted.
    """

    instance_hash: str
    ids: tuple[str, ...]
    admitted: np.ndarray
    workers: np.ndarray
    ps: np.ndarray

    @classmethod
    def build(
        cls,
        instance: UtilityInstance,
        admitted: np.ndarray,
        workers: np.ndarray | list,
        ps: np.ndarray | list,
    ) -> UtilitySchedule:
        """Make a schedule for an instance from rows in any order."""
        flags = np.array(admitted, dtype=bool)
        flags.setflags(write=False)
        ids = tuple(job.id for job in instance.jobs)
        return cls(instance.hash, ids, flags, _rows(workers), _rows(ps))

    @classmethod
    def read(cls, path: str | Path, instance: UtilityInstance) -> UtilitySchedule:
        """Read a schedule file that belongs to an instance.

        Jobs that the file does not mention are not admitted and run nowhere.

        Raises
        ------
        InputError
            If it is malformed or made for another instance, or names an unknown job,
            slot or server.
        """
        source = str(path)
        file = decode(read_bytes(path), ScheduleFile, source=source)
        check_made_for(instance, file.instance, source, "$.instance")
        admitted = np.zeros(len(instance.jobs), dtype=bool)
        rows: dict[str, list] = {"worker": [], "ps": []}
        servers = {
            "worker": len(instance.cluster.worker_servers),
            "ps": len(instance.cluster.ps_servers),
        }
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
        file = ScheduleFile(format="1", problem="utility", instance=self.instance_hash, jobs=jobs)
        write_atomic(path, canonical(file))
