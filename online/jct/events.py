"""What the ``jct`` world and a policy exchange: events of slots, and plans made of orders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from models.jct.cluster import CLOUD
from online.policy import Arrival

__all__ = ["ChunkSlot", "JctEvent", "Order", "Plan"]


@dataclass(frozen=True)
class ChunkSlot:
    """A slot begins in which something happened, after all its arrivals.

    Sent when a job arrived in this slot, when a chunk was done in the slot before, or when the
    policy asked to be woken. Idle slots cost nothing: they send no event.

    Parameters
    ----------
    slot : int
        Current slot.
    arrived : tuple of int
        Jobs that arrived in this slot, in order.
    finished : tuple of (int, int)
        (job, chunk) of all chunks done since the last event, sorted.
    completed : tuple of int
        Jobs whose last chunk is among them.
    """

    slot: int
    arrived: tuple[int, ...]
    finished: tuple[tuple[int, int], ...]
    completed: tuple[int, ...]
    kind: ClassVar[str] = "slot"
    job_id: ClassVar[None] = None
    label: ClassVar[str] = "its start"


JctEvent = Arrival | ChunkSlot
"""The events of the ``jct`` problem."""


class Order(NamedTuple):
    """Where one chunk is from the current slot on, until it is done or ordered elsewhere.

    The first order of a chunk to a server sends its data there, which takes the job's upload
    delay; the data stays, and is stored, until the job completes.

    Parameters
    ----------
    chunk : int
        0..D-1.
    server : int
        Edge server, or -1 for the cloud.
    worker : int or None
        Worker of the cluster (0..W-1, on that server) that the chunk occupies; it is trained as
        soon as its data is there. None: it waits. In the cloud every chunk has a worker of its
        own, and this is any number, but not None: there is no preemption.
    """

    chunk: int
    server: int
    worker: int | None


class Plan(NamedTuple):
    """Orders for some chunks of a job; its other chunks go on as they are.

    Parameters
    ----------
    orders : tuple of Order
    together : bool
        ``zeta = 1``: the job's first plan, which sends all of its chunks to the cloud, where
        they need no transfers to the parameter server.
    """

    orders: tuple[Order, ...]
    together: bool = False

    @classmethod
    def to_cloud(cls, chunks: int) -> Plan:
        """All chunks of a job to the cloud, as a whole."""
        return cls(tuple(Order(chunk, CLOUD, chunk) for chunk in range(chunks)), together=True)
