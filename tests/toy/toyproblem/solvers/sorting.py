"""Sort the things by their worth."""

from __future__ import annotations

from solvers.result import SolveResult
from toyproblem.models import Kept, ToyInstance, score


def solve(
    instance: ToyInstance, *, time_limit: float | None, threads: int = 1, start: Kept | None = None
) -> SolveResult[Kept]:
    """Keep the dearest: an optimum, however little time there is."""
    worth = instance.file.worth
    best = sorted(range(len(worth)), key=lambda thing: -worth[thing])
    kept = Kept(tuple(sorted(best[: instance.file.room])))
    value = score(instance, kept).objective
    return SolveResult(
        status="optimal",
        objective=value,
        bound=value,
        schedule=kept,
        duals=None,
        seconds=0.0,
        solver="sorting",
    )
