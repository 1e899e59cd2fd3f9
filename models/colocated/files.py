"""Wire format of the ``colocated`` problem: what stands in its files."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from models.sigmoid import Sigmoid
from models.slot_schedule import SlotScheduleFile
from models.wire import Amount, Amounts, Index, Name, Positive, PricesFile, Servers, SmallCount

__all__ = ["CertificateFile", "ColocatedFile", "JobRecord", "ScheduleFile"]

Count = Annotated[int, Meta(ge=1, le=10**12)]


class JobRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One training job as it stands in an instance file.

    ``samples`` is K, ``sample_slots`` is tau, ``max_workers`` is F; a job trains E K samples.
    """

    id: Name
    arrival: Index
    epochs: Count
    samples: Count
    gradient_mb: Amount
    sample_slots: Positive
    gamma: Positive
    max_workers: SmallCount
    worker: Amounts
    ps: Amounts
    internal_gbps: Positive
    external_gbps: Positive
    utility: Sigmoid
    requested_workers: SmallCount | None = None


class ColocatedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An instance file of the ``colocated`` problem."""

    format: Literal["1"]
    problem: Literal["colocated"]
    name: str
    slots: SmallCount
    resources: Annotated[list[Name], Meta(max_length=100)]
    servers: Annotated[Servers, Meta(min_length=1)]
    jobs: Annotated[list[JobRecord], Meta(max_length=10**6)]
    slot_seconds: Positive = 3600.0
    seed: int | None = None
    origin: str = ""


class ScheduleFile(SlotScheduleFile, frozen=True, forbid_unknown_fields=True):
    """A schedule file of the ``colocated`` problem."""

    problem: Literal["colocated"]


class CertificateFile(PricesFile, frozen=True, forbid_unknown_fields=True):
    """A certificate of the ``colocated`` problem: prices, and the bound that they prove.

    Prices stand by slot, then by resource in the order of the instance, the same on all servers;
    those of a leaf likewise.
    """

    problem: Literal["colocated"]
