"""Certificates of the ``reward`` problem: multipliers of the slots in a file.

They prove upper bounds on the reward of all sequences of decisions that the scorer accepts.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from models.reward.certificates import PricedSlots, RewardCertificateFile
from models.reward.instance import RewardInstance
from solvers.certificate import Certificate, CertificateReader, Verdict, is_sealed, seal
from solvers.reward.oracle import Oracle
from solvers.reward.slot_bounds import Patterns, SlotDuals, slot_bounds

__all__ = ["certify", "check", "proven"]


def proven(instance: RewardInstance, duals: SlotDuals) -> float:
    """Sum of the bounds of all slots: what the multipliers prove."""
    patterns = Patterns.of(instance)
    mean = instance.weights / instance.cluster.slots
    bounds = slot_bounds(Oracle(instance.cluster), duals, mean, patterns.arrived)
    return float(patterns.count @ bounds)


def certify(instance: RewardInstance, duals: SlotDuals) -> Certificate[RewardCertificateFile]:
    """Compute the bound that the multipliers prove, and make the file."""
    bound = proven(instance, duals)
    file = RewardCertificateFile(
        format="1",
        problem="reward",
        instance=instance.hash,
        source="prices",
        bound=bound,
        reference=duals.reference.tolist(),
        slots=[
            PricedSlots(
                item.arrived.tolist(),
                None if item.multipliers is None else item.multipliers.tolist(),
            )
            for item in duals.patterns
        ],
        digest="",
    )
    return Certificate(bound, seal(file))


def check(path: str | Path, instance: RewardInstance) -> Verdict:
    """Recompute the bound of a certificate file by the oracle alone.

    Raises
    ------
    InputError
        If it is malformed or made for another instance.
    """
    reader = CertificateReader(path, RewardCertificateFile, instance)
    recomputed = proven(instance, _duals(reader, instance))
    return Verdict("max", reader.file.bound, recomputed, is_sealed(reader.file))


def _duals(reader: CertificateReader[RewardCertificateFile], instance: RewardInstance) -> SlotDuals:
    cluster, file = instance.cluster, reader.file
    ports, devices = len(cluster.copies), len(cluster.devices)

    def table(rows: list[list[float]], jobs: int, at: str) -> np.ndarray:
        words = {"each": "jobs", "numbers": "multipliers", "of": "device types"}
        return reader.table(rows, (jobs, devices), at, **words)

    duals = SlotDuals(table(file.reference, len(cluster.copy_port), "$.reference"))
    for place, slots in enumerate(file.slots):
        at = f"$.slots[{place}]"
        if len(slots.arrived) != ports:
            numbers = f"{len(slots.arrived)} numbers for {ports} ports"
            raise reader.error(numbers, f"{at}.arrived")
        arrived, rows = np.array(slots.arrived, dtype=np.int64), None
        if slots.multipliers is not None:
            jobs = int(cluster.active(arrived).sum())
            rows = table(slots.multipliers, jobs, f"{at}.multipliers")
        duals.add(arrived, rows)
    return duals
