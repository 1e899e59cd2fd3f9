"""Rules on what servers offer and jobs demand of each resource, the same for every problem."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.errors import InputError

__all__ = [
    "BANDWIDTH",
    "check_demand",
    "check_distinct",
    "check_names",
    "check_vector",
    "dominant_share",
]

BANDWIDTH = "bandwidth_gbps"
"""The resource that gives the bandwidth of workers and parameter servers."""


def check_distinct(names: Sequence[str], source: str) -> None:
    """Names of resources: no two alike; raises InputError."""
    if len(set(names)) != len(names):
        raise InputError(f"{source}: a name stands twice - at `$.resources`")


def check_names(names: Sequence[str], source: str) -> None:
    """The same, with the bandwidth among them."""
    check_distinct(names, source)
    if BANDWIDTH not in names:
        raise InputError(f"{source}: '{BANDWIDTH}' is missing - at `$.resources`")


def check_vector(row: Sequence[float], width: int, path: str, source: str) -> None:
    """One nonnegative number per resource; raises InputError."""
    if len(row) != width:
        raise InputError(f"{source}: {len(row)} numbers for {width} resources - at `{path}`")
    for index, number in enumerate(row):
        if number < 0:
            raise InputError(f"{source}: {number} is negative - at `{path}[{index}]`")


def check_demand(row: Sequence[float], names: Sequence[str], path: str, source: str) -> None:
    """The same, with a positive bandwidth."""
    check_vector(row, len(names), path, source)
    place = names.index(BANDWIDTH)
    if row[place] <= 0:
        raise InputError(f"{source}: bandwidth must be positive - at `{path}[{place}]`")


def dominant_share(need: np.ndarray, have: np.ndarray) -> np.ndarray:
    """Largest share of what there is, over resources (the last axis); infinite of nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share: np.ndarray = np.where(need > 0.0, need / have, 0.0).max(axis=-1)
    return share
