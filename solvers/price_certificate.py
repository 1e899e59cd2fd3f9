"""Certificates of bounds by one table of prices, the same on all servers: make, write, check."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from models.errors import InputError
from models.files import canonical, decode, read_bytes, write_atomic
from models.instance import check_made_for
from models.wire import PricesFile
from solvers.certificate import Verdict, is_sealed, seal
from solvers.result import Sense

__all__ = ["OUTWARD", "Certificate", "PriceCertificates", "checked", "rounded"]

OUTWARD = 1e-9
"""By how much such bounds are rounded outward, relative: more than the round-off of their sums."""
_DIGITS = 9  # of the largest price of a resource that is stored


@dataclass(frozen=True)
class Certificate:
    """A bound, and the sealed file that proves it."""

    bound: float
    file: PricesFile

    def write(self, path: str | Path) -> None:
        """Write the certificate file (gzip-ed by ending), whole or not at all."""
        write_atomic(path, canonical(self.file))


@dataclass(frozen=True)
class PriceCertificates:
    """How a problem makes its certificates and checks them.

    Parameters
    ----------
    file_type : type
        A subclass of :class:`models.wire.PricesFile`.
    sense : "max" or "min"
        Whether bounds are upper or lower ones.
    bound : callable
        ``(instance, prices) -> float``, what prices prove.
    rounded : callable
        From prices to those that are stored.
    every_slot : bool
        Whether there is a row for each slot; if not, slots behind the last row have no price.
    """

    file_type: type[PricesFile]
    sense: Sense
    bound: Callable[[Any, np.ndarray], float]
    rounded: Callable[[np.ndarray], np.ndarray]
    every_slot: bool

    def certify(self, instance: Any, prices: np.ndarray) -> Certificate:
        """Round the prices, shape (S, R), and compute the bound that the rounded ones prove."""
        short = self.rounded(prices)
        file = self.file_type(
            format="1",
            problem=instance.problem,
            instance=instance.hash,
            source="prices",
            bound=self.bound(instance, short),
            prices=short.tolist(),
            digest="",
        )
        return Certificate(file.bound, seal(file))

    def check(self, path: str | Path, instance: Any) -> Verdict:
        """Recompute the bound of a certificate file, by an oracle and no solver.

        Raises InputError if it is malformed or made for another instance, or has too many or few
        prices.
        """
        source = str(path)
        file = decode(read_bytes(path), self.file_type, source=source)
        check_made_for(instance, file.instance, source, "$.instance")
        slots, width = instance.cluster.slots, len(instance.cluster.resources)
        if self.every_slot and len(file.prices) != slots:
            raise InputError(f"{source}: {len(file.prices)} rows for {slots} slots - at `$.prices`")
        for t, row in enumerate(file.prices):
            if len(row) != width:
                raise InputError(
                    f"{source}: {len(row)} prices for {width} resources - at `$.prices[{t}]`"
                )
        prices = np.array(file.prices, dtype=float).reshape(-1, width)
        return Verdict(self.sense, file.bound, self.bound(instance, prices), is_sealed(file))


def checked(instance: Any, prices: np.ndarray) -> np.ndarray:
    """Prices, shape (S, R), that prove something; raises ValueError if these do not."""
    if prices.ndim != 2 or prices.shape[1] != len(instance.cluster.resources):
        raise ValueError(f"prices have shape {prices.shape}")
    if not (np.isfinite(prices) & (prices >= 0.0)).all():
        raise ValueError("a price is negative or not finite")
    return np.asarray(prices, dtype=float)


def rounded(prices: np.ndarray) -> np.ndarray:
    """Prices with few digits, none below 0: a shorter file."""
    short = np.maximum(prices, 0.0)
    for r, largest in enumerate(short.max(axis=0, initial=0.0)):  # resources have own units
        if largest > 0.0:
            decimals = min(_DIGITS - 1 - math.floor(math.log10(largest)), 300)
            short[:, r] = np.round(short[:, r], decimals)
    return short
