"""The cell of a gap: one method on one instance, from nothing, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.contract import gap_methods
from benchmarks.study.cell import Result
from benchmarks.study.instances import Source, instance_of
from benchmarks.study.offline import InfeasibleSchedule
from benchmarks.study.run import count, run_until_compiled, small_instance
from models.problem import problem
from solvers.result import SolveResult, relative_gap

__all__ = ["solve"]

_WARM_UP = 10.0  # seconds for a small instance, at most


def solve(
    *, instance: Source, method: str, time_limit: float, threads: int
) -> Callable[[], Result]:
    """Prepare a solve: compile what the method and the scorer need on a small instance, and draw.

    Returns
    -------
    callable
        Its result's value: ``load`` of the instance; ``objective`` by the scorer and ``bound``
        (None where there is none), ``gap`` (relative to the bound; 1 where there is no schedule
        or no bound, and at most 1), ``bound_source``, ``status`` and ``message`` of the solver.
    """
    chosen = gap_methods(instance["problem"]).methods[method]
    small = small_instance(instance["problem"])
    run_until_compiled(
        lambda: _found(small, chosen.solve(small, time_limit=_WARM_UP, threads=threads))
    )
    target = instance_of(instance)

    def measure() -> Result:
        return Result(_found(target, chosen.solve(target, time_limit=time_limit, threads=threads)))

    return measure


def _found(instance: Any, result: SolveResult[Any]) -> dict[str, Any]:
    known, objective = problem(instance.problem), None
    if result.schedule is not None:
        score = known.score(instance, result.schedule)
        if not score.feasible:
            raise InfeasibleSchedule(f"{result.solver} on '{instance.name}': {count(score)}")
        objective = score.objective
    nothing = known.negligible(instance)
    gap = relative_gap(known.sense, objective, result.bound, negligible=nothing)
    return {
        "load": known.load(instance),
        "objective": objective,
        "bound": result.bound,
        "gap": 1.0 if gap is None else min(gap, 1.0),
        "bound_source": None if result.bound is None else result.bound_source,
        "status": result.status,
        "message": result.message,
    }
