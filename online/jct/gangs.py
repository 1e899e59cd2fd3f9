"""All-or-nothing scheduling that migrates: what SRTF and Tiresias-L have in common."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from models.jct.cluster import CLOUD, Cluster, Job
from online.jct.events import JctEvent, Order, Plan
from online.jct.gang import Gang
from online.jct.parameter_servers import most_at_once
from online.jct.stock import Stock
from online.policy import Arrival, Decision, Policy

__all__ = ["GangPolicy"]


class GangPolicy(Policy):
    """Runs jobs in an order of priority, each with all the workers it asks for or not at all.

    At every event, the jobs of a worker type are looked at in order; each that still finds as
    many workers as it needs gets them, and the others are paused. A job that runs on keeps its
    workers. One that begins or resumes takes free workers: one on each server that holds its
    data, then those of servers that hold most of it, then those of least upload delay. Its chunks
    are dealt out to them; data that is not there is uploaded (again), and the worker is held
    meanwhile. A worker is given up when its chunks are done.

    A job that asks for more workers than the edge has of its type, or finds too little storage
    there, goes to the cloud as a whole; without a cloud it makes do with the workers there are,
    asks for more where those cannot store its chunks, and waits for storage and a parameter
    server.

    Parameters
    ----------
    use_cloud : bool
        False: no job goes to the cloud unless no worker of the edge can serve it.
    """

    wider = True  # chunks may migrate

    def __init__(self, *, use_cloud: bool = True) -> None:
        self._use_cloud = use_cloud

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with all workers free."""
        self._cluster = public
        self._stock = Stock(public)
        self._server: list[int] = public.worker_server.tolist()
        self._workers = np.bincount(public.worker_type, minlength=len(public.worker_types)).tolist()
        self._gangs: dict[int, Gang] = {}
        self._free = np.ones(len(public.worker_server), dtype=bool)
        self._of_type: dict[int, dict[int, Gang]] = {}
        self._wakes: dict[int, int] = {}  # worker type -> slot

    @abstractmethod
    def priority(self, gang: Gang) -> tuple[float, ...]:
        """Priority of a job, the least first; ties by order of arrival."""

    def next_turn(self, gang: Gang) -> int | None:
        """Slots until the priority of a job changes if it goes on as it is; None: it never does."""
        return None

    def step(self, event: JctEvent) -> Decision:
        """Take note of what is done, then share out the workers of every type concerned."""
        if isinstance(event, Arrival):
            return self._arrive(event.job)
        now = event.slot
        orders: dict[tuple[int, int], Order] = {}
        touched = {kind for kind, slot in self._wakes.items() if slot <= now}
        for rank, chunk in event.finished:
            if rank in self._gangs:
                touched.add(self._finish(self._gangs[rank], chunk, now, orders))
        for rank in event.completed:
            self._stock.give_back(rank, now)
            if rank in self._gangs:
                self._drop(self._gangs[rank])
        if not self._cluster.cloud or (event.completed and self._cluster.has_storage_limits):
            touched.update(self._of_type)  # what jobs of any type wait for may be free now
        touched.update(
            self._gangs[rank].job.worker_type for rank in event.arrived if rank in self._gangs
        )
        for kind in sorted(touched):
            self._share(kind, now, orders)
        plans: dict[int, list[Order]] = {}
        for (rank, _), order in orders.items():
            plans.setdefault(rank, []).append(order)
        wake = min(self._wakes.values(), default=self._cluster.slots)
        return Decision(
            {
                rank: Plan(tuple(listed), together=listed[0].server == CLOUD)
                for rank, listed in plans.items()
            },
            wake if wake < self._cluster.slots else None,
        )

    # ---- arrivals and completions --------------------------------------------------------

    def _arrive(self, job: Job) -> Decision:
        workers = job.eligible(self._cluster)
        places = job.places(self._cluster)[self._cluster.worker_server[workers]]
        size = min(job.requested_workers, len(workers))
        # With g workers, each trains at most ceil(D/g) chunks.
        share = -(-job.chunks // max(1, size))
        fits = size > 0 and int((places >= share).sum()) >= size
        wanted = self._use_cloud and job.requested_workers > len(workers)
        if self._cluster.cloud and (wanted or not fits):
            return Decision({job.index: Plan.to_cloud(job.chunks)})
        gang = Gang(job, size, self._server, stopped=job.arrival)
        if not self._cluster.cloud:
            self._widen(gang, workers)
        self._gangs[job.index] = gang
        self._of_type.setdefault(job.worker_type, {})[job.index] = gang
        return Decision()

    def _widen(self, gang: Gang, workers: np.ndarray) -> None:
        """Let a job ask for as many workers as store its chunks on an empty edge."""
        room = gang.job.places(self._cluster)
        while gang.size < len(workers) and gang.choose(self._cluster, workers, room) is None:
            gang.size += 1

    def _finish(
        self, gang: Gang, chunk: int, now: int, orders: dict[tuple[int, int], Order]
    ) -> int:
        """Take note that a chunk is done: its worker starts its next one, or becomes free."""
        worker = gang.finish(chunk, now)
        if gang.lists[worker]:
            following = gang.lists[worker][0]
            orders[gang.job.index, following] = Order(following, self._server[worker], worker)
        else:
            del gang.lists[worker]
            self._free[worker] = True
        return gang.job.worker_type

    def _drop(self, gang: Gang) -> None:
        del self._gangs[gang.job.index], self._of_type[gang.job.worker_type][gang.job.index]

    # ---- sharing out ---------------------------------------------------------------------

    def _share(self, kind: int, now: int, orders: dict[tuple[int, int], Order]) -> None:
        gangs = self._of_type.get(kind, {})
        for gang in gangs.values():
            gang.advance(now)
        ranked = sorted(gangs.values(), key=lambda gang: (*self.priority(gang), gang.job.index))
        chosen = self._admit(kind, ranked, orders)
        while refused := [g for g in chosen if not g.lists and not self._begin(g, now, orders)]:
            for gang in refused:
                ranked.remove(gang)
                if self._cluster.cloud and not gang.ready and self._never_fits(gang, now):
                    self._drop(gang)
                    plan = Plan.to_cloud(gang.job.chunks)
                    orders |= {(gang.job.index, order.chunk): order for order in plan.orders}
            chosen = self._admit(kind, ranked, orders)
        turns = [turn for gang in gangs.values() if (turn := self.next_turn(gang))]
        self._wakes.pop(kind, None)
        if turns:
            self._wakes[kind] = now + min(turns)

    def _admit(
        self, kind: int, ranked: list[Gang], orders: dict[tuple[int, int], Order]
    ) -> list[Gang]:
        """Jobs that get workers, by number alone; the others are paused."""
        have = self._workers[kind]
        chosen = []
        for gang in ranked:
            if gang.need <= have:
                have -= gang.need
                chosen.append(gang)
            elif gang.lists:
                self._pause(gang, orders)
        return chosen

    def _pause(self, gang: Gang, orders: dict[tuple[int, int], Order]) -> None:
        for worker, chunks in gang.lists.items():
            orders[gang.job.index, chunks[0]] = Order(chunks[0], self._server[worker], None)
            self._free[worker] = True
        gang.size, gang.lists, gang.stopped = len(gang.lists), {}, gang.since

    def _begin(self, gang: Gang, now: int, orders: dict[tuple[int, int], Order]) -> bool:
        """Give a job free workers and deal its chunks out, if their storage allows it."""
        job = gang.job
        served = sum(
            other.job.ps_type == job.ps_type for other in self._gangs.values() if other.lists
        )
        if served >= most_at_once(job, self._cluster):
            return False
        workers = job.eligible(self._cluster)
        room = self._room(job, now)
        chosen = gang.choose(self._cluster, workers[self._free[workers]], room)
        if chosen is None:
            return False
        sent = []
        for worker, chunk, new in gang.start(gang.deal(chosen, room), now):
            server, first = self._server[worker], gang.lists[worker][0] == chunk
            orders[job.index, chunk] = Order(chunk, server, worker if first else None)
            if new:
                sent.append(server)
        self._free[list(gang.lists)] = False
        self._stock.take(job, sent, job.arrival)
        return True

    def _never_fits(self, gang: Gang, now: int) -> bool:
        """Whether storage rules it out even on all workers: later there will be no more room."""
        workers = gang.job.eligible(self._cluster)
        return gang.choose(self._cluster, workers, self._room(gang.job, now)) is None

    def _room(self, job: Job, now: int) -> np.ndarray:
        """Chunks of the job that each server can still store."""
        # Without a cloud a job has nowhere else to go, and may wait until there is room.
        return self._stock.room(job, job.arrival if self._cluster.cloud else now)
