"""Wire format of the ``completion`` problem: what stands in its files."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

__all__ = [
    "Allocations",
    "CertificateFile",
    "CompletionFile",
    "JobRecord",
    "ScheduleFile",
    "ScheduledJob",
]

# Upper bounds keep products finite, counts exact in a double, and arrays in memory.
Positive = Annotated[float, Meta(gt=0, le=1e18)]
NonNegative = Annotated[float, Meta(ge=0, le=1e18)]
Count = Annotated[int, Meta(ge=1, le=10**9)]
SmallCount = Annotated[int, Meta(ge=1, le=10**6)]
Index = Annotated[int, Meta(ge=0, le=10**6)]
Slot = Annotated[int, Meta(ge=0, le=10**9)]
TypeOrNone = Annotated[int, Meta(ge=-1, le=10**6)]
Name = Annotated[str, Meta(min_length=1)]
Amounts = Annotated[list[NonNegative], Meta(max_length=100)]
Types = Annotated[list[Amounts], Meta(max_length=1000)]
Price = Annotated[float, Meta(ge=0, le=1e150)]
Prices = Annotated[list[Annotated[list[Price], Meta(max_length=100)]], Meta(max_length=10**6)]


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
    minibatch_slots: Annotated[list[Positive], Meta(max_length=1000)]
    update_slots: Annotated[list[NonNegative], Meta(max_length=1000)] | NonNegative
    gradient_mb: NonNegative
    requested_workers: SmallCount | None = None


class CompletionFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An instance file of the ``completion`` problem."""

    format: Literal["1"]
    problem: Literal["completion"]
    name: str
    slots: SmallCount
    resources: Annotated[list[Name], Meta(max_length=100)]
    architecture: Literal["ps", "allreduce"]
    servers: Annotated[list[Amounts], Meta(min_length=1, max_length=10**5)]
    worker_types: Annotated[Types, Meta(min_length=1)]
    ps_types: Types
    jobs: Annotated[list[JobRecord], Meta(max_length=10**6)]
    slot_seconds: Positive = 3600.0
    seed: int | None = None
    origin: str = ""


Allocations = list[tuple[Slot, Index, Literal["worker", "ps"], SmallCount]]


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
    allocations: Allocations


class ScheduleFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A schedule file of the ``completion`` problem.

    ``elastic`` says that jobs may pause and their workers vary from slot to slot.
    """

    format: Literal["1"]
    problem: Literal["completion"]
    instance: str
    jobs: list[ScheduledJob]
    elastic: bool = False


class CertificateFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A certificate of the ``completion`` problem: prices, and the bound that they prove.

    Prices stand by slot, then by resource in the order of the instance, the same on all servers.
    """

    format: Literal["1"]
    problem: Literal["completion"]
    instance: str
    source: Literal["prices"]
    bound: NonNegative
    prices: Prices
    digest: str
