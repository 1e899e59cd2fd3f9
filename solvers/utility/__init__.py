"""Offline solvers of the ``utility`` problem.

The modules that recompute a bound from prices load no solver, and neither does this one.
"""

from __future__ import annotations

from solvers.contract import OfflineSolver

__all__ = ["OFFLINE"]

OFFLINE = OfflineSolver(
    solver="solvers.utility.offline:solve",
    starts=(
        "oasis",
        "fifo",
        "drf",
        "rrh",
        "dorm",
        "zero-price",
    ),
    certifier="solvers.utility.certificate:certify",
    checker="solvers.utility.certificate:check",
)
