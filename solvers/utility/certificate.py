"""Certificates of the ``utility`` problem: prices, packing cuts and trees of them in a file.

They prove upper bounds on the total utility of all schedules that the scorer accepts.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from models.utility.files import BranchRecord, CertificateFile, CutRecord, LeafRecord
from models.utility.instance import UtilityInstance
from solvers.certificate import Certificate, CertificateReader, Verdict, is_sealed, seal
from solvers.utility.deadline_tree import Allowed, Branch
from solvers.utility.pool_bound import PoolPrices, PricedCut, pool_bound, rounded

__all__ = ["certify", "check"]


def certify(instance: UtilityInstance, prices: PoolPrices) -> Certificate[CertificateFile]:
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
    reader = CertificateReader(path, CertificateFile, instance)
    recomputed = pool_bound(instance, _prices(reader, instance))
    return Verdict("max", reader.file.bound, recomputed, is_sealed(reader.file))


def _prices(reader: CertificateReader[CertificateFile], instance: UtilityInstance) -> PoolPrices:
    file, slots = reader.file, instance.cluster.slots
    shape = slots, len(instance.cluster.resources)
    cuts: list[PricedCut] = []
    for number, cut in enumerate(file.cuts):
        at = f"$.cuts[{number}]"
        if cut.slot >= slots:
            raise reader.error(f"slot {cut.slot} is past the horizon", f"{at}.slot")
        weight = np.zeros(len(instance.jobs))
        for job, share in cut.weights.items():
            weight[reader.job(job, f"{at}.weights")] = share
        cuts.append(PricedCut(int(cut.side == "ps"), cut.slot, cut.price, weight))

    def node(record: BranchRecord | LeafRecord, at: str) -> Branch | PoolPrices:
        if isinstance(record, BranchRecord):
            return Branch(reader.job(record.job, f"{at}.job"), record.slot, record.workers)
        for place, _ in record.cuts:
            if place >= len(cuts):
                raise reader.error(f"no cut {place}", f"{at}.cuts")
        return PoolPrices(
            reader.table(record.worker, shape, f"{at}.worker"),
            reader.table(record.ps, shape, f"{at}.ps"),
            tuple(replace(cuts[place], price=price) for place, price in record.cuts),
        )

    return PoolPrices(
        reader.table(file.worker, shape, "$.worker"),
        reader.table(file.ps, shape, "$.ps"),
        tuple(cuts),
        reader.tree(file.tree, node, Allowed.all(len(instance.jobs), slots)),
    )
