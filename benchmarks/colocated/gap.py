"""What ``python -m benchmarks.gap`` compares on ``colocated``."""

from __future__ import annotations

import time

from benchmarks.contract import GapMethod, GapMethods
from models.colocated import ColocatedInstance, ColocatedSchedule
from solvers.colocated import exact, offline
from solvers.colocated.pool_bound import pool_bound, rounded
from solvers.colocated.pooled import PooledProblem
from solvers.column_generation import ColumnGeneration
from solvers.result import SolveResult

__all__ = ["GAP"]


def _bound(
    instance: ColocatedInstance, time_limit: float, threads: int
) -> SolveResult[ColocatedSchedule]:
    """Column generation until it ends by itself: how its time grows."""
    began, problem = time.monotonic(), PooledProblem(instance)
    generated = ColumnGeneration(problem, deadline=began + time_limit).run()
    prices = rounded(problem.prices(generated.duals))
    return SolveResult(
        status="bounded",
        objective=None,
        bound=pool_bound(instance, prices),
        schedule=None,
        duals=prices,
        seconds=time.monotonic() - began,
        solver="column generation",
        message=generated.message,
        bound_source="prices",
    )


GAP = GapMethods(
    methods={
        "exact": GapMethod("the compact program, whole, by HiGHS", exact.solve),
        "toolkit": GapMethod("the interval of benchmarks.ratio", offline.solve),
        "bound": GapMethod("the toolkit's column generation alone", _bound, bound_only=True),
    },
    default=("toolkit", "bound"),
    sizes={
        "default": ("8x10x3", "20x20x10", "50x20x100", "100x80x50"),
        "quick": ("4x6x2", "8x10x3"),
    },
)
