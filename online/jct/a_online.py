"""A_online (Alg. 1-5): each worker runs its chunk of highest average processing rate."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from models.jct.cluster import CLOUD, Cluster, Job
from models.jct.instance import JctInstance
from online.choices import check_choice
from online.jct.dispatch import Dispatch, dispatch
from online.jct.duals import DualRecord
from online.jct.events import ChunkSlot, JctEvent, Order, Plan
from online.jct.parameter_servers import most_at_once
from online.jct.queues import Queues
from online.jct.stock import Stock
from online.policy import Arrival, Decision, Guarantee, Policy

__all__ = ["AOnline", "AOnlineEdge"]

_Chunk = tuple[int, int]
_NOTHING: _Chunk = (-1, -1)
_ROUND_OFF = 1e-9


class AOnline(Policy):
    """Preemptive online scheduling of chunks (paper, Sec. IV; Sec. VI where storage is limited).

    A job's chunks are sent where Q of (5) is least, once and for all; each worker runs the
    pending chunk of highest rate ``gamma = n / (E D B)`` whose data is there (HAPRF). The queues
    are rolled forward from event to event. The paper always has a cloud. Without one, a job for
    which there is too little storage or no parameter server waits until all of it can be sent;
    such jobs are sent in order of arrival.

    Rows record ``alpha`` and ``in_cloud``: the sum of ``alpha_jd`` and the number of chunks sent
    to the cloud, over the jobs sent in the slot. The guarantee needs an instance with speed
    augmentation (:mod:`online.jct.speed`).

    Parameters
    ----------
    gamma : str
        ``"exact"``, the registered reading: gamma as it stands, where ``E B / n`` is not rounded.
        ``"whole"``: with the whole slots p that a chunk takes, ``1/(D p)``, as the proof of
        Lemma 2 has to have it. Either order is the same at every speed.
    later : str
        What goes to the cloud when it is the best place for a chunk after others have gone to the
        edge: ``"rest"``, the registered reading, those that are not sent yet, as the prose of
        Sec. IV-C has it; ``"all"``, every chunk of the job, as Alg. 2 prints it in lines 12-16.
    """

    name: ClassVar[str] = "a-online"
    edge_only: ClassVar[bool] = False

    def __init__(self, *, gamma: str = "exact", later: str = "rest") -> None:
        check_choice("gamma", gamma, ("exact", "whole"))
        check_choice("later", later, ("rest", "all"))
        self._whole, self._all = gamma == "whole", later == "all"

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with empty queues."""
        self._cluster = public
        self._server = public.worker_server.tolist()
        workers = len(self._server)
        self._queues = Queues(workers)
        self._stock = Stock(public)
        self._runs: list[_Chunk] = [_NOTHING] * workers
        self._until: list[int | None] = [None] * workers
        self._changes: list[tuple[int, int]] = []  # heap of (slot, worker)
        self._home: dict[_Chunk, int] = {}
        self._waiting: list[Job] = []
        self._served: list[int] = []  # type of parameter server of every job under way
        self._ps_type: dict[int, int] = {}
        self.duals = DualRecord(public)

    def step(self, event: JctEvent) -> Decision:
        """Send the jobs that have arrived, then update every worker whose queue has changed."""
        if isinstance(event, Arrival):
            self._waiting.append(event.job)
            return Decision()
        now = event.slot
        touched = self._note(event)
        orders: dict[_Chunk, Order] = {}
        together: set[int] = set()
        info = {"alpha": 0.0, "in_cloud": 0}
        still: list[Job] = []
        for job in self._waiting:
            sent = None if still else self._send(job, now)
            if sent is None:
                still.append(job)
                continue
            info["alpha"] += sum(sent.alphas)
            info["in_cloud"] += sent.workers.count(CLOUD)
            if sent.together:
                together.add(job.index)
            for chunk, worker in enumerate(sent.workers):
                if worker == CLOUD:
                    orders[job.index, chunk] = Order(chunk, CLOUD, chunk)
                else:
                    orders[job.index, chunk] = self._order((job.index, chunk), worker, run=False)
                    touched.add(worker)
        self._waiting = still
        for worker in sorted(touched):
            self._run_head(worker, now, orders)
        return Decision(_plans(orders, together), self._next_change(), info)

    def evidence(self, instance: JctInstance, trace: Any) -> dict[str, Any] | None:
        """What the proof of Theorem 3 supposes, as measured; None without speed augmentation."""
        if instance.epsilon == 0.0:
            return None
        return {
            "epsilon": instance.epsilon,
            "most_chunks": int(max((job.chunks for job in instance.jobs), default=1)),
            "largest_6a_violation": self.duals.largest_violation(),
            "alpha_over_beta": float(self.duals.lemma4_ratio),
            "repaired": self.duals.repaired_ratio(instance.epsilon),
        }

    @classmethod
    def applies(cls, evidence: Mapping[str, Any], best_known: float) -> Guarantee:
        """``D_max (1 + 1/epsilon)`` of Theorem 3, whatever the optimum is.

        Its proof needs (6a), and of Lemma 4 that the sum of alpha is no less than that of beta.
        Where these fail, D_max times :meth:`online.jct.duals.DualRecord.repaired_ratio` holds,
        if the run's dual proves anything.
        """
        fails = []
        if (violation := evidence["largest_6a_violation"]) > _ROUND_OFF:
            fails.append(f"(6a) is violated by up to {violation:.4g}")
        if (ratio := evidence["alpha_over_beta"]) < 1.0 - _ROUND_OFF:
            fails.append(f"sum alpha is {ratio:.4g} of sum beta, against Lemma 4")
        promised = cls.promised(evidence)
        if fails and evidence["repaired"] is not None:
            return Guarantee(evidence["most_chunks"] * evidence["repaired"], True, "")
        return Guarantee(promised, not fails, "; ".join(fails))

    @staticmethod
    def promised(evidence: Mapping[str, Any]) -> float:
        """``D_max (1 + 1/epsilon)``, whether its assumptions hold or not."""
        ratio: float = evidence["most_chunks"] * (1.0 + 1.0 / evidence["epsilon"])
        return ratio

    # ---- jobs ----------------------------------------------------------------------------

    def _note(self, event: ChunkSlot) -> set[int]:
        """Take note of what is done; returns the workers whose queues change now."""
        touched = set()
        for key in event.finished:
            self.duals.finish(*key, event.slot)
            worker = self._home.pop(key)
            if worker != CLOUD:
                touched.add(worker)
                self._runs[worker] = _NOTHING
        for job in event.completed:
            self._stock.give_back(job, event.slot)
            self._served.remove(self._ps_type.pop(job))
        while self._changes and self._changes[0][0] <= event.slot:
            slot, worker = heapq.heappop(self._changes)
            if self._until[worker] == slot:
                touched.add(worker)
        return touched

    def _send(self, job: Job, now: int) -> Dispatch | None:
        sent = self._places(job, now)
        if sent is None:
            return None
        self.duals.send(job, sent)
        self._served.append(job.ps_type)
        self._ps_type[job.index] = job.ps_type
        at: dict[int, list[int]] = {}
        for chunk, worker in enumerate(sent.workers):
            self._home[job.index, chunk] = worker
            at.setdefault(worker, []).append(chunk)
        at.pop(CLOUD, None)
        for worker, chunks in at.items():
            self._queues.insert(
                worker,
                now,
                job=job.index,
                chunks=chunks,
                gamma=self._gamma(job),
                ready=now + job.upload_to(self._server[worker]),
                processing=job.chunk_slots,
                weight=1.0 / job.chunks,
            )
        servers = [self._server[worker] for worker, chunks in at.items() for _ in chunks]
        self._stock.take(job, servers, now)
        return sent

    def _places(self, job: Job, now: int) -> Dispatch | None:
        """Where the chunks go: without the cloud if that is asked for and possible."""
        if self._served.count(job.ps_type) >= most_at_once(job, self._cluster):
            return None
        sent = None
        for cloud in (False, True) if self.edge_only else (True,):
            sent = sent or dispatch(
                job,
                now,
                self._cluster,
                self._queues,
                self._stock,
                gamma=self._gamma(job),
                cloud=cloud and self._cluster.cloud,
                all_follow=self._all,
            )
        return sent

    def _gamma(self, job: Job) -> float:
        return 1.0 / (job.chunk_slots * job.chunks) if self._whole else job.rate

    # ---- workers -------------------------------------------------------------------------

    def _run_head(self, worker: int, now: int, orders: dict[_Chunk, Order]) -> None:
        """Let a worker do what its queue says; a displaced chunk waits on its server."""
        head = self._queues.head(worker, now)
        self._until[worker] = head.until
        if head.until is not None:
            heapq.heappush(self._changes, (head.until, worker))
        runs, then = self._runs[worker], (head.job, head.chunk)
        if runs == then:
            return
        if runs != _NOTHING:
            orders[runs] = self._order(runs, worker, run=False)
        if then != _NOTHING:
            orders[then] = self._order(then, worker, run=True)
        self._runs[worker] = then

    def _order(self, key: _Chunk, worker: int, *, run: bool) -> Order:
        return Order(key[1], self._server[worker], worker if run else None)

    def _next_change(self) -> int | None:
        while self._changes and self._until[self._changes[0][1]] != self._changes[0][0]:
            heapq.heappop(self._changes)  # this change has been postponed since then
        if not self._changes or self._changes[0][0] >= self._cluster.slots:
            return None
        return self._changes[0][0]


class AOnlineEdge(AOnline):
    """A_online-E: A_online without the cloud (paper, Sec. V-A).

    A job that finds no workers of its type or not enough storage at the edge is sent as A_online
    would send it, for every job has to be done. Parameter servers of the cloud serve when none is
    free at the edge.
    """

    name: ClassVar[str] = "a-online-e"
    edge_only: ClassVar[bool] = True


def _plans(orders: dict[_Chunk, Order], together: set[int]) -> dict[int, Plan]:
    by_job: dict[int, list[Order]] = {}
    for (job, _), order in orders.items():
        by_job.setdefault(job, []).append(order)
    return {job: Plan(tuple(listed), job in together) for job, listed in by_job.items()}
