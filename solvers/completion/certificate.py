"""Certificates of the ``completion`` problem: pooled prices in a file.

Their bound holds for schedules with constant placement.
"""

from __future__ import annotations

from models.completion.files import CertificateFile
from solvers.completion.pool_bound import pool_bound, rounded
from solvers.price_certificate import PriceCertificates

__all__ = ["certify", "check"]

_PRICES = PriceCertificates(CertificateFile, "min", pool_bound, rounded, every_slot=False)
certify, check = _PRICES.certify, _PRICES.check
