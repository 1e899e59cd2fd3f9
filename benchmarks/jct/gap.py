"""What ``python -m benchmarks.gap`` compares on ``jct``."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from models.jct import JctInstance, JctSchedule
from solvers.jct import exact, offline
from solvers.jct.bound import bound
from solvers.jct.pool import Pool
from solvers.jct.relaxation import paper_relaxation
from solvers.result import SolveResult

__all__ = ["BOUND_ONLY", "DEFAULT_METHODS", "METHODS", "SIZES"]

Method = Callable[..., SolveResult[JctSchedule]]


def _exact(instance: JctInstance, time_limit: float, threads: int = 1) -> SolveResult[JctSchedule]:
    return exact.solve(instance, time_limit=time_limit)


def _toolkit(
    instance: JctInstance, time_limit: float, threads: int = 1
) -> SolveResult[JctSchedule]:
    return offline.solve(instance, time_limit=time_limit, threads=threads)


def _bound(instance: JctInstance, time_limit: float, threads: int = 1) -> SolveResult[JctSchedule]:
    """The bound until it ends by itself: how its time grows."""
    found = bound(Pool.of(instance), time_limit=time_limit)
    assert found is not None  # the instance's checks have seen every job complete alone
    return SolveResult(
        status="bounded",
        objective=None,
        bound=found.proven.bound,
        schedule=None,
        duals=found.prices,
        seconds=found.seconds,
        solver="strengthened linear program, column generation",
        message="" if found.program else "the linear program was not solved in time",
        sense="min",
        bound_source="prices",
    )


def _paper(instance: JctInstance, time_limit: float, threads: int = 1) -> SolveResult[JctSchedule]:
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
        bound_source="milp",
    )


METHODS: Mapping[str, tuple[str, Method]] = {
    "exact": ("the chunk model by HiGHS, within windows that bounds leave", _exact),
    "toolkit": ("the interval of benchmarks.ratio", _toolkit),
    "bound": ("the toolkit's bound alone, no schedule", _bound),
    "paper": ("the relaxation of the paper's ILP (4) alone, no schedule", _paper),
}
"""By name: what it is, and ``(instance, seconds, threads) -> result``. All start from nothing.
Those that solve no integer program have one thread, whatever is asked."""

BOUND_ONLY = frozenset({"bound", "paper"})
"""Those that look for no schedule."""

DEFAULT_METHODS = ("exact", "toolkit")

SIZES: Mapping[str, tuple[str, ...]] = {
    "default": ("10x100x30", "30x300x100", "100x300x100", "300x1000x100"),
    "quick": ("10x100x30", "30x300x100"),
}
"""Jobs x slots in which they arrive x edge servers."""
