"""What ``python -m benchmarks.gap`` compares on ``colocated``."""

from __future__ import annotations

import time
from functools import partial

from benchmarks.contract import GapMethod, GapMethods
from models.colocated import ColocatedInstance, ColocatedSchedule, score
from models.colocated.formulations.compact import compact
from models.errors import InputError
from solvers import reference
from solvers.colocated import offline
from solvers.colocated.exact import schedule_of, size
from solvers.colocated.pool_bound import pool_bound
from solvers.colocated.pooled import PooledProblem
from solvers.price_certificate import rounded
from solvers.pyomo_bridge import Engine
from solvers.result import SolveResult
from solvers.single_step import generate_bound, solve_whole

__all__ = ["GAP"]

_LARGEST = 20_000  # jobs x slots x machines, of each of which the program has some variables

Result = SolveResult[ColocatedSchedule]


def _exact(
    instance: ColocatedInstance, time_limit: float, threads: int, engine: Engine | None = None
) -> Result:
    """The whole compact program, built within the time; not built if it is too large."""
    if (count := size(instance)) > _LARGEST:
        raise InputError(f"{count} jobs x slots x machines are more than {_LARGEST}")
    return solve_whole(instance, compact, schedule_of, score, time_limit, threads, engine)


def _bound(instance: ColocatedInstance, time_limit: float, threads: int) -> Result:
    """Column generation until it ends by itself: how its time grows."""
    began, problem = time.monotonic(), PooledProblem(instance)
    bound = partial(pool_bound, instance)
    return generate_bound("max", problem, rounded, bound, began, time_limit)


GAP = GapMethods(
    methods={
        "exact": GapMethod("the compact program, whole, by HiGHS", _exact),
        "scip": GapMethod(
            "the same by SCIP", partial(_exact, engine=reference.scip), package="pyscipopt"
        ),
        "cp-sat": GapMethod(
            "the same by CP-SAT", partial(_exact, engine=reference.cp_sat), package="ortools"
        ),
        "toolkit": GapMethod("the interval of benchmarks.ratio", offline.solve),
        "bound": GapMethod("the toolkit's column generation alone", _bound, bound_only=True),
    },
    default=("toolkit", "bound"),
    sizes={
        "default": ("8x10x3", "20x20x10", "50x20x100", "100x80x50"),
        "quick": ("4x6x2", "8x10x3"),
    },
)
