"""What ``python -m benchmarks.gap`` compares on ``utility``."""

from __future__ import annotations

import time
from functools import partial

from benchmarks.contract import GapMethod, GapMethods
from models.utility import UtilityInstance, UtilitySchedule
from solvers import reference
from solvers.column_generation import ColumnGeneration
from solvers.result import SolveResult
from solvers.utility import compact_ilp, offline
from solvers.utility.deadlines.variants import VARIANTS
from solvers.utility.pool_bound import pool_bound, rounded
from solvers.utility.pooled import PooledProblem
from solvers.utility.scaling import scale_utilities

__all__ = ["GAP"]


def _bound(
    instance: UtilityInstance, time_limit: float, threads: int
) -> SolveResult[UtilitySchedule]:
    """Column generation until it ends by itself: how its time grows."""
    began = time.monotonic()
    scaled = scale_utilities(instance)
    problem = PooledProblem(scaled.instance)
    generated = ColumnGeneration(problem, deadline=began + time_limit).run()
    prices = rounded(problem.pool_prices(generated.duals / scaled.factor))
    bound, seconds = pool_bound(instance, prices), time.monotonic() - began
    return SolveResult.of_prices("max", bound, prices, seconds, generated.message)


GAP = GapMethods(
    methods={
        "compact": GapMethod("the compact ILP, whole, by HiGHS", compact_ilp.solve),
        "scip": GapMethod(
            "the same by SCIP",
            partial(compact_ilp.solve, engine=reference.scip),
            package="pyscipopt",
        ),
        "cp-sat": GapMethod(
            "the same by CP-SAT",
            partial(compact_ilp.solve, engine=reference.cp_sat),
            package="ortools",
        ),
        "toolkit": GapMethod("the interval of benchmarks.ratio", offline.solve, by_work=True),
        "certified": GapMethod(
            "the same, half of the time for a tree that proves its bound", offline.certified
        ),
        "bound": GapMethod(
            "the toolkit's column generation alone, no schedule", _bound, bound_only=True
        ),
        **{
            name: GapMethod(words, partial(offline.solve, options=options), by_work=True)
            for name, (words, options) in VARIANTS.items()
        },
    },
    default=("compact", "toolkit"),
    sizes={
        "default": ("10x10x5+5", "20x20x10+10", "50x50x20+20", "100x100x50+50"),
        "quick": ("5x6x3+3", "10x10x5+5"),
    },
)
