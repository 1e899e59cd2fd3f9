"""Certificates of the ``utility`` problem: pooled prices and packing cuts in a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.errors import InputError
from models.files import canonical, decode, read_bytes, write_atomic
from models.instance import check_made_for
from models.utility.files import CertificateFile, CutRecord
from models.utility.instance import UtilityInstance
from solvers.certificate import Verdict, is_sealed, seal
from solvers.utility.pool_bound import PoolPrices, PricedCut, pool_bound, rounded

__all__ = ["Certificate", "certify", "check"]


@dataclass(frozen=True)
class Certificate:
    """A bound and the file that proves it.

    Parameters
    ----------
    bound : float
        No schedule that the scorer accepts has a larger total utility.
    file : CertificateFile
        Sealed (:func:`solvers.certificate.seal`).
    """

    bound: float
    file: CertificateFile

    def write(self, path: str | Path) -> None:
        """Write the certificate file (gzip-ed by ending), whole or not at all."""
        write_atomic(path, canonical(self.file))


def certify(instance: UtilityInstance, prices: PoolPrices) -> Certificate:
    """Round the prices, and compute the bound that the rounded ones prove."""
    short = rounded(prices)
    bound = pool_bound(instance, short)
    cuts = [
        CutRecord(
            side="ps" if cut.side else "worker",
            slot=int(cut.slot),
            price=cut.price,
            weights={
                instance.jobs[i].id: float(cut.weight[i]) for i in np.flatnonzero(cut.weight > 0)
            },
        )
        for cut in short.cuts
    ]
    file = CertificateFile(
        format="1",
        problem="utility",
        instance=instance.hash,
        source="prices",
        bound=bound,
        worker=short.worker.tolist(),
        ps=short.ps.tolist(),
        cuts=cuts,
        digest="",
    )
    return Certificate(bound, seal(file))


def check(path: str | Path, instance: UtilityInstance) -> Verdict:
    """Recompute the bound of a certificate file by the oracle and knapsacks alone.

    Raises
    ------
    InputError
        If it is malformed or made for another instance, or names an unknown job or slot.
    """
    source = str(path)
    file = decode(read_bytes(path), CertificateFile, source=source)
    check_made_for(instance, file.instance, source, "$.instance")
    recomputed = pool_bound(instance, _prices(file, instance, source))
    return Verdict("max", file.bound, recomputed, is_sealed(file))


def _prices(file: CertificateFile, instance: UtilityInstance, source: str) -> PoolPrices:
    index = {job.id: job.index for job in instance.jobs}
    cuts = []
    for number, cut in enumerate(file.cuts):
        at = f"$.cuts[{number}]"
        if cut.slot >= instance.cluster.slots:
            raise InputError(f"{source}: slot {cut.slot} is past the horizon - at `{at}.slot`")
        weight = np.zeros(len(index))
        for job, share in cut.weights.items():
            if job not in index:
                raise InputError(f"{source}: no job '{job}' in the instance - at `{at}.weights`")
            weight[index[job]] = share
        cuts.append(PricedCut(int(cut.side == "ps"), cut.slot, cut.price, weight))
    return PoolPrices(
        _table(file.worker, "$.worker", instance, source),
        _table(file.ps, "$.ps", instance, source),
        tuple(cuts),
    )


def _table(rows: list[list[float]], at: str, instance: UtilityInstance, source: str) -> np.ndarray:
    slots, width = instance.cluster.slots, len(instance.cluster.resources)
    if len(rows) != slots:
        raise InputError(f"{source}: {len(rows)} rows for {slots} slots - at `{at}`")
    for t, row in enumerate(rows):
        if len(row) != width:
            raise InputError(f"{source}: {len(row)} prices for {width} resources - at `{at}[{t}]`")
    return np.array(rows, dtype=float).reshape(slots, width)
