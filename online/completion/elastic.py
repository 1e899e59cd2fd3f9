"""What the baselines have in common that stop jobs, move them or change their numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from models.completion.cluster import Cluster
from models.errors import InputError
from online.completion.plan import PAUSED, Share
from online.completion.room import Request, Room, ideal_request
from online.policy import Decision, JobEvent, SlotStart
from online.resharing import Resharing

__all__ = ["Elastic"]


class Elastic(Resharing):
    """Shares the cluster out anew when a job arrives or completes; elastic schedules.

    The paper's model has constant placements only, and blames preemption for the losses of these
    baselines. Work done is kept, and a slot counts with the rate of what runs in it.

    Parameters
    ----------
    fixed : bool
        A job keeps what it starts with until it is complete, as in the paper's model; the others
        share what is left.
    delay : int
        Slots that a job loses, its new place kept free, after it was stopped, moved or re-sized.
    """

    wider = True

    def __init__(self, *, fixed: bool = False, delay: int = 0) -> None:
        if delay < 0:
            raise InputError(f"delay {delay} is negative")
        self._fixed, self._delay = fixed, delay

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with an empty cluster."""
        super().reset(public, rng)
        self.cluster = public
        self._requests: dict[int, Request] = {}
        self._begun: set[int] = set()
        self._due: dict[int, int] = {}  # when those go on that have a new place

    def step(self, event: JobEvent) -> Decision:
        """As every :class:`Resharing`, but who has run before and has a new place pauses first."""
        decision = super().step(event)
        if not self._delay or not isinstance(event, SlotStart):
            return decision
        plans = dict(decision.plans)
        for rank in decision.plans:
            self._due.pop(rank, None)
            if rank in self._begun and rank in self.running:
                plans[rank], self._due[rank] = PAUSED, event.slot + self._delay
        self._begun |= self.running.keys()
        plans |= {rank: self.running[rank] for rank, due in self._due.items() if due == event.slot}
        wakes = [due for due in (*self._due.values(), decision.wake_at or 0) if due > event.slot]
        return replace(decision, plans=plans, wake_at=min(wakes, default=None))

    def request(self, rank: int) -> Request:
        """The ideal configuration of a job under way."""
        if rank not in self._requests:
            self._requests[rank] = ideal_request(self.jobs[rank], self.cluster)
        return self._requests[rank]

    def room(self) -> Room:
        """The empty cluster; without what running jobs have, if they keep it."""
        room = Room(self.cluster)
        for share in self._kept().values():
            room.take(share)
        return room

    def _kept(self) -> dict[int, Share]:
        return self.running if self._fixed else {}

    def place(self, room: Room, ranks: Iterable[int]) -> dict[int, Share]:
        """Place jobs with all that they ask for, in this order, those that fit.

        A job that runs on keeps its place, where that is still free.
        """
        kept = self._kept()
        placed = {}
        for rank in ranks:
            if rank in kept:
                placed[rank] = kept[rank]
                continue
            request, share = self.request(rank), self.running.get(rank)
            if share is None or share.size != request.workers or not room.holds(share):
                share = room.place(request)
            if share is not None:
                room.take(share)
                placed[rank] = share
        return placed

    def fill(self, room: Room, ranks: Iterable[int]) -> dict[int, Share]:
        """Fair shares of what is left (:meth:`Room.fill`), of those that get any."""
        kept, listed = self._kept(), list(ranks)
        new = [rank for rank in listed if rank not in kept]
        shares = zip(new, room.fill([self.request(rank) for rank in new]), strict=True)
        placed = {rank: share for rank, share in shares if share}
        return placed | {rank: kept[rank] for rank in listed if rank in kept}

    def plan(self, slot: int, placement: Share | None) -> Share:
        """The share itself."""
        return placement or PAUSED
