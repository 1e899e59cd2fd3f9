"""Wire format of the ``utility`` problem: what stands in its files."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from models.sigmoid import Sigmoid
from models.slot_schedule import SlotScheduleFile
from models.wire import (
    Amount,
    Amounts,
    Bound,
    Index,
    Name,
    Positive,
    Price,
    Prices,
    Servers,
    SmallCount,
)

__all__ = [
    "BranchRecord",
    "CertificateFile",
    "CutRecord",
    "JobRecord",
    "LeafRecord",
    "ScheduleFile",
    "UtilityFile",
]

Count = Annotated[int, Meta(ge=1, le=2**53)]
Weight = Annotated[float, Meta(ge=0, le=1e50)]


class JobRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One training job as it stands in an instance file (symbols: paper, Table I)."""

    id: Name
    arrival: Index
    chunks: SmallCount
    worker: Amounts
    ps: Amounts
    utility: Sigmoid
    epochs: Count | None = None
    minibatches: Count | None = None
    minibatch_slots: Positive | None = None
    gradient_mb: Amount | None = None
    work: Count | None = None
    requested_workers: SmallCount | None = None


class UtilityFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An instance file of the ``utility`` problem."""

    format: Literal["1"]
    problem: Literal["utility"]
    name: str
    slots: SmallCount
    resources: Annotated[list[Name], Meta(max_length=100)]
    worker_servers: Servers
    ps_servers: Servers
    jobs: Annotated[list[JobRecord], Meta(max_length=10**6)]
    slot_seconds: Positive = 3600.0
    seed: int | None = None
    origin: str = ""


class ScheduleFile(SlotScheduleFile, frozen=True, forbid_unknown_fields=True):
    """A schedule file of the ``utility`` problem."""

    problem: Literal["utility"]


class CutRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A priced packing cut of a certificate; weights by job id, 0 where a job is not named."""

    side: Literal["worker", "ps"]
    slot: Index
    price: Price
    weights: dict[str, Weight]


class BranchRecord(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag="branch",
    tag_field="node",
):
    """A branching: the job completes by the slot, or it completes later or not at all.

    With ``workers`` above 0: it runs at least so many workers in the slot, or fewer.
    """

    job: Name
    slot: Index
    workers: Index = 0


class LeafRecord(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="leaf", tag_field="node"
):
    """Prices of a leaf; ``cuts`` has pairs of a place in the cuts of the file, and a price."""

    worker: Prices
    ps: Prices
    cuts: Annotated[list[tuple[Index, Price]], Meta(max_length=10**6)]


class CertificateFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A certificate of the ``utility`` problem: prices, and the bound that they prove.

    Prices stand by slot, then by resource in the order of the instance. Those outside the tree
    prove a bound by themselves, and the tree proves another one, if there is one: the largest of
    its leaves. Its nodes stand in preorder, the part of a branching in which the job completes by
    the slot, or runs so many workers, before the other.
    """

    format: Literal["1"]
    problem: Literal["utility"]
    instance: str
    source: Literal["prices"]
    bound: Bound
    worker: Prices
    ps: Prices
    cuts: Annotated[list[CutRecord], Meta(max_length=10**6)]
    digest: str
    tree: Annotated[list[BranchRecord | LeafRecord], Meta(max_length=10**5)] = []
