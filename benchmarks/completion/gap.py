"""What ``python -m benchmarks.gap`` compares on ``completion``."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.contract import GapMethod, GapMethods
from models.completion import CompletionInstance, CompletionSchedule, score
from models.completion.formulations.time_indexed import (
    horizon,
    modes,
    schedule_from_values,
    time_indexed,
)
from solvers.column_generation import ColumnGeneration
from solvers.completion import offline
from solvers.completion.local_search import local_search
from solvers.completion.pool_bound import rounded
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
    plain = {"duals": None, "solver": SOLVER, "sense": "min"}
    placements = len(instance.cluster.servers) * sum(
        len(modes(job, instance.cluster)) for job in instance.jobs
    )
    if placements * (last := horizon(instance)) > _LARGEST:
        size = f"{placements} modes on servers x {last} slots are more than {_LARGEST}"
        seconds, nothing = (
            time.monotonic() - began,
            dict.fromkeys(("objective", "bound", "schedule")),
        )
        return SolveResult(status="interrupted", **nothing, seconds=seconds, message=size, **plain)
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
        seconds=time.monotonic() - began,
        message=found.result.message,
        **plain,
    )


def _bound(instance: CompletionInstance, time_limit: float, threads: int) -> Result:
    """Column generation until it ends by itself: how its time grows."""
    began = time.monotonic()
    arrivals = np.argsort([job.arrival for job in instance.jobs], kind="stable")
    nothing, rng = np.zeros((0, len(instance.cluster.resources))), np.random.default_rng(0)
    end = began + time_limit
    listed = local_search(instance, nothing, [arrivals], rng, iterations=0, deadline=end)
    slots = max((column.completion for column in listed.values()), default=0)
    problem = PooledProblem(instance, slots)
    generated = ColumnGeneration(problem, deadline=end).run()
    prices = rounded(problem.prices(generated.duals))
    return SolveResult(
        status="bounded",
        objective=None,
        bound=max(0.0, problem.oracle.bound(prices)),
        schedule=None,
        duals=prices,
        seconds=time.monotonic() - began,
        solver="column generation",
        message=generated.message,
        sense="min",
        bound_source="prices",
    )


GAP = GapMethods(
    methods={
        "exact": GapMethod("the time-indexed program, whole, by HiGHS", _exact),
        "toolkit": GapMethod("the interval of benchmarks.ratio", offline.solve),
        "bound": GapMethod(
            "the toolkit's column generation alone, no schedule", _bound, bound_only=True
        ),
    },
    default=("toolkit", "bound"),
    sizes={
        "default": ("8x15x4", "20x40x8", "50x100x20", "100x150x150"),
        "quick": ("4x8x2", "8x15x4"),
    },
)
