"""What ``python -m benchmarks.gap`` compares on ``completion``."""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from benchmarks.contract import GapMethod, GapMethods
from benchmarks.study.run import run_policy
from models.completion import CompletionInstance, CompletionSchedule, score
from models.completion.formulations.time_indexed import horizon, modes, time_indexed
from models.errors import InputError
from online.completion.fifo import FIFO
from solvers import reference
from solvers.completion import offline
from solvers.completion.exact import schedule_of
from solvers.completion.pool_bound import PoolOracle, rounded
from solvers.completion.pooled import PooledProblem
from solvers.pyomo_bridge import Engine
from solvers.result import SolveResult
from solvers.single_step import generate_bound, solve_whole

__all__ = ["GAP"]

_LARGEST = 200_000  # modes x servers x slots, of each of which the program has some variables

Result = SolveResult[CompletionSchedule]


def _exact(
    instance: CompletionInstance, time_limit: float, threads: int, engine: Engine | None = None
) -> Result:
    """The whole time-indexed program, built within the time; not built if it is too large."""
    ways = sum(len(modes(job, instance.cluster)) for job in instance.jobs)
    size = ways * len(instance.cluster.servers) * horizon(instance)
    if size > _LARGEST:
        raise InputError(f"{size} modes x servers x slots are more than {_LARGEST}")
    return solve_whole(instance, time_indexed, schedule_of, score, time_limit, threads, engine)


def _bound(instance: CompletionInstance, time_limit: float, threads: int) -> Result:
    """Column generation until it ends by itself: how its time grows."""
    began, oracle = time.monotonic(), PoolOracle(instance)
    slots = int(run_policy(instance, FIFO).trace.schedule.end.max(initial=0))
    problem = PooledProblem(oracle, slots)

    def bound(prices: np.ndarray) -> float:
        return max(0.0, oracle.bound(prices))

    return generate_bound("min", problem, rounded, bound, began, time_limit)


GAP = GapMethods(
    methods={
        "exact": GapMethod("the time-indexed program, whole, by HiGHS", _exact),
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
        "default": ("8x15x4", "16x15x8", "32x15x16", "64x15x32"),
        "quick": ("4x8x2", "8x15x4"),
    },
)
