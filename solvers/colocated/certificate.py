"""Certificates of the ``colocated`` problem: pooled prices in a file, a row for every slot."""

from __future__ import annotations

from models.colocated.files import CertificateFile
from solvers.colocated.pool_bound import pool_bound
from solvers.price_certificate import PriceCertificates, rounded

__all__ = ["certify", "check"]

_PRICES = PriceCertificates(CertificateFile, "max", pool_bound, rounded, every_slot=True)
certify, check = _PRICES.certify, _PRICES.check
