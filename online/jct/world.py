"""The ``jct`` problem as it unfolds: arrivals, uploads, chunks that run, wait and are done."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import index
from typing import Any

from models.jct.cluster import CLOUD, Cluster, Job
from models.jct.instance import JctInstance
from online.jct.events import ChunkSlot, JctEvent, Order, Plan
from online.jct.record import Recorder
from online.policy import Arrival, Decision
from online.run import InfeasibleDecision

__all__ = ["JctWorld"]

_ROUND_OFF = 1e-9  # of sums of storage, relative


@dataclass(slots=True)
class _Chunk:
    """Where a chunk is and what is left of it at the slot ``begin``, from which on it runs."""

    left: int
    server: int | None = None
    worker: int | None = None
    begin: int = 0
    done: int | None = None  # slot after its last one, if it keeps its worker


class JctWorld:
    """Holds the instance, carries orders out and finds the next event.

    Jobs are known to policies by their rank in the order of arrival (ties: order in the file),
    so that an index tells nothing about later jobs. The time of a run grows with what happens
    in it, not with the slots. Policies run at the augmented speed of the instance, if it has one
    (:attr:`models.jct.instance.JctInstance.online`). Parameter servers are assigned by Alg. 5 to
    whatever runs (:mod:`online.jct.parameter_servers`): no objective depends on which one it is.

    Rows record ``preempted``, the unfinished chunks that were displaced from the worker that
    trained them, and ``busy``, the edge workers that train a chunk or wait for its data.
    """

    def __init__(self, instance: JctInstance) -> None:
        faster, instance = instance.epsilon > 0.0, instance.online
        self.public: Cluster = replace(instance.cluster)  # a shell; the arrays inside are sealed
        order = sorted(instance.jobs, key=lambda job: (job.arrival, job.index))
        self._jobs = [replace(job, index=rank) for rank, job in enumerate(order)]
        self._recorder = Recorder(instance, [job.index for job in order], faster=faster)
        self._chunks: dict[int, list[_Chunk]] = {}
        self._ready: dict[int, dict[int, dict[int, int]]] = {}  # job, server, chunk: data's slot
        self._at_edge: dict[int, int] = {}  # chunks of each job that are not in the cloud
        self._together: dict[int, bool] = {}
        self._unfinished: dict[int, int] = {}
        self._occupied: dict[int, tuple[int, int]] = {}  # worker -> (job, chunk)
        self._stored = [0.0] * self.public.servers
        self._held: dict[int, list[int]] = {}  # job -> servers with a chunk of it, repeated
        self._ends: list[tuple[int, int, int]] = []  # heap of (done, job, chunk)
        self._wakes: list[int] = []
        self._slot = 0

    def events(self) -> Iterator[JctEvent]:
        """Arrivals of a slot in order, then its ChunkSlot; idle slots are skipped."""
        coming = 0
        while True:
            slot = self._next_slot(coming)
            if slot is None:
                break
            self._slot = slot
            finished, completed = self._finish(slot)
            arrived = []
            while coming < len(self._jobs) and self._jobs[coming].arrival == slot:
                job = self._jobs[coming]
                self._chunks[coming] = [_Chunk(job.chunk_slots) for _ in range(job.chunks)]
                self._ready[coming] = {}
                self._unfinished[coming] = self._at_edge[coming] = job.chunks
                self._held[coming] = []
                arrived.append(coming)
                coming += 1
                yield Arrival(slot, job)
            yield ChunkSlot(slot, tuple(arrived), finished, completed)
        self._stop()

    def apply(self, decision: Decision) -> Mapping[str, Any]:
        """Carry orders out from the current slot on; refuse what breaks a constraint."""
        if decision.allocation is not None:
            raise InfeasibleDecision("`allocation` is not for this problem: its jobs have plans")
        checked = [self._check_plan(rank, plan) for rank, plan in decision.plans.items()]
        preempted = 0
        for job, plan in checked:
            self._together.setdefault(job.index, plan.together)
            for order in plan.orders:
                preempted += self._release(job, order)
        for job, plan in checked:
            for order in plan.orders:
                self._place(job, order)
            if not plan.together and not self._at_edge[job.index]:
                raise InfeasibleDecision(
                    f"job '{job.id}': (2g) all of its chunks are in the cloud, but not together"
                )
        if decision.wake_at is not None:
            self._wake(decision.wake_at)
        return {"preempted": preempted, "busy": len(self._occupied)}

    def schedule(self) -> Any:
        """What was executed."""
        return self._recorder.schedule(self._together)

    # ---- time ----------------------------------------------------------------------------

    def _wake(self, slot: Any) -> None:
        if not isinstance(slot, int) or not self._slot < slot < self.public.slots:
            raise InfeasibleDecision(
                f"wake_at {slot} is not after slot {self._slot} and before the horizon of "
                f"{self.public.slots} slots"
            )
        heapq.heappush(self._wakes, slot)

    def _next_slot(self, coming: int) -> int | None:
        """Next slot with an arrival, a chunk done just before it, or a wake-up."""
        while self._ends and not self._valid(self._ends[0]):
            heapq.heappop(self._ends)
        while self._wakes and self._wakes[0] <= self._slot:
            heapq.heappop(self._wakes)
        slots = [heap[0] for heap in (self._wakes,) if heap]
        if self._ends:
            slots.append(self._ends[0][0])
        if coming < len(self._jobs):
            slots.append(self._jobs[coming].arrival)
        return min(slots) if slots and min(slots) < self.public.slots else None

    def _valid(self, end: tuple[int, int, int]) -> bool:
        slot, rank, chunk = end
        return rank in self._chunks and self._chunks[rank][chunk].done == slot

    def _finish(self, slot: int) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...]]:
        """Take note of all chunks done before a slot."""
        finished, completed = [], []
        while self._ends and self._ends[0][0] <= slot:
            end = heapq.heappop(self._ends)
            if not self._valid(end):
                continue
            done, rank, number = end
            chunk = self._chunks[rank][number]
            self._note(rank, number, chunk, done)
            chunk.left, chunk.done = 0, None
            self._vacate(chunk)
            finished.append((rank, number))
            self._unfinished[rank] -= 1
            if not self._unfinished[rank]:
                completed.append(rank)
                for server in self._held.pop(rank):
                    self._stored[server] -= self._jobs[rank].chunk_gb
                for table in (self._chunks, self._ready, self._at_edge, self._unfinished):
                    del table[rank]
        return tuple(sorted(finished)), tuple(sorted(completed))

    def _stop(self) -> None:
        """Cut off at the horizon what is still running."""
        horizon = self.public.slots
        self._finish(horizon)
        for rank, chunks in self._chunks.items():
            for number, chunk in enumerate(chunks):
                if chunk.done is not None and chunk.begin < horizon:
                    self._note(rank, number, chunk, horizon)

    def _note(self, rank: int, number: int, chunk: _Chunk, stop: int) -> None:
        assert chunk.server is not None and chunk.worker is not None
        self._recorder.add(rank, number, chunk.server, chunk.worker, chunk.begin, stop)

    # ---- orders --------------------------------------------------------------------------

    def _check_plan(self, rank: Any, plan: Any) -> tuple[Job, Plan]:
        """Check the form of a plan, and the constraints on its job alone: (2a), (2g), (2h)."""
        if rank not in self._chunks:
            raise InfeasibleDecision(f"a plan for {rank!r}, which is no job that is waiting")
        job = self._jobs[rank]
        if not isinstance(plan, Plan):
            raise InfeasibleDecision(f"job '{job.id}': is no Plan but {type(plan).__name__}")
        known = self._together.get(rank)
        if known is not None and plan.together != known:
            raise InfeasibleDecision(f"job '{job.id}': `together` was settled by its first plan")
        if not isinstance(plan.orders, Iterable):
            raise InfeasibleDecision(f"job '{job.id}': its orders are no tuple but {plan.orders!r}")
        orders = tuple(_copied(job, order) for order in plan.orders)
        if plan.together and known is None and len(orders) != job.chunks:
            raise InfeasibleDecision(f"job '{job.id}': (2g) together, but not all chunks are sent")
        if len({order.chunk for order in orders}) != len(orders):
            raise InfeasibleDecision(f"job '{job.id}': a chunk is ordered twice")
        for order in orders:
            self._check_order(job, order, plan.together)
        return job, Plan(orders, plan.together)

    def _check_order(self, job: Job, order: Order, together: bool) -> None:
        where = f"job '{job.id}', chunk {order.chunk}"
        if not 0 <= order.chunk < job.chunks:
            raise InfeasibleDecision(f"{where}: it has {job.chunks} chunks")
        chunk = self._chunks[job.index][order.chunk]
        if chunk.left == 0:
            raise InfeasibleDecision(f"{where}: is done")
        if chunk.server == CLOUD:
            raise InfeasibleDecision(f"{where}: there is no preemption in the cloud")
        if order.server == CLOUD:
            if not self.public.cloud:
                raise InfeasibleDecision(f"{where}: there is no cloud")
            if order.worker is None:
                raise InfeasibleDecision(f"{where}: no chunk waits in the cloud")
            running = chunk.worker is not None and chunk.begin < self._slot
            if running or chunk.left < job.chunk_slots:
                raise InfeasibleDecision(f"{where}: trained at the edge, cannot go to the cloud")
            return
        if together:
            raise InfeasibleDecision(f"{where}: (2g) the whole job goes to the cloud together")
        if not 0 <= order.server < self.public.servers:
            raise InfeasibleDecision(f"{where}: no server {order.server}")
        if order.worker is None:
            return
        if not 0 <= order.worker < len(self.public.worker_server):
            raise InfeasibleDecision(f"{where}: no worker {order.worker}")
        if self.public.worker_server[order.worker] != order.server:
            raise InfeasibleDecision(
                f"{where}: worker {order.worker} is not on server {order.server}"
            )
        if self.public.worker_type[order.worker] != job.worker_type:
            raise InfeasibleDecision(f"{where}: (2a) worker {order.worker} is of another type")

    def _release(self, job: Job, order: Order) -> int:
        """Take a chunk off the worker it is on, unless it stays; 1 if that displaces it."""
        chunk = self._chunks[job.index][order.chunk]
        if chunk.worker is None or (chunk.server, chunk.worker) == order[1:]:
            return 0
        ran = max(0, self._slot - chunk.begin)
        if ran:
            self._note(job.index, order.chunk, chunk, self._slot)
            chunk.left -= ran
        chunk.done = None
        self._vacate(chunk)
        return int(ran > 0)

    def _vacate(self, chunk: _Chunk) -> None:
        if chunk.server != CLOUD and chunk.worker is not None:
            del self._occupied[chunk.worker]
        chunk.worker = None

    def _place(self, job: Job, order: Order) -> None:
        """Send the data, if it is not there, and put the chunk on its worker."""
        rank, number = job.index, order.chunk
        chunk = self._chunks[rank][number]
        ready = self._ready[rank].setdefault(order.server, {})
        if number not in ready:
            ready[number] = self._slot + job.upload_to(order.server)
            if order.server == CLOUD:
                self._at_edge[rank] -= 1
            else:
                self._store(job, order)
        if chunk.worker is not None and (chunk.server, chunk.worker) == order[1:]:
            return
        chunk.server, chunk.worker = order.server, order.worker
        if order.worker is None:
            return
        if order.server == CLOUD:
            if self._together[rank]:
                chunk.left = job.cloud_chunk_slots
        elif order.worker in self._occupied:
            other, its = self._occupied[order.worker]
            raise InfeasibleDecision(
                f"(2d) worker {order.worker} is to train chunk {number} of job '{job.id}' and has "
                f"chunk {its} of job '{self._jobs[other].id}'"
            )
        else:
            self._occupied[order.worker] = (rank, number)
        chunk.begin = max(self._slot, ready[number])
        chunk.done = chunk.begin + chunk.left
        heapq.heappush(self._ends, (chunk.done, rank, number))

    def _store(self, job: Job, order: Order) -> None:
        """Storage of an edge server, (7b); held until the job completes, (7c)."""
        capacity = float(self.public.storage_gb[order.server])
        stored = self._stored[order.server] + job.chunk_gb
        if stored > capacity * (1.0 + _ROUND_OFF):
            raise InfeasibleDecision(
                f"(7b) server {order.server} would store {stored:.9g} of {capacity:.9g} GB with "
                f"chunk {order.chunk} of job '{job.id}'"
            )
        self._stored[order.server] = stored
        self._held[job.index].append(order.server)


def _copied(job: Job, order: Any) -> Order:
    """Python's integers of an order; refuses everything else."""
    try:
        chunk, server, worker = order
        return Order(index(chunk), index(server), None if worker is None else index(worker))
    except (TypeError, ValueError):
        raise InfeasibleDecision(
            f"job '{job.id}': {order!r} is not (chunk, server, worker or None) in whole numbers"
        ) from None
