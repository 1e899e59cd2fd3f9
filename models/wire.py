"""Types of numbers, names and lists in files, and a whole file, as several problems have them.

Here the ranges of numbers are stated, for the decoder and for the JSON Schemas. A real number of an
instance is 0 or between 1e-12 and 1e12 in size, whatever its unit: a product of a few such numbers,
or a quotient, is neither infinite nor 0, and no workload comes near. Upper bounds of whole numbers
keep sums finite, counts exact in a double, and arrays in memory.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

__all__ = [
    "LEAST",
    "MOST",
    "MOST_PRICE",
    "Amount",
    "Amounts",
    "Bound",
    "BranchRecord",
    "Index",
    "LeafRecord",
    "Name",
    "Positive",
    "Price",
    "Prices",
    "PricesFile",
    "Real",
    "Servers",
    "Share",
    "SmallCount",
]

LEAST = 1e-12
"""Smallest size of a real number of an instance but 0; ``models.files.decode`` sees to that."""
MOST = 1e12

Name = Annotated[str, Meta(min_length=1)]
Index = Annotated[int, Meta(ge=0, le=10**6)]
SmallCount = Annotated[int, Meta(ge=1, le=10**6)]
Positive = Annotated[float, Meta(ge=LEAST, le=MOST)]
_ABOVE = [{"const": 0}, {"minimum": LEAST}]
Amount = Annotated[float, Meta(ge=0, le=MOST, extra_json_schema={"anyOf": _ABOVE})]
Share = Annotated[float, Meta(ge=0, le=1, extra_json_schema={"anyOf": _ABOVE})]
_APART = [*_ABOVE, {"maximum": -LEAST}]
Real = Annotated[float, Meta(ge=-MOST, le=MOST, extra_json_schema={"anyOf": _APART})]
Amounts = Annotated[list[Amount], Meta(max_length=100)]
Servers = Annotated[list[Amounts], Meta(max_length=10**5)]
MOST_PRICE = 1e150
"""Largest price of a certificate: sums of products with it stay finite."""
Price = Annotated[float, Meta(ge=0, le=MOST_PRICE)]
Bound = Annotated[float, Meta(ge=0, le=1e150)]
Prices = Annotated[list[Annotated[list[Price], Meta(max_length=100)]], Meta(max_length=10**6)]


class BranchRecord(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="branch", tag_field="node"
):
    """A branching: the job completes by the slot, or it completes later or not at all."""

    job: Name
    slot: Index


class LeafRecord(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="leaf", tag_field="node"
):
    """Prices of a leaf; of what, the file of the problem says."""

    prices: Prices


class PricesFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A certificate: prices, and the bound that they prove; a subclass names its problem.

    Prices stand by slot, then by resource in the order of the instance, the same on all servers.
    They prove a bound by themselves, and the tree proves another one, if there is one: that of its
    worst leaf. Its nodes stand in preorder, the part of a branching in which the job completes by
    the slot before the other.
    """

    format: Literal["1"]
    problem: str
    instance: str
    source: Literal["prices"]
    bound: Bound
    prices: Prices
    digest: str
    tree: Annotated[list[BranchRecord | LeafRecord], Meta(max_length=10**5)] = []
