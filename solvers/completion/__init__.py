"""Offline solvers of the ``completion`` problem.

The modules that recompute a bound from prices load no solver, and neither does this one.
"""

from __future__ import annotations

from solvers.contract import OfflineSolver

__all__ = ["OFFLINE"]

OFFLINE = OfflineSolver(
    solver="solvers.completion.offline:solve",
    starts=("a-online", "fifo"),
    certifier="solvers.completion.certificate:certify",
    checker="solvers.completion.certificate:check",
    wider="solvers.completion.elastic_bound:wider_bound",
)
