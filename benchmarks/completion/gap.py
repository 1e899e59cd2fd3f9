"""What ``python -m benchmarks.gap`` compares on ``completion``."""

from __future__ import annotations

import time

from benchmarks.contract import GapMethod, GapMethods
from benchmarks.study.run import run_policy
from models.completion import CompletionInstance, CompletionSchedule, score
from models.completion.formulations.time_indexed import (
    horizon,
    modes,
    schedule_from_values,
    time_indexed,
)
from models.errors import InputError
from online.completion.fifo import FIFO
from solvers.column_generation import ColumnGeneration
from solvers.completion import offline
from solvers.completion.pool_bound import PoolOracle, rounded
from solvers.completion.pooled import PooledProblem
from solvers.highs import SOLVER, HighsOptions
from solvers.pyomo_bridge import solve_model
from solvers.result import SolveResult

__all__ = ["GAP"]

_LARGEST = 200_000  # modes x servers x slots, of each of which the program has some variables

Result = SolveResult[CompletionSchedule]


def _exact(instance: CompletionInstance, time_limit: float, threads: int) -> Result:
    """The whole time-indexed program, built within the time; not built if it is too large."""
    began = time.monotonic()
    ways = sum(len(modes(job, instance.cluster)) for job in instance.jobs)
    size = ways * len(instance.cluster.servers) * horizon(instance)
    if size > _LARGEST:
        raise InputError(f"{size} modes x servers x slots are more than {_LARGEST}")
    model = time_indexed(instance)
    left = max(0.1, time_limit - (time.monotonic() - began))
    found = solve_model(model, HighsOptions(time_limit=left, threads=threads))
    schedule = None
    if found.result.x is not None:
        parts = (found.values(part) for part in (model.x, model.home, model.y))
        schedule = schedule_from_values(instance, model, *parts)
    return SolveResult(
        status=found.result.status,
        objective=None if schedule is None else score(instance, schedule).objective,
        bound=found.result.bound,
        schedule=schedule,
        duals=None,
        seconds=time.monotonic() - began,
        solver=SOLVER,
        message=found.result.message,
        sense="min",
    )


def _bound(instance: CompletionInstance, time_limit: float, threads: int) -> Result:
    """Column generation until it ends by itself: how its time grows."""
    began, oracle = time.monotonic(), PoolOracle(instance)
    slots = int(run_policy(instance, FIFO).trace.schedule.end.max(initial=0))
    problem = PooledProblem(oracle, slots)
    generated = ColumnGeneration(problem, deadline=began + time_limit).run()
    prices = rounded(problem.prices(generated.duals))
    bound, seconds = max(0.0, oracle.bound(prices)), time.monotonic() - began
    return SolveResult.of_prices("min", bound, prices, seconds, generated.message)


GAP = GapMethods(
    methods={
        "exact": GapMethod("the time-indexed program, whole, by HiGHS", _exact),
        "toolkit": GapMethod("the interval of benchmarks.ratio", offline.solve),
        "bound": GapMethod("the toolkit's column generation alone", _bound, bound_only=True),
    },
    default=("toolkit", "bound"),
    sizes={
        "default": ("8x15x4", "16x15x8", "32x15x16", "64x15x32"),
        "quick": ("4x8x2", "8x15x4"),
    },
)
