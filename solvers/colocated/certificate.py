"""Certificates of the ``colocated`` problem: pooled prices in a file, and trees.

Their bound holds for all schedules that the scorer accepts. There is a row for every slot.
"""

from __future__ import annotations

from models.colocated.files import CertificateFile
from solvers.colocated.pool_bound import PoolBounds, pool_bound
from solvers.price_certificate import PriceCertificates, rounded

__all__ = ["bound", "certify", "check"]

_PRICES = PriceCertificates(
    CertificateFile, "max", pool_bound, PoolBounds, rounded, every_slot=True
)
bound, certify, check = _PRICES.bound, _PRICES.certify, _PRICES.check
