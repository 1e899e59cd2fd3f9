"""Certificates of the ``completion`` problem: pooled prices in a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.completion.files import CertificateFile
from models.completion.instance import CompletionInstance
from models.errors import InputError
from models.files import canonical, decode, read_bytes, write_atomic
from models.instance import check_made_for
from solvers.certificate import Verdict, is_sealed, seal
from solvers.completion.pool_bound import pool_bound, rounded

__all__ = ["Certificate", "certify", "check"]


@dataclass(frozen=True)
class Certificate:
    """A bound on schedules with constant placement, and the sealed file that proves it."""

    bound: float
    file: CertificateFile

    def write(self, path: str | Path) -> None:
        """Write the certificate file (gzip-ed by ending), whole or not at all."""
        write_atomic(path, canonical(self.file))


def certify(instance: CompletionInstance, prices: np.ndarray) -> Certificate:
    """Round the prices, shape (S, R), and compute the bound that the rounded ones prove."""
    short = rounded(prices)
    bound = max(0.0, pool_bound(instance, short))
    file = CertificateFile(
        format="1",
        problem="completion",
        instance=instance.hash,
        source="prices",
        bound=bound,
        prices=short.tolist(),
        digest="",
    )
    return Certificate(bound, seal(file))


def check(path: str | Path, instance: CompletionInstance) -> Verdict:
    """Recompute the bound of a certificate file by the oracle of pooled servers alone.

    Raises InputError if it is malformed or made for another instance, or has too many or few
    prices of a slot.
    """
    source = str(path)
    file = decode(read_bytes(path), CertificateFile, source=source)
    check_made_for(instance, file.instance, source, "$.instance")
    width = len(instance.cluster.resources)
    for t, row in enumerate(file.prices):
        if len(row) != width:
            raise InputError(
                f"{source}: {len(row)} prices for {width} resources - at `$.prices[{t}]`"
            )
    prices = np.array(file.prices, dtype=float).reshape(-1, width)
    return Verdict("min", file.bound, max(0.0, pool_bound(instance, prices)), is_sealed(file))
