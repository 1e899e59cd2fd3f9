"""Certificates of the ``colocated`` problem: pooled prices in a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.colocated.files import CertificateFile
from models.colocated.instance import ColocatedInstance
from models.errors import InputError
from models.files import canonical, decode, read_bytes, write_atomic
from models.instance import check_made_for
from solvers.certificate import Verdict, is_sealed, seal
from solvers.colocated.pool_bound import pool_bound, rounded

__all__ = ["Certificate", "certify", "check"]


@dataclass(frozen=True)
class Certificate:
    """A bound on all schedules that the scorer accepts, and the sealed file that proves it."""

    bound: float
    file: CertificateFile

    def write(self, path: str | Path) -> None:
        """Write the certificate file (gzip-ed by ending), whole or not at all."""
        write_atomic(path, canonical(self.file))


def certify(instance: ColocatedInstance, prices: np.ndarray) -> Certificate:
    """Round the prices, shape (T, R), and compute the bound that the rounded ones prove."""
    short = rounded(prices)
    bound = pool_bound(instance, short)
    file = CertificateFile(
        format="1",
        problem="colocated",
        instance=instance.hash,
        source="prices",
        bound=bound,
        prices=short.tolist(),
        digest="",
    )
    return Certificate(bound, seal(file))


def check(path: str | Path, instance: ColocatedInstance) -> Verdict:
    """Recompute the bound of a certificate file by the oracle of pooled machines alone.

    Raises InputError if it is malformed or made for another instance, or has not one price for
    each slot and resource.
    """
    source = str(path)
    file = decode(read_bytes(path), CertificateFile, source=source)
    check_made_for(instance, file.instance, source, "$.instance")
    slots, width = instance.cluster.slots, len(instance.cluster.resources)
    if len(file.prices) != slots:
        raise InputError(f"{source}: {len(file.prices)} rows for {slots} slots - at `$.prices`")
    for t, row in enumerate(file.prices):
        if len(row) != width:
            raise InputError(
                f"{source}: {len(row)} prices for {width} resources - at `$.prices[{t}]`"
            )
    prices = np.array(file.prices, dtype=float).reshape(slots, width)
    return Verdict("max", file.bound, pool_bound(instance, prices), is_sealed(file))
