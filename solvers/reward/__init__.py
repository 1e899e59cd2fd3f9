"""Offline solvers of the ``reward`` problem.

The modules that recompute a bound from multipliers load no solver, and neither does this one.
"""

from __future__ import annotations

from solvers.contract import OfflineSolver

__all__ = ["OFFLINE"]

OFFLINE = OfflineSolver(
    solver="solvers.reward.offline:solve",
    starts=(
        "ogasched",
        "ogasched-constant",
        "ogasched-literal",
        "ogasched-adaptive",
        "drf",
        "fairness",
        "binpacking",
        "spreading",
    ),
    certifier="solvers.reward.certificate:certify",
    checker="solvers.reward.certificate:check",
)
