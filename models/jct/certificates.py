"""Wire format of the certificates of the ``jct`` problem."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from models.wire import Bound

__all__ = ["JctCertificateFile"]

Price = Annotated[float, Meta(ge=0, le=1e9)]
Prices = Annotated[list[Price], Meta(max_length=10**7)]


class JctCertificateFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A certificate of the ``jct`` problem: prices, and the bound that they prove.

    ``solvers.jct.price_bound`` says how.

    Parameters
    ----------
    worker : dict of str to list of float
        For each type of edge workers, the price of a worker in each slot, in slots of JCT; 0
        after the last one, and for types that are not named.
    """

    format: Literal["1"]
    problem: Literal["jct"]
    instance: str
    source: Literal["prices"]
    bound: Bound
    worker: dict[str, Prices]
    digest: str
