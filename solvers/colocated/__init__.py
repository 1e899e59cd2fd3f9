"""Offline solvers of the ``colocated`` problem.

The modules that recompute a bound from prices load no solver, and neither does this one.
"""

from __future__ import annotations

from solvers.contract import OfflineSolver

__all__ = ["OFFLINE"]

OFFLINE = OfflineSolver(
    solver="solvers.colocated.offline:solve",
    starts=("pd-ors", "fifo"),
    certifier="solvers.colocated.certificate:certify",
    checker="solvers.colocated.certificate:check",
)
