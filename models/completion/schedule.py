"""Schedule of the ``completion`` problem: where workers and PSs of each job are, as intervals."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.completion.cluster import NO_TYPE
from models.completion.files import Allocations, ScheduledJob, ScheduleFile
from models.completion.instance import CompletionInstance
from models.errors import InputError
from models.files import canonical, decode, read_bytes, write_atomic
from models.instance import check_made_for, known_jobs
from models.sealing import sealed

__all__ = ["CompletionSchedule"]

_MOST_ROWS = 2 * 10**7  # of a schedule file; a hundred bytes each while it is written


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

        Raises
        ------
        InputError
            If a row names a job, server or slot that is not there, or is empty, or a job has
            workers or parameter servers without a type that the instance knows.
        """
        table = np.asarray(rows, dtype=np.int64).reshape(-1, 6)
        inside = (table[:, [0, 3]] < (len(instance.jobs), len(instance.cluster.servers))).all(
            axis=1
        )
        inside &= (table[:, [0, 1, 3]] >= 0).all(axis=1) & (table[:, 1] < table[:, 2])
        for row in table[~inside].tolist():
            raise InputError(
                f"{source}: row {tuple(row)} (job, begin, end, server, workers, ps) is empty or "
                f"names what is not there"
            )
        table = _merged(table)
        types = []
        for what, chosen, column, known in (
            ("worker", worker_type, 4, len(instance.cluster.worker_types)),
            ("PS", ps_type, 5, len(instance.cluster.ps_types)),
        ):
            kinds = np.asarray(chosen, dtype=np.int64)
            if kinds.shape != (len(instance.jobs),):
                raise InputError(
                    f"{source}: {kinds.size} {what} types for {len(instance.jobs)} jobs"
                )
            used = np.zeros(len(kinds), dtype=bool)
            used[table[table[:, column] != 0, 0]] = True
            for j in np.flatnonzero(used & ((kinds < 0) | (kinds >= known))).tolist():
                job = instance.jobs[j]
                raise InputError(f"{source}: job '{job.id}' has no {what} type {kinds[j]}")
            types.append(sealed(np.where(used, kinds, NO_TYPE)))
        ids = tuple(job.id for job in instance.jobs)
        return cls(instance.hash, ids, types[0], types[1], sealed(table), elastic)

    @property
    def start(self) -> np.ndarray:
        """First slot of each job, shape (J,); -1 where it does not run."""
        found = np.full(len(self.ids), np.iinfo(np.int64).max)
        np.minimum.at(found, self.rows[:, 0], self.rows[:, 1])
        return np.where(self.end >= 0, found, -1)

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
        """Read a schedule file that belongs to an instance.

        Jobs that the file does not mention do not run.

        Raises
        ------
        InputError
            If it is malformed or made for another instance, or names an unknown job, server or
            type, or a start or duration that its allocations do not have.
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
        """Write the schedule file (gzip-ed by ending), whole or not at all.

        Raises
        ------
        InputError
            If it would take more than 2e7 rows, or cannot be written.
        """
        size = 2 * int((self.rows[:, 2] - self.rows[:, 1]).sum())
        if size > _MOST_ROWS:
            raise InputError(f"{path}: {size} allocations are more than {_MOST_ROWS}")
        allocations: list[Allocations] = [[] for _ in self.ids]
        for job, begin, end, server, workers, ps in self.rows.tolist():
            for slot in range(begin, end):
                if workers:
                    allocations[job].append((slot, server, "worker", workers))
                if ps:
                    allocations[job].append((slot, server, "ps", ps))
        start, duration = self.start, self.duration
        jobs = [
            ScheduledJob(
                id=self.ids[j],
                admitted=True,
                start=int(start[j]),
                duration=int(duration[j]),
                worker_type=int(self.worker_type[j]),
                ps_type=int(self.ps_type[j]),
                allocations=sorted(rows),
            )
            for j, rows in enumerate(allocations)
            if rows
        ]
        file = ScheduleFile(
            format="1",
            problem="completion",
            instance=self.instance_hash,
            jobs=jobs,
            elastic=self.elastic,
        )
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
