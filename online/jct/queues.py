"""The queues of all edge workers under HAPRF: the highest average processing rate first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from online.jct.kernels import prices, roll

__all__ = ["Head", "Queues"]

_FIRST = 8  # chunks a queue has room for before it grows
NEVER = np.iinfo(np.int64).max


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
        self._rate = np.zeros((workers, _FIRST))
        self._weight = np.zeros((workers, _FIRST))
        self._ready = np.zeros((workers, _FIRST), dtype=np.int64)
        self._left = np.zeros((workers, _FIRST), dtype=np.int64)
        self._job = np.zeros((workers, _FIRST), dtype=np.int64)
        self._chunk = np.zeros((workers, _FIRST), dtype=np.int64)

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
        queue = (self._rate, self._ready, self._left, self._weight)
        prices(workers, now, delay, gamma, processing, chunks, queue, self._count, self._since, out)
        return out

    def insert(
        self,
        worker: int,
        now: int,
        *,
        job: int,
        chunk: int,
        gamma: float,
        ready: int,
        processing: int,
        weight: float,
    ) -> None:
        """Insert a chunk after all with its rate or a higher one; jobs come in order of arrival."""
        self._advance(worker, now)
        count = int(self._count[worker])
        if count == self._rate.shape[1]:
            self._grow()
        place = count
        while place and self._rate[worker, place - 1] < gamma:
            place -= 1
        for column, value in (
            (self._rate, gamma),
            (self._weight, weight),
            (self._ready, ready),
            (self._left, processing),
            (self._job, job),
            (self._chunk, chunk),
        ):
            row = column[worker]
            row[place + 1 : count + 1] = row[place:count].copy()
            row[place] = value
        self._count[worker] += 1

    def head(self, worker: int, now: int) -> Head:
        """What a worker does from ``now`` on; chunks that are done by then leave the queue."""
        self._advance(worker, now)
        until: int | None = None
        for k in range(int(self._count[worker])):
            ready = int(self._ready[worker, k])
            if ready <= now:
                done = now + int(self._left[worker, k])
                until = done if until is None else min(until, done)
                return Head(int(self._job[worker, k]), int(self._chunk[worker, k]), until)
            until = ready if until is None else min(until, ready)
        return Head(-1, -1, until)

    def _advance(self, worker: int, now: int) -> None:
        count = int(self._count[worker])
        left = self._left[worker]
        roll(self._ready[worker], left, count, int(self._since[worker]), now)
        self._since[worker] = now
        keep = np.flatnonzero(left[:count])
        if len(keep) < count:
            for column in self._columns():
                column[worker, : len(keep)] = column[worker, keep]
            self._count[worker] = len(keep)

    def _grow(self) -> None:
        for name in ("_rate", "_weight", "_ready", "_left", "_job", "_chunk"):
            column = getattr(self, name)
            setattr(self, name, np.concatenate([column, np.zeros_like(column)], axis=1))

    def _columns(self) -> tuple[np.ndarray, ...]:
        return (self._rate, self._weight, self._ready, self._left, self._job, self._chunk)
