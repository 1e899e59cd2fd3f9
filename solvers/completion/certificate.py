"""Certificates of the ``completion`` problem: pooled prices in a file, and trees.

Their bound holds for schedules with constant placement.
"""

from __future__ import annotations

from models.completion.files import CertificateFile
from solvers.completion.piece_bound import PieceOracle
from solvers.completion.pool_bound import pool_bound, rounded
from solvers.price_certificate import PriceCertificates

__all__ = ["bound", "certify", "check"]

_PRICES = PriceCertificates(
    CertificateFile, "min", pool_bound, PieceOracle, rounded, every_slot=False
)
bound, certify, check = _PRICES.bound, _PRICES.certify, _PRICES.check
