"""Certificates of the ``reward`` problem: multipliers of the slots in a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.errors import InputError
from models.files import canonical, decode, read_bytes, write_atomic
from models.instance import check_made_for
from models.reward.certificates import PricedSlots, RewardCertificateFile
from models.reward.instance import RewardInstance
from solvers.certificate import Verdict, is_sealed, seal
from solvers.reward.oracle import Oracle
from solvers.reward.slot_bounds import Patterns, SlotDuals, slot_bounds

__all__ = ["Certificate", "certify", "check", "proven"]


@dataclass(frozen=True)
class Certificate:
    """A bound and the file that proves it.

    Parameters
    ----------
    bound : float
        No sequence of decisions that the scorer accepts has a larger reward.
    file : RewardCertificateFile
        Sealed (:func:`solvers.certificate.seal`).
    """

    bound: float
    file: RewardCertificateFile

    def write(self, path: str | Path) -> None:
        """Write the certificate file (gzip-ed by ending), whole or not at all."""
        write_atomic(path, canonical(self.file))


def proven(instance: RewardInstance, duals: SlotDuals) -> float:
    """Sum of the bounds of all slots: what the multipliers prove."""
    patterns = Patterns.of(instance)
    mean = instance.weights / instance.cluster.slots
    bounds = slot_bounds(Oracle(instance.cluster), duals, mean, patterns.arrived)
    return float(patterns.count @ bounds)


def certify(instance: RewardInstance, duals: SlotDuals) -> Certificate:
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
    source = str(path)
    file = decode(read_bytes(path), RewardCertificateFile, source=source)
    check_made_for(instance, file.instance, source, "$.instance")
    return Verdict(
        "max", file.bound, proven(instance, _duals(file, instance, source)), is_sealed(file)
    )


def _duals(file: RewardCertificateFile, instance: RewardInstance, source: str) -> SlotDuals:
    cluster = instance.cluster
    copies, ports = len(cluster.copy_port), len(cluster.copies)
    duals = SlotDuals(_table(file.reference, copies, "$.reference", instance, source))
    for place, slots in enumerate(file.slots):
        at = f"$.slots[{place}]"
        if len(slots.arrived) != ports:
            raise InputError(
                f"{source}: {len(slots.arrived)} numbers for {ports} ports - at `{at}.arrived`"
            )
        arrived = np.array(slots.arrived, dtype=np.int64)
        rows = None
        if slots.multipliers is not None:
            jobs = int(cluster.active(arrived).sum())
            rows = _table(slots.multipliers, jobs, f"{at}.multipliers", instance, source)
        duals.add(arrived, rows)
    return duals


def _table(
    rows: list[list[float]], count: int, at: str, instance: RewardInstance, source: str
) -> np.ndarray:
    width = len(instance.cluster.devices)
    if len(rows) != count:
        raise InputError(f"{source}: {len(rows)} rows for {count} jobs - at `{at}`")
    for place, row in enumerate(rows):
        if len(row) != width:
            raise InputError(
                f"{source}: {len(row)} multipliers for {width} device types - at `{at}[{place}]`"
            )
    return np.array(rows, dtype=float).reshape(count, width)
