"""A job that gets all the workers it asks for or none: its chunks, and how they are dealt out."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from models.jct.cluster import Cluster, Job

__all__ = ["Gang"]


@dataclass(eq=False)
class Gang:
    """A job at the edge: what is left of it, and the workers that it has.

    Parameters
    ----------
    job : Job
    size : int
        Workers it asks for, all or nothing; after a pause, as many as it had then.
    server : list of int
        Server of every worker of the edge.
    stopped : int
        Slot from which on it has waited, if it has no workers.
    lists : dict of int to deque of int
        Worker -> chunks that it trains one after the other; empty while the job is paused.
    ready : dict of int to dict of int to int
        Server -> chunk -> slot from which the chunk's data is there.
    home : dict of int to int
        Server to which each chunk was dealt last.
    since : int
    left : dict of int to int
        Slots of work left of each chunk that is not done, by chunk; exact at ``since``.
    work : int
        Their sum: worker-slots left.
    """

    job: Job
    size: int
    server: list[int]
    stopped: int
    lists: dict[int, deque[int]] = field(default_factory=dict)
    ready: dict[int, dict[int, int]] = field(default_factory=dict)
    home: dict[int, int] = field(default_factory=dict)
    since: int = 0
    left: dict[int, int] = field(init=False)
    work: int = field(init=False)
    _stored: dict[tuple[int, ...], list[int]] | None = field(init=False, default=None)
    _at_home: Counter[int] = field(init=False, default_factory=Counter)

    def __post_init__(self) -> None:
        self.left = dict.fromkeys(range(self.job.chunks), self.job.chunk_slots)
        self.work = self.job.chunks * self.job.chunk_slots

    @property
    def need(self) -> int:
        """Workers it needs now: those it has, or as many as it asks for and can still use."""
        return len(self.lists) or min(self.size, len(self.left))

    @property
    def attained(self) -> int:
        """Worker-slots served so far."""
        return self.job.chunks * self.job.chunk_slots - self.work

    def advance(self, now: int) -> None:
        """Update the work left to a slot before which no chunk is done."""
        if now == self.since:
            return
        for worker, chunks in self.lists.items():
            chunk = chunks[0]
            ran = now - max(self.since, self.ready[self.server[worker]][chunk])
            if ran > 0:
                self.left[chunk] -= ran
                self.work -= ran
        self.since = now

    def uploading(self) -> int:
        """Slots until the first worker of a job that runs has the data of what it trains."""
        ready = (self.ready[self.server[w]][chunks[0]] for w, chunks in self.lists.items())
        return max(0, min(ready) - self.since)

    def finish(self, chunk: int, now: int) -> int:
        """Take note that the first chunk of a worker is done; returns the worker."""
        self.advance(now)
        worker = next(w for w, chunks in self.lists.items() if chunks[0] == chunk)
        self.work -= self.left.pop(chunk)
        self.lists[worker].popleft()
        return worker

    def start(self, dealt: dict[int, deque[int]], now: int) -> list[tuple[int, int, bool]]:
        """Give the job workers with lists of chunks, and send the data that is not there.

        Returns
        -------
        list of (int, int, bool)
            Worker and chunk, for every chunk that is first in its list or whose data is sent now;
            whether it is sent.
        """
        concerned = []
        for worker, chunks in dealt.items():
            server = self.server[worker]
            ready, arrives = self.ready.setdefault(server, {}), now + self.job.upload_to(server)
            self.home.update(dict.fromkeys(chunks, server))
            for chunk in chunks:
                if chunk not in ready:
                    ready[chunk] = arrives
                    concerned.append((worker, chunk, True))
                elif chunk == chunks[0]:
                    concerned.append((worker, chunk, False))
        self.lists, self.since, self._stored = dealt, now, None
        return concerned

    # ---- dealing chunks out, while it has no workers -----------------------------------------

    def choose(self, cluster: Cluster, workers: np.ndarray, room: np.ndarray) -> list[int] | None:
        """Choose as many workers as it needs; None if there are too few, or too little storage.

        One worker on every server with data of the job comes first, so that a job can always
        resume; then those of servers that hold most of it, then those of least upload delay.

        Parameters
        ----------
        cluster : Cluster
        workers : ndarray of int64
            To choose from, ascending.
        room : ndarray of int64, shape (S,)
            Chunks that each server can still store.
        """
        stored, at_home = self._where()
        held = np.zeros(len(room), dtype=np.int64)
        held[list(at_home)] = list(at_home.values())
        server = cluster.worker_server
        workers = workers[(held + room)[server[workers]] > 0]
        at = server[workers]
        again = np.ones(len(workers), dtype=bool)
        again[np.unique(at, return_index=True)[1]] = False
        delay = self.job.upload_slots[at]
        order = np.lexsort((workers, delay, -held[at], again | (held[at] == 0)))
        chosen: list[int] = workers[order][: self.need].tolist()
        if len(chosen) < self.need:
            return None
        servers = {self.server[worker] for worker in chosen}
        new = sum(len(chunks) for there, chunks in stored.items() if servers.isdisjoint(there))
        return chosen if new <= sum(room[server] for server in servers) else None

    def deal(self, chosen: list[int], room: np.ndarray) -> dict[int, deque[int]]:
        """Deal the chunks out: those whose data is there first, each to the least of its workers.

        Parameters
        ----------
        chosen : list of int
            What :meth:`choose` has returned.
        room : ndarray of int64, shape (S,)
            The same as there.
        """
        dealt: dict[int, deque[int]] = {worker: deque() for worker in chosen}
        servers = {self.server[worker] for worker in chosen}
        stored, _ = self._where()
        held: list[tuple[int, tuple[int, ...]]] = []
        new: list[int] = []
        for there, chunks in stored.items():
            at = tuple(server for server in there if server in servers)
            if at:
                held += ((chunk, at) for chunk in chunks)
            else:
                new += chunks
        shortest = {at: self._by_length(chosen, at) for at in {at for _, at in held}}
        for chunk, at in sorted(held):
            dealt[_shortest(shortest[at], dealt)].append(chunk)
        left = {server: int(room[server]) for server in servers}
        some_room = self._by_length(chosen, [server for server in servers if left[server]])
        for chunk in sorted(new):
            while not left[self.server[worker := _shortest(some_room, dealt)]]:
                heapq.heappop(some_room)
            left[self.server[worker]] -= 1
            dealt[worker].append(chunk)
        return {worker: chunks for worker, chunks in dealt.items() if chunks}

    def _by_length(self, chosen: list[int], servers: Iterable[int]) -> list[tuple[int, int, int]]:
        """Heap of (length of its list, place, worker) of the workers on some servers."""
        return [(0, n, w) for n, w in enumerate(chosen) if self.server[w] in servers]

    def _where(self) -> tuple[dict[tuple[int, ...], list[int]], Counter[int]]:
        """Pending chunks by the servers that have their data, and their number by home.

        Nothing of it changes while the job has no workers.
        """
        if self._stored is None:
            there: dict[int, tuple[int, ...]] = dict.fromkeys(self.left, ())
            for server, chunks in sorted(self.ready.items()):
                for chunk in chunks.keys() & there.keys():
                    there[chunk] += (server,)
            self._stored = {}
            for chunk, servers in there.items():
                self._stored.setdefault(servers, []).append(chunk)
            self._at_home = Counter(self.home[chunk] for chunk in self.left if chunk in self.home)
        return self._stored, self._at_home


def _shortest(heap: list[tuple[int, int, int]], dealt: dict[int, deque[int]]) -> int:
    """The worker of the shortest list, of equal ones the first; lengths in the heap may be old."""
    while heap[0][0] != len(dealt[heap[0][2]]):
        _, place, worker = heap[0]
        heapq.heapreplace(heap, (len(dealt[worker]), place, worker))
    return heap[0][2]
