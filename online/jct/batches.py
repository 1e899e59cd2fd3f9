"""BatchSche: jobs in geometrically growing batches, without preemption, at least cost."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import numpy as np

from models.jct.cluster import CLOUD, Cluster, Job
from online.choices import check_choice
from online.jct.events import JctEvent, Order, Plan
from online.jct.parameter_servers import most_at_once
from online.jct.stock import Stock
from online.policy import Arrival, Decision, Policy

__all__ = ["BatchSche"]


class _Option(NamedTuple):
    """A way to run a job: on g workers that start together, or in the cloud (no workers)."""

    start: int
    stop: int
    cost: float
    workers: tuple[int, ...]


class BatchSche(Policy):
    """Batches as in reference [11] of the paper, on this model.

    Batch i is closed in slot ``tau_i = 2^(i - 1)`` and holds the jobs that have arrived by
    then; a job that could no longer complete in the cloud if it waited goes ahead. The jobs of
    a batch are taken in order of arrival. Each gets the workers it asks for, or as many as the
    edge has (without a cloud twice as many, and so on, until they can store its chunks), which
    train its chunks one after the other without preemption from one start on, or goes to the
    cloud as a whole. What is decided is not changed later.

    Workers of one server and type cost ``lambda^(busy / all) - 1`` a slot, with
    ``lambda = 2 S + 1`` and the share of them that is reserved at the start; the cloud, of
    unlimited capacity, costs nothing. Of the options that complete within the batch's length of
    ``tau_i`` slots (or twice that, and so on, if none does) the cheapest is taken, of equal ones
    the first to complete, of those the edge.

    Parameters
    ----------
    clock : str
        ``"doubling"``, the registered reading: the batches above. ``"one-by-one"``: a batch is
        closed as soon as all jobs of the one before are complete; its length is the slots since
        that one was closed, at least 1.
    """

    name: ClassVar[str] = "batchsche"

    def __init__(self, *, clock: str = "doubling") -> None:
        check_choice("clock", clock, ("doubling", "one-by-one"))
        self._doubling = clock == "doubling"

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with all workers free."""
        self._cluster = public
        self._stock = Stock(public)
        pairs = np.column_stack([public.worker_server, public.worker_type])
        _, self._group = np.unique(pairs, axis=0, return_inverse=True)
        self._group = self._group.reshape(-1)
        self._capacity = np.bincount(self._group)
        self._free_at = np.zeros(len(public.worker_server), dtype=np.int64)
        self._waiting: list[Job] = []
        self._starts: list[tuple[int, int, int, int]] = []  # heap of (slot, worker, job, chunk)
        self._spans: dict[int, list[tuple[int, int]]] = defaultdict(list)  # of each PS type
        self._length = 1  # tau of the batch that is open
        self._closed = 0  # slot in which the last batch was closed
        self._running: set[int] = set()  # jobs sent that are not complete

    def step(self, event: JctEvent) -> Decision:
        """Close the batch if it is time, and start what was scheduled for this slot."""
        if isinstance(event, Arrival):
            self._waiting.append(event.job)
            return Decision()
        now = event.slot
        for job in event.completed:
            self._stock.give_back(job, now)
        self._running.difference_update(event.completed)
        orders: dict[int, dict[int, Order]] = defaultdict(dict)
        together: set[int] = set()
        closed = self._closes(now)
        for waiting in list(self._waiting):
            if closed or self._last_chance(waiting) <= now:
                option = self._choose(waiting, now)
                if option is not None:
                    self._waiting.remove(waiting)
                    self._running.add(waiting.index)
                    self._reserve(waiting, option, orders[waiting.index], together)
        while self._starts and self._starts[0][0] <= now:
            _, worker, rank, chunk = heapq.heappop(self._starts)
            server = int(self._cluster.worker_server[worker])
            orders[rank][chunk] = Order(chunk, server, worker)
        plans = {
            rank: Plan(tuple(listed.values()), rank in together) for rank, listed in orders.items()
        }
        return Decision(plans, self._next_slot(now))

    def _closes(self, now: int) -> bool:
        """Whether the open batch is closed in this slot; the length is then its own."""
        if self._doubling:
            while 2 * self._length <= now:
                self._length *= 2
            return self._length == now
        if self._running or not self._waiting:
            return False
        self._length, self._closed = max(1, now - self._closed), now
        return True

    def _next_slot(self, now: int) -> int | None:
        slots = [self._starts[0][0]] if self._starts else []
        if self._waiting:
            if self._doubling:
                slots.append(self._length if self._length > now else 2 * self._length)
            slots.extend(self._last_chance(job) for job in self._waiting)
        coming = min((slot for slot in slots if slot > now), default=self._cluster.slots)
        return coming if coming < self._cluster.slots else None

    def _last_chance(self, job: Job) -> int:
        """Last slot in which the job can be sent to complete in the cloud by the horizon."""
        if job.cloud_upload_slots is None:
            return self._cluster.slots
        return self._cluster.slots - job.cloud_upload_slots - job.cloud_chunk_slots

    # ---- options -------------------------------------------------------------------------

    def _choose(self, job: Job, now: int) -> _Option | None:
        workers = job.eligible(self._cluster)
        size = min(job.requested_workers, len(workers))
        options = list(self._at_the_edge(job, now, workers, size))
        while not (options or self._cluster.cloud or size >= len(workers)):
            size = min(2 * size, len(workers))  # more servers to store the chunks
            options = list(self._at_the_edge(job, now, workers, size))
        if job.cloud_upload_slots is not None:
            stop = now + job.cloud_upload_slots + job.cloud_chunk_slots
            options.append(_Option(now, stop, 0.0, ()))
        if not options:
            return None
        horizon, length = self._cluster.slots, self._length

        def rank(option: _Option) -> tuple[bool, int, float, int]:
            blocks = -(-(option.stop - now) // length)
            return option.stop > horizon, blocks, option.cost, option.stop

        return min(options, key=rank)

    def _at_the_edge(self, job: Job, now: int, workers: np.ndarray, size: int) -> Iterator[_Option]:
        """One option for every slot in which a worker becomes free, until one costs nothing."""
        if size == 0:
            return
        share = -(-job.chunks // size)
        servers = self._cluster.worker_server[workers]
        room = self._stock.room(job, job.arrival)
        there = np.maximum(now + job.upload_slots[servers], self._free_at[workers])
        base = 2.0 * self._cluster.servers + 1.0
        duration = share * job.chunk_slots
        spans = self._spans[job.ps_type]
        for start in sorted({*there.tolist(), *(stop for _, stop in spans if stop > now)}):
            free = np.flatnonzero(there <= start)
            served = sum(a < start + duration and b > start for a, b in spans)
            if len(free) < size or served >= most_at_once(job, self._cluster):
                continue
            busy = np.bincount(self._group[self._free_at > start], minlength=len(self._capacity))
            price = base ** (busy / self._capacity) - 1.0
            each = price[self._group[workers[free]]]
            chosen: list[int] = []
            left = room.copy()
            for place in np.lexsort((free, each)).tolist():
                server = servers[free[place]]
                chunks = (job.chunks + size - 1 - len(chosen)) // size  # as they are dealt out
                if left[server] >= chunks and len(chosen) < size:
                    left[server] -= chunks
                    chosen.append(place)
            if len(chosen) < size:
                continue
            cost = float(each[chosen].sum()) * duration
            yield _Option(start, start + duration, cost, tuple(workers[free[chosen]].tolist()))
            if cost == 0.0:
                return

    def _reserve(
        self, job: Job, option: _Option, orders: dict[int, Order], together: set[int]
    ) -> None:
        """Send the data, and note when each chunk begins."""
        if not option.workers:
            together.add(job.index)
            orders.update({c: Order(c, CLOUD, c) for c in range(job.chunks)})
            return
        if not self._cluster.cloud:
            self._spans[job.ps_type].append((option.start, option.stop))
        sent = []
        for chunk in range(job.chunks):
            turn, place = divmod(chunk, len(option.workers))
            worker = option.workers[place]
            start = option.start + turn * job.chunk_slots
            server = int(self._cluster.worker_server[worker])
            orders[chunk] = Order(chunk, server, None)
            heapq.heappush(self._starts, (start, worker, job.index, chunk))
            self._free_at[worker] = start + job.chunk_slots
            sent.append(server)
        self._stock.take(job, sent, job.arrival)
