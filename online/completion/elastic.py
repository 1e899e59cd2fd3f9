"""What the baselines have in common that stop jobs, move them or change their numbers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from models.completion.cluster import Cluster
from online.completion.plan import PAUSED, Share
from online.completion.room import Request, Room, ideal_request
from online.resharing import Resharing

__all__ = ["Elastic"]


class Elastic(Resharing):
    """Shares the cluster out anew when a job arrives or completes; elastic schedules.

    The paper's model has constant placements only, and blames preemption for the losses of these
    baselines. Here it costs nothing to stop a job, to move it and to change its numbers: work
    done is kept, and a slot counts with the rate of what runs in it.
    """

    wider = True

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start with an empty cluster."""
        super().reset(public, rng)
        self.cluster = public
        self._requests: dict[int, Request] = {}

    def request(self, rank: int) -> Request:
        """The ideal configuration of a job under way."""
        if rank not in self._requests:
            self._requests[rank] = ideal_request(self.jobs[rank], self.cluster)
        return self._requests[rank]

    def place(self, room: Room, ranks: Iterable[int]) -> dict[int, Share]:
        """Place jobs with all that they ask for, in this order, those that fit.

        A job that runs on keeps its place, where that is still free.
        """
        placed = {}
        for rank in ranks:
            request, share = self.request(rank), self.running.get(rank)
            if share is None or share.size != request.workers or not room.holds(share):
                share = room.place(request)
            if share is not None:
                room.take(share)
                placed[rank] = share
        return placed

    def fill(self, room: Room, ranks: Iterable[int]) -> dict[int, Share]:
        """Fair shares of what is left (:meth:`Room.fill`), of those that get any."""
        listed = list(ranks)
        shares = room.fill([self.request(rank) for rank in listed])
        return {rank: share for rank, share in zip(listed, shares, strict=True) if share}

    def plan(self, slot: int, placement: Share | None) -> Share:
        """The share itself."""
        return placement or PAUSED
