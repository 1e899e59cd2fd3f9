"""Certificates of the ``utility`` problem: prices, packing cuts and trees of them in a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from models.errors import InputError
from models.files import canonical, decode, read_bytes, write_atomic
from models.instance import check_made_for
from models.utility.files import BranchRecord, CertificateFile, CutRecord, LeafRecord
from models.utility.instance import UtilityInstance
from solvers.branching_tree import TreeError, check_tree
from solvers.certificate import Verdict, is_sealed, seal
from solvers.utility.deadline_tree import Allowed, Branch
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
    cuts = [_record(instance, cut, cut.price) for cut in short.cuts]
    place = {_key(cut): number for number, cut in enumerate(short.cuts)}
    tree: list[BranchRecord | LeafRecord] = []
    for node in short.tree:
        if isinstance(node, Branch):
            tree.append(BranchRecord(instance.jobs[node.job].id, node.slot, node.workers))
            continue
        paid = []
        for cut in node.cuts:
            if _key(cut) not in place:  # it has no price at the root
                place[_key(cut)] = len(cuts)
                cuts.append(_record(instance, cut, 0.0))
            paid.append((place[_key(cut)], cut.price))
        tree.append(LeafRecord(node.worker.tolist(), node.ps.tolist(), paid))
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
        tree=tree,
    )
    return Certificate(bound, seal(file))


def _key(cut: PricedCut) -> tuple[int, int, bytes]:
    return cut.side, int(cut.slot), cut.weight.tobytes()


def _record(instance: UtilityInstance, cut: PricedCut, price: float) -> CutRecord:
    return CutRecord(
        side="ps" if cut.side else "worker",
        slot=int(cut.slot),
        price=price,
        weights={instance.jobs[i].id: float(cut.weight[i]) for i in np.flatnonzero(cut.weight > 0)},
    )


def check(path: str | Path, instance: UtilityInstance) -> Verdict:
    """Recompute the bound of a certificate file by the oracle and knapsacks alone.

    Raises
    ------
    InputError
        If it is malformed or made for another instance, names an unknown job, slot or cut, or its
        tree is none.
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
    tree: list[Branch | PoolPrices] = []
    for number, node in enumerate(file.tree):
        at = f"$.tree[{number}]"
        if isinstance(node, BranchRecord):
            if node.job not in index:
                raise InputError(f"{source}: no job '{node.job}' in the instance - at `{at}.job`")
            tree.append(Branch(index[node.job], node.slot, node.workers))
            continue
        for place, _ in node.cuts:
            if place >= len(cuts):
                raise InputError(f"{source}: no cut {place} - at `{at}.cuts`")
        paid = tuple(replace(cuts[place], price=price) for place, price in node.cuts)
        tree.append(PoolPrices(*_tables(node, at, instance, source), paid))
    prices = PoolPrices(*_tables(file, "$", instance, source), tuple(cuts), tuple(tree))
    try:
        if tree:
            check_tree(tree, Allowed.all(len(index), instance.cluster.slots))
    except TreeError as error:
        raise InputError(f"{source}: {error} - at `{error.at}`") from None
    return prices


def _tables(
    record: CertificateFile | LeafRecord, at: str, instance: UtilityInstance, source: str
) -> tuple[np.ndarray, np.ndarray]:
    return (
        _table(record.worker, f"{at}.worker", instance, source),
        _table(record.ps, f"{at}.ps", instance, source),
    )


def _table(rows: list[list[float]], at: str, instance: UtilityInstance, source: str) -> np.ndarray:
    slots, width = instance.cluster.slots, len(instance.cluster.resources)
    if len(rows) != slots:
        raise InputError(f"{source}: {len(rows)} rows for {slots} slots - at `{at}`")
    for t, row in enumerate(rows):
        if len(row) != width:
            raise InputError(f"{source}: {len(row)} prices for {width} resources - at `{at}[{t}]`")
    return np.array(rows, dtype=float).reshape(slots, width)
