"""Wire format of the certificates of the ``reward`` problem."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from models.reward.files import Count
from models.wire import Bound

__all__ = ["PricedSlots", "RewardCertificateFile"]

Multiplier = Annotated[float, Meta(ge=0, le=1)]
Multipliers = Annotated[list[list[Multiplier]], Meta(max_length=10**7)]


class PricedSlots(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Multipliers for the slots with the same arrivals.

    Parameters
    ----------
    arrived : list of L int
        Jobs at each port.
    multipliers : list of lists of K float, or None
        One row for each copy that has a job, in the order of the copies; None: those of the
        reference.
    """

    arrived: list[Count]
    multipliers: Multipliers | None = None


class RewardCertificateFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A certificate of the ``reward`` problem: multipliers, and the bound that they prove.

    It bounds the sum of the optima of the slots, each given its arrivals: no sequence of
    decisions is better. ``solvers.reward.slot_bounds`` says how.

    Parameters
    ----------
    reference : list of M lists of K float
        A row for each copy of a port.
    slots : list of PricedSlots
    """

    format: Literal["1"]
    problem: Literal["reward"]
    instance: str
    source: Literal["prices"]
    bound: Bound
    reference: Multipliers
    slots: Annotated[list[PricedSlots], Meta(max_length=10**6)]
    digest: str
