"""The queues of all edge workers under HAPRF: the highest average processing rate first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from online.jct.kernels import prices, roll

__all__ = ["Head", "Queues"]

_FIRST = 8  # entries a queue has room for before it grows
_COLUMNS = ("_rate", "_weight", "_ready", "_left", "_each", "_job")


class Head(NamedTuple):
    """What a worker does from a slot on.

    Parameters
    ----------
    job, chunk : int
        The chunk that runs; -1, -1 if none does.
    until : int or None
        Slot in which this changes if nothing new comes; None if the queue is empty.
    """

    job: int
    chunk: int
    until: int | None


class Queues:
    """Pending chunks per worker, by falling gamma; ties by arrival, then index.

    The chunks of a job that wait at a worker are sent together, have one rate, and are trained one
    after the other: they are one entry of the queue, with the work that is left of them all.

    A queue is exact at the slot ``since`` of its last change. It is rolled forward to a later slot
    only when that is asked for.

    Parameters
    ----------
    workers : int
        Number of edge workers, W.
    """

    def __init__(self, workers: int) -> None:
        self._count = np.zeros(workers, dtype=np.int64)
        self._since = np.zeros(workers, dtype=np.int64)
        self._chunks: dict[tuple[int, int], Sequence[int]] = {}  # of (worker, job)
        self._rate = np.zeros((workers, _FIRST))
        self._weight = np.zeros((workers, _FIRST))  # of each chunk
        self._ready = np.zeros((workers, _FIRST), dtype=np.int64)
        self._left = np.zeros((workers, _FIRST), dtype=np.int64)  # work of all chunks
        self._each = np.ones((workers, _FIRST), dtype=np.int64)  # work of a whole chunk
        self._job = np.zeros((workers, _FIRST), dtype=np.int64)

    def prices(
        self,
        workers: np.ndarray,
        now: int,
        delay: np.ndarray,
        *,
        gamma: float,
        processing: int,
        chunks: int,
    ) -> np.ndarray:
        """``Q_jdsw`` of (5) for the first chunk of a job whose data is sent now.

        Parameters
        ----------
        workers, delay : ndarray of int64, shape (N,)
            Candidates and the job's upload delay to each.
        now : int
        gamma, processing, chunks
            Average processing rate, ``p`` in slots, ``D`` of the job.

        Returns
        -------
        ndarray of float, shape (N,)
        """
        out = np.empty(len(workers))
        queue = (self._rate, self._ready, self._left, self._each, self._weight)
        prices(workers, now, delay, gamma, processing, chunks, queue, self._count, self._since, out)
        return out

    def insert(
        self,
        worker: int,
        now: int,
        *,
        job: int,
        chunks: Sequence[int],
        gamma: float,
        ready: int,
        processing: int,
        weight: float,
    ) -> None:
        """Insert chunks of a job, sent now, after all with their rate or a higher one.

        Jobs come in order of arrival, and each at most once to a worker.

        Parameters
        ----------
        worker, now, job : int
        chunks : sequence of int
            In the order in which they are trained; not empty.
        gamma : float
            Their rate.
        ready : int
            Slot from which on their data is there.
        processing : int
            Slots of work of each.
        weight : float
            Of each, in the prices of other jobs.
        """
        self._advance(worker, now)
        count = int(self._count[worker])
        if count == self._rate.shape[1]:
            self._grow()
        # The rates fall, so this is behind all that are as high or higher.
        place = int(np.searchsorted(-self._rate[worker, :count], -gamma, side="right"))
        values = (gamma, weight, ready, len(chunks) * processing, processing, job)
        for column, value in zip(self._columns(), values, strict=True):
            row = column[worker]
            row[place + 1 : count + 1] = row[place:count].copy()
            row[place] = value
        self._count[worker] += 1
        self._chunks[worker, job] = chunks

    def head(self, worker: int, now: int) -> Head:
        """What a worker does from ``now`` on; jobs that are done by then leave the queue."""
        self._advance(worker, now)
        ready = self._ready[worker, : self._count[worker]]
        there = (ready <= now).nonzero()[0]
        first = int(there[0]) if len(there) else len(ready)
        until = int(ready[:first].min()) if first else None  # no chunk before it is there
        if first == len(ready):
            return Head(-1, -1, until)
        job = int(self._job[worker, first])
        chunks = self._chunks[worker, job]
        left, each = int(self._left[worker, first]), int(self._each[worker, first])
        pending = -(-left // each)
        done = now + left - (pending - 1) * each
        return Head(job, chunks[-pending], done if until is None else min(until, done))

    def _advance(self, worker: int, now: int) -> None:
        count, left = int(self._count[worker]), self._left[worker]
        some_done = roll(self._ready[worker], left, count, int(self._since[worker]), now)
        self._since[worker] = now
        if some_done:
            keep = np.flatnonzero(left[:count])
            for job in self._job[worker, :count][left[:count] == 0].tolist():
                del self._chunks[worker, job]
            for column in self._columns():
                column[worker, : len(keep)] = column[worker, keep]
            self._count[worker] = len(keep)

    def _grow(self) -> None:
        for name in _COLUMNS:
            column = getattr(self, name)
            setattr(self, name, np.concatenate([column, np.ones_like(column)], axis=1))

    def _columns(self) -> tuple[np.ndarray, ...]:
        return tuple(getattr(self, name) for name in _COLUMNS)
