"""Wire format of the ``completion`` problem: what stands in its files."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from models.wire import Amount, Index, Name, Positive, PricesFile, Servers, SmallCount

__all__ = ["CertificateFile", "CompletionFile", "JobRecord", "ScheduleFile", "ScheduledJob"]

Count = Annotated[int, Meta(ge=1, le=10**9)]
Slot = Annotated[int, Meta(ge=0, le=10**9)]
TypeOrNone = Annotated[int, Meta(ge=-1, le=10**6)]


class JobRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One training job as it stands in an instance file (symbols: paper, Table 1).

    ``update_slots`` is one number with all-reduce, else one per PS type.
    """

    id: Name
    arrival: Index
    weight: Positive
    epochs: Count
    chunks: SmallCount
    minibatches: Count
    minibatch_slots: Annotated[list[Positive], Meta(max_length=10**5)]
    update_slots: Annotated[list[Amount], Meta(max_length=10**5)] | Amount
    gradient_mb: Amount
    requested_workers: SmallCount | None = None


class CompletionFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An instance file of the ``completion`` problem."""

    format: Literal["1"]
    problem: Literal["completion"]
    name: str
    slots: SmallCount
    resources: Annotated[list[Name], Meta(max_length=100)]
    architecture: Literal["ps", "allreduce"]
    servers: Annotated[Servers, Meta(min_length=1)]
    worker_types: Annotated[Servers, Meta(min_length=1)]
    ps_types: Servers
    jobs: Annotated[list[JobRecord], Meta(max_length=10**6)]
    slot_seconds: Positive = 3600.0
    seed: int | None = None
    origin: str = ""


class ScheduledJob(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One job of a schedule file; allocations are ``[slot, server, kind, count]``.

    ``start`` and ``duration`` span its allocations; ``ps_type`` is -1 for a job without PSs.
    """

    id: str
    admitted: bool
    start: Slot
    duration: Count
    worker_type: TypeOrNone
    ps_type: TypeOrNone
    allocations: list[tuple[Slot, Index, Literal["worker", "ps"], SmallCount]]


class ScheduleFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A schedule file of the ``completion`` problem.

    ``elastic`` says that jobs may pause and their workers vary from slot to slot.
    """

    format: Literal["1"]
    problem: Literal["completion"]
    instance: str
    jobs: list[ScheduledJob]
    elastic: bool = False


class CertificateFile(PricesFile, frozen=True, forbid_unknown_fields=True):
    """A certificate of the ``completion`` problem: prices, and the bound that they prove.

    Prices stand by slot, then by resource in the order of the instance, the same on all servers;
    those of a leaf by slot, then by piece of a job, in the order of what the pieces hold. Slots
    behind the last row have no price. A job that completes by a slot runs in none from it on.
    """

    problem: Literal["completion"]
