"""Wire format of the ``jct`` problem: what stands in its files."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from models.wire import Amount, Index, Name, Positive, SmallCount

__all__ = [
    "MOST_CHUNKS",
    "MOST_SLOTS",
    "Allocations",
    "JctFile",
    "JobRecord",
    "ScheduleFile",
    "ScheduledJob",
    "ServerRecord",
]

# Upper bounds keep products finite, slots exact in a double, and arrays in memory.
MOST_SLOTS = 10**9
MOST_CHUNKS = 300_000  # of a job, and of all jobs together: policies decide on each of them
Slots = Annotated[int, Meta(ge=1, le=MOST_SLOTS)]
Slot = Annotated[int, Meta(ge=0, le=MOST_SLOTS)]
Count = Annotated[int, Meta(ge=1, le=10**9)]
Chunks = Annotated[int, Meta(ge=1, le=MOST_CHUNKS)]
ServerOrCloud = Annotated[int, Meta(ge=-1, le=10**6)]
Types = Annotated[list[Name], Meta(max_length=10**5)]
Epsilon = tuple[Annotated[int, Meta(ge=1, le=1000)], Annotated[int, Meta(ge=1, le=1000)]]


class ServerRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One edge server: the types of its workers and parameter servers, and its storage.

    Without ``storage_gb`` the storage is unlimited.
    """

    workers: Types
    ps: Types
    storage_gb: Amount | None = None


class JobRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One training job as it stands in an instance file (symbols: paper, Table I).

    ``chunk_slots`` and ``cloud_chunk_slots``, the slots that a worker needs for a chunk,
    replace the product formulas and make ``epochs``, ``minibatches``, ``minibatch_slots``,
    ``update_slots``, ``gradient_mb`` and ``bandwidth_gbps`` optional.
    """

    id: Name
    arrival: Slot
    chunks: Chunks
    worker_type: Name
    ps_type: Name
    upload_slots: Annotated[list[Slot], Meta(max_length=10**5)]
    requested_workers: SmallCount
    epochs: Count | None = None
    minibatches: Count | None = None
    minibatch_slots: Positive | None = None
    update_slots: Amount | None = None
    gradient_mb: Amount | None = None
    bandwidth_gbps: Positive | None = None
    chunk_slots: Slots | None = None
    cloud_chunk_slots: Slots | None = None
    cloud_upload_slots: Slot | None = None
    chunk_gb: Amount = 0.0


class JctFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An instance file of the ``jct`` problem.

    With ``epsilon = [a, b]`` online policies run at 1 + a/b times the speed of the offline side
    (paper, Definition 1). So that this is not rounded away, every slot of the file is cut into
    a + b: schedules are in these finer slots, all else in the file is not.
    """

    format: Literal["1"]
    problem: Literal["jct"]
    name: str
    slots: Slots
    servers: Annotated[list[ServerRecord], Meta(max_length=10**5)]
    cloud: bool
    jobs: Annotated[list[JobRecord], Meta(max_length=10**6)]
    slot_seconds: Positive = 3600.0
    resources: Types = []
    seed: int | None = None
    origin: str = ""
    epsilon: Epsilon | UnsetType = UNSET


Allocations = list[tuple[Slot, ServerOrCloud, Literal["worker", "ps"], Index]]


class ScheduledJob(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One job of a schedule file.

    Allocations are ``[slot, server, kind, number]``: the job runs on that worker, or is served
    by that parameter server, of that server in that slot. Server -1 is the cloud.
    ``together`` is ``zeta``; when absent, it is what (2g) and (2h) make of the allocations.
    """

    id: str
    admitted: bool
    allocations: Allocations
    together: bool | None = None


class ScheduleFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A schedule file of the ``jct`` problem.

    ``migration`` says that chunks may move, ``faster`` that it is one of the online side, at the
    speed that the instance augments.
    """

    format: Literal["1"]
    problem: Literal["jct"]
    instance: str
    jobs: list[ScheduledJob]
    migration: bool = False
    faster: bool = False
