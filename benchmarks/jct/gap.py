"""What ``python -m benchmarks.gap`` compares on ``jct``."""

from __future__ import annotations

import time

from benchmarks.contract import GapMethod, GapMethods
from models.jct import JctInstance, JctSchedule
from solvers.jct import exact, offline
from solvers.jct.bound import bound
from solvers.jct.pool import Pool
from solvers.jct.relaxation import paper_relaxation
from solvers.result import SolveResult

__all__ = ["GAP"]


def _bound(instance: JctInstance, time_limit: float, threads: int) -> SolveResult[JctSchedule]:
    """The bound until it ends by itself: how its time grows."""
    found = bound(Pool.of(instance), time_limit=time_limit)
    assert found is not None  # the instance's checks have seen every job complete alone
    message = "" if found.program else "the linear program was not solved in time"
    return SolveResult.of_prices("min", found.proven.bound, found.prices, found.seconds, message)


def _paper(instance: JctInstance, time_limit: float, threads: int) -> SolveResult[JctSchedule]:
    """The bound that the paper divides by, Lemma 1."""
    began = time.monotonic()
    found = paper_relaxation(Pool.of(instance), time_limit=time_limit)
    return SolveResult(
        status="interrupted" if found is None else "bounded",
        objective=None,
        bound=None if found is None else found.value,
        schedule=None,
        duals=None,
        seconds=time.monotonic() - began,
        solver="linear relaxation of ILP (4)",
        sense="min",
    )


GAP = GapMethods(
    methods={
        "exact": GapMethod(
            "the chunk model by HiGHS, within windows that bounds leave",
            lambda instance, time_limit, threads: exact.solve(instance, time_limit=time_limit),
        ),
        "toolkit": GapMethod("the interval of benchmarks.ratio", offline.solve),
        "bound": GapMethod("the toolkit's bound alone, no schedule", _bound, bound_only=True),
        "paper": GapMethod(
            "the relaxation of the paper's ILP (4) alone, no schedule", _paper, bound_only=True
        ),
    },
    default=("exact", "toolkit"),
    sizes={  # jobs x slots in which they arrive x edge servers
        "default": ("10x100x30", "30x300x100", "100x300x100", "300x1000x100"),
        "quick": ("10x100x30", "30x300x100"),
    },
)
