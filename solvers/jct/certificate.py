"""Certificates of the ``jct`` problem: prices of worker-slots in a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.errors import InputError
from models.files import canonical, decode, read_bytes, write_atomic
from models.instance import check_made_for
from models.jct.certificates import JctCertificateFile
from models.jct.instance import JctInstance
from solvers.certificate import Verdict, is_sealed, seal
from solvers.jct.pool import Pool
from solvers.jct.price_bound import price_bound, rounded

__all__ = ["Certificate", "certify", "check"]

_MOST_PRICES = 10**8


@dataclass(frozen=True)
class Certificate:
    """A bound and the file that proves it.

    Parameters
    ----------
    bound : float
        No schedule that the scorer accepts has a smaller total JCT, slots; those that migrate
        between edge workers included.
    file : JctCertificateFile
        Sealed (:func:`solvers.certificate.seal`).
    """

    bound: float
    file: JctCertificateFile

    def write(self, path: str | Path) -> None:
        """Write the certificate file (gzip-ed by ending), whole or not at all."""
        write_atomic(path, canonical(self.file))


def certify(instance: JctInstance, prices: np.ndarray) -> Certificate:
    """Round the prices, and compute the bound that the rounded ones prove.

    Parameters
    ----------
    instance : JctInstance
    prices : ndarray, shape (types, H)
        Price of a worker in a slot; 0 from slot H on.
    """
    short = rounded(prices)
    worker = {}
    for kind, row in zip(instance.cluster.worker_types, short, strict=True):
        last = np.flatnonzero(row)
        if last.size:
            worker[kind] = row[: last[-1] + 1].tolist()
    bound = _bound(instance, worker)
    file = JctCertificateFile(
        format="1",
        problem="jct",
        instance=instance.hash,
        source="prices",
        bound=bound,
        worker=worker,
        digest="",
    )
    return Certificate(bound, seal(file))


def check(path: str | Path, instance: JctInstance) -> Verdict:
    """Recompute the bound of a certificate file by the oracle alone.

    Raises
    ------
    InputError
        If it is malformed or made for another instance, or names an unknown type or slot.
    """
    source = str(path)
    file = decode(read_bytes(path), JctCertificateFile, source=source)
    check_made_for(instance, file.instance, source, "$.instance")
    for kind, row in file.worker.items():
        at = f"$.worker[{kind!r}]"
        if kind not in instance.cluster.worker_types:
            raise InputError(f"{source}: no edge worker is of type '{kind}' - at `{at}`")
        if len(row) > instance.cluster.slots:
            raise InputError(
                f"{source}: {len(row)} prices for {instance.cluster.slots} slots - at `{at}`"
            )
    if (size := len(instance.cluster.worker_types) * _longest(file.worker)) > _MOST_PRICES:
        raise InputError(
            f"{source}: {size} prices (types x slots) are more than {_MOST_PRICES} - at `$.worker`"
        )
    return Verdict("min", file.bound, _bound(instance, file.worker), is_sealed(file))


def _longest(worker: dict[str, list[float]]) -> int:
    return max(map(len, worker.values()), default=0)


def _bound(instance: JctInstance, worker: dict[str, list[float]]) -> float:
    """Bound that prices prove."""
    kinds = instance.cluster.worker_types
    table = np.zeros((len(kinds), _longest(worker)))
    for kind, row in worker.items():
        table[kinds.index(kind), : len(row)] = row
    proven = price_bound(Pool.of(instance), table)
    assert proven is not None  # the instance's checks have seen every job complete alone
    return float(max(proven.bound, 0))
