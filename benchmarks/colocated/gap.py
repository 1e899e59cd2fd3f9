"""What ``python -m benchmarks.gap`` compares on ``colocated``."""

from __future__ import annotations

import time

from benchmarks.contract import GapMethod, GapMethods
from models.colocated import ColocatedInstance, ColocatedSchedule, score
from models.colocated.formulations.compact import compact, schedule_from_values
from models.errors import InputError
from solvers.colocated import offline
from solvers.colocated.exact import size
from solvers.colocated.pool_bound import pool_bound
from solvers.colocated.pooled import PooledProblem
from solvers.column_generation import ColumnGeneration
from solvers.highs import SOLVER, HighsOptions
from solvers.price_certificate import rounded
from solvers.pyomo_bridge import solve_model
from solvers.result import SolveResult

__all__ = ["GAP"]

_LARGEST = 20_000  # jobs x slots x machines, of each of which the program has some variables

Result = SolveResult[ColocatedSchedule]


def _exact(instance: ColocatedInstance, time_limit: float, threads: int) -> Result:
    """The whole compact program, built within the time; not built if it is too large."""
    began = time.monotonic()
    if (count := size(instance)) > _LARGEST:
        raise InputError(f"{count} jobs x slots x machines are more than {_LARGEST}")
    model = compact(instance)
    left = max(0.1, time_limit - (time.monotonic() - began))
    found = solve_model(model, HighsOptions(time_limit=left, threads=threads))
    schedule = None
    if found.result.x is not None:
        parts = (found.values(getattr(model, name)) for name in ("d", "v", "u", "w", "s"))
        schedule = schedule_from_values(instance, *parts)
    return SolveResult(
        status=found.result.status,
        objective=None if schedule is None else score(instance, schedule).objective,
        bound=found.result.bound,
        schedule=schedule,
        duals=None,
        seconds=time.monotonic() - began,
        solver=SOLVER,
        message=found.result.message,
    )


def _bound(instance: ColocatedInstance, time_limit: float, threads: int) -> Result:
    """Column generation until it ends by itself: how its time grows."""
    began, problem = time.monotonic(), PooledProblem(instance)
    generated = ColumnGeneration(problem, deadline=began + time_limit).run()
    prices = rounded(problem.prices(generated.duals))
    bound, seconds = pool_bound(instance, prices), time.monotonic() - began
    return SolveResult.of_prices("max", bound, prices, seconds, generated.message)


GAP = GapMethods(
    methods={
        "exact": GapMethod("the compact program, whole, by HiGHS", _exact),
        "toolkit": GapMethod("the interval of benchmarks.ratio", offline.solve),
        "bound": GapMethod("the toolkit's column generation alone", _bound, bound_only=True),
    },
    default=("toolkit", "bound"),
    sizes={
        "default": ("8x10x3", "20x20x10", "50x20x100", "100x80x50"),
        "quick": ("4x6x2", "8x10x3"),
    },
)
