"""Schedule of the ``completion`` problem: where workers and PSs of each job are, as intervals."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from models.completion.cluster import NO_TYPE
from models.completion.files import ScheduledJob, ScheduleFile
from models.completion.instance import CompletionInstance
from models.errors import InputError
from models.files import canonical, decode, read_bytes, write_atomic
from models.instance import check_made_for, known_jobs
from models.sealing import sealed

__all__ = ["CompletionSchedule"]


@dataclass(frozen=True, eq=False)
class CompletionSchedule:
    """The decisions x, y, s and d of (2); q follows from the placement.

    Parameters
    ----------
    instance_hash : str
        Hash of the instance it belongs to.
    ids : tuple of str
        Job ids, in the order of the instance.
    worker_type, ps_type : ndarray of int64, shape (J,)
        m and p of each job; -1 (``NO_TYPE``) where it has no workers, or no parameter servers.
    rows : ndarray of int64, shape (n, 6)
        Rows (job, begin, end, server, workers, ps), sorted: so many workers and parameter servers
        of the job are there in the slots from begin to end - 1. Rows of a job on one server neither
        overlap nor, if equal, touch.
    elastic : bool
        Whether number and place of workers and parameter servers may change from slot to slot,
        and jobs may pause: wider than the paper's constant placement.
    """

    instance_hash: str
    ids: tuple[str, ...]
    worker_type: np.ndarray
    ps_type: np.ndarray
    rows: np.ndarray
    elastic: bool = False

    @classmethod
    def build(
        cls,
        instance: CompletionInstance,
        worker_type: np.ndarray | list[int],
        ps_type: np.ndarray | list[int],
        rows: np.ndarray | list,
        *,
        elastic: bool = False,
        source: str = "schedule",
    ) -> CompletionSchedule:
        """Make a schedule for an instance from rows in any order; those that overlap add up.

        Raises InputError if a row names a job, server or slot that is not there, or is empty, or
        a job has workers or parameter servers without a type that the instance knows.
        """
        table = np.asarray(rows, dtype=np.int64).reshape(-1, 6)
        most = len(instance.jobs), np.inf, len(instance.cluster.servers)
        at = table[:, [0, 1, 3]]
        inside = ((at >= 0) & (at < most)).all(axis=1) & (table[:, 1] < table[:, 2])
        for row in table[~inside].tolist():
            raise InputError(
                f"{source}: row {tuple(row)} (job, begin, end, server, workers, ps) is empty or "
                f"names what is not there"
            )
        table = _merged(table)
        used = np.zeros((2, len(instance.jobs)), dtype=bool)
        for kind in (0, 1):
            used[kind, table[table[:, 4 + kind] != 0, 0]] = True
        types = np.where(used, np.array([worker_type, ps_type]), NO_TYPE)
        known = [[len(instance.cluster.worker_types)], [len(instance.cluster.ps_types)]]
        for kind, j in np.argwhere(used & ((types < 0) | (types >= known))).tolist():
            what = f"{('worker', 'PS')[kind]} type {types[kind, j]}"
            raise InputError(f"{source}: job '{instance.jobs[j].id}' has no {what}")
        ids = tuple(job.id for job in instance.jobs)
        return cls(instance.hash, ids, sealed(types[0]), sealed(types[1]), sealed(table), elastic)

    @property
    def start(self) -> np.ndarray:
        """First slot of each job, shape (J,); -1 where it does not run."""
        found = self.end
        np.minimum.at(found, self.rows[:, 0], self.rows[:, 1])
        return found

    @property
    def end(self) -> np.ndarray:
        """First slot after the last of each job, shape (J,); -1 where it does not run."""
        found = np.full(len(self.ids), -1, dtype=np.int64)
        np.maximum.at(found, self.rows[:, 0], self.rows[:, 2])
        return found

    @property
    def duration(self) -> np.ndarray:
        """Slots from the first to the last of each job, pauses included, shape (J,)."""
        return self.end - self.start

    @classmethod
    def read(cls, path: str | Path, instance: CompletionInstance) -> CompletionSchedule:
        """Read a schedule file of an instance; jobs that it does not mention do not run.

        Raises InputError if it is malformed or made for another instance, or names an unknown
        job, server or type, or a start or duration that its allocations do not have.
        """
        source = str(path)
        file = decode(read_bytes(path), ScheduleFile, source=source)
        check_made_for(instance, file.instance, source, "$.instance")
        types = np.full((2, len(instance.jobs)), NO_TYPE, dtype=np.int64)
        rows: list[tuple[int, ...]] = []
        for at, index, job in known_jobs(file.jobs, instance, source):
            if not job.admitted:
                raise InputError(f"{source}: every job has to be admitted - at `{at}.admitted`")
            slots = [slot for slot, *_ in job.allocations] or [-1]
            if (job.start, job.start + job.duration) != (min(slots), max(slots) + 1):
                raise InputError(
                    f"{source}: the allocations do not span the {job.duration} slots from "
                    f"{job.start} on - at `{at}.start`"
                )
            types[:, index] = job.worker_type, job.ps_type
            for slot, server, kind, count in job.allocations:
                counts = (count, 0) if kind == "worker" else (0, count)
                rows.append((index, slot, slot + 1, server, *counts))
        return cls.build(instance, types[0], types[1], rows, elastic=file.elastic, source=source)

    def write(self, path: str | Path) -> None:
        """Write the schedule file (gzip-ed by ending), whole or not at all."""
        allocations: list[list[Any]] = [[] for _ in self.ids]
        for job, begin, end, server, workers, ps in self.rows.tolist():
            counts = [(kind, n) for kind, n in (("worker", workers), ("ps", ps)) if n]
            for slot in range(begin, end):
                allocations[job] += [(slot, server, kind, n) for kind, n in counts]
        numbers = np.column_stack([self.start, self.duration, self.worker_type, self.ps_type])
        jobs = [
            ScheduledJob(name, True, start, duration, m, p, sorted(rows))
            for name, (start, duration, m, p), rows in zip(
                self.ids, numbers.tolist(), allocations, strict=True
            )
            if rows
        ]
        file = ScheduleFile("1", "completion", self.instance_hash, jobs, self.elastic)
        write_atomic(path, canonical(file))


def _merged(table: np.ndarray) -> np.ndarray:
    """Rows sorted, those that overlap added up, equal ones that touch made one."""
    job, begin, end, server, workers, ps = table.T
    opens = np.column_stack([job, server, begin, workers, ps])
    closes = np.column_stack([job, server, end, -workers, -ps])
    events = np.concatenate([opens, closes])
    at, place = np.unique(events[:, :3], axis=0, return_inverse=True)
    change = np.zeros((len(at), 2), dtype=np.int64)
    np.add.at(change, place.ravel(), events[:, 3:])
    changed = change.any(axis=1)
    at, level = at[changed], np.cumsum(change[changed], axis=0)
    # The last event of a job on a server leaves nothing there.
    runs = np.flatnonzero(level.any(axis=1))
    (job, server, begin), end = at[runs].T, at[runs + 1, 2]
    merged = np.column_stack([job, begin, end, server, level[runs]])
    return merged[np.lexsort(merged.T[::-1])]
