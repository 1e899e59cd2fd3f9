"""Certificates of the ``jct`` problem: prices of worker-slots in a file.

They prove lower bounds on the total JCT, in slots, of all schedules that the scorer accepts, those
that migrate between edge workers included.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from models.jct.certificates import JctCertificateFile
from models.jct.instance import JctInstance
from solvers.certificate import Certificate, CertificateReader, Verdict, is_sealed, seal
from solvers.jct.pool import Pool
from solvers.jct.price_bound import price_bound, rounded

__all__ = ["certify", "check"]

_MOST_PRICES = 10**8


def certify(instance: JctInstance, prices: np.ndarray) -> Certificate[JctCertificateFile]:
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
    reader = CertificateReader(path, JctCertificateFile, instance)
    file, cluster = reader.file, instance.cluster
    for kind, row in file.worker.items():
        at = f"$.worker[{kind!r}]"
        if kind not in cluster.worker_types:
            raise reader.error(f"no edge worker is of type '{kind}'", at)
        if len(row) > cluster.slots:
            raise reader.error(f"{len(row)} prices for {cluster.slots} slots", at)
    if (size := len(cluster.worker_types) * _longest(file.worker)) > _MOST_PRICES:
        most = f"{size} prices (types x slots) are more than {_MOST_PRICES}"
        raise reader.error(most, "$.worker")
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
