"""Types of numbers, names and lists in files, and a whole file, as several problems have them.

Upper bounds keep sums finite, counts exact in a double, and arrays in memory.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

__all__ = [
    "Amount",
    "Amounts",
    "Index",
    "Name",
    "Positive",
    "Price",
    "Prices",
    "PricesFile",
    "Servers",
    "SmallCount",
]

Name = Annotated[str, Meta(min_length=1)]
Index = Annotated[int, Meta(ge=0, le=10**6)]
SmallCount = Annotated[int, Meta(ge=1, le=10**6)]
Positive = Annotated[float, Meta(gt=0, le=1e18)]
Amount = Annotated[float, Meta(ge=0, le=1e18)]
Amounts = Annotated[list[Amount], Meta(max_length=100)]
Servers = Annotated[list[Amounts], Meta(max_length=10**5)]
Price = Annotated[float, Meta(ge=0, le=1e150)]
Prices = Annotated[list[Annotated[list[Price], Meta(max_length=100)]], Meta(max_length=10**6)]


class PricesFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A certificate: prices, and the bound that they prove; a subclass names its problem.

    Prices stand by slot, then by resource in the order of the instance, the same on all servers.
    """

    format: Literal["1"]
    problem: str
    instance: str
    source: Literal["prices"]
    bound: Amount
    prices: Prices
    digest: str
