"""Offline solvers of the ``jct`` problem: exact on small instances, bounds at full scale."""

from __future__ import annotations

from solvers.contract import OfflineSolver

__all__ = ["OFFLINE"]

OFFLINE = OfflineSolver(
    solver="solvers.jct.offline:solve",
    starts=(
        "a-online",
        "a-online-e",
        "srtf",
        "tiresias-l",
        "batchsche",
    ),
    certifier="solvers.jct.certificate:certify",
    checker="solvers.jct.certificate:check",
)
