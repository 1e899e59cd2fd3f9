"""Single steps of an offline solver as solvers of their own, for comparisons with all of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from pyomo.core.base import ConcreteModel

from models.scoring import Score
from solvers.column_generation import ColumnGeneration
from solvers.coupled_problem import CoupledProblem
from solvers.highs import HighsOptions
from solvers.pyomo_bridge import Engine, PyomoResult, solve_model
from solvers.result import Sense, SolveResult

__all__ = ["PricedProblem", "generate_bound", "solve_whole"]


class PricedProblem(CoupledProblem, Protocol):
    """A problem for column generation whose duals are prices."""

    def prices(self, duals: np.ndarray) -> np.ndarray:
        """Duals as prices in the instance's units."""


def solve_whole(
    instance: Any,
    build: Callable[[Any], ConcreteModel],
    read: Callable[[Any, PyomoResult], Any],
    score: Callable[[Any, Any], Score],
    time_limit: float,
    threads: int,
    engine: Engine | None = None,
) -> SolveResult[Any]:
    """Build the program of an instance and solve it by HiGHS, or by another solver.

    Parameters
    ----------
    instance : Instance
    build, read, score : callable
        From the instance to its program; from it and a solution to a schedule; from it and that to
        what the scorer says.
    time_limit : float
        Seconds, of which building takes its part.
    threads : int
        Of the solver.
    engine : callable, optional
        Takes the place of HiGHS.
    """
    began = time.monotonic()
    model = build(instance)
    options = HighsOptions(threads=threads).until(began + time_limit)
    solved = solve_model(model, options, engine=engine)
    schedule = None if solved.result.x is None else read(instance, solved)
    return SolveResult(
        status=solved.result.status,
        objective=None if schedule is None else score(instance, schedule).objective,
        bound=solved.result.bound,
        schedule=schedule,
        duals=None,
        seconds=time.monotonic() - began,
        solver=solved.result.solver,
        message=solved.result.message,
        sense=solved.result.sense,
    )


def generate_bound(
    sense: Sense,
    problem: PricedProblem,
    rounded: Callable[[np.ndarray], np.ndarray],
    bound: Callable[[np.ndarray], float],
    began: float,
    time_limit: float,
) -> SolveResult[Any]:
    """Generate columns until that ends by itself, and compute what the rounded prices prove.

    Parameters
    ----------
    sense : "max" or "min"
        Of the instance.
    problem : PricedProblem
    rounded, bound : callable
        From prices to shorter ones, and from these to the bound that they prove.
    began, time_limit : float
        ``time.monotonic()`` from which time counts, and how many seconds there are.
    """
    generated = ColumnGeneration(problem, deadline=began + time_limit).run()
    prices = rounded(problem.prices(generated.duals))
    proven = bound(prices)
    seconds = time.monotonic() - began
    return SolveResult.of_prices(sense, proven, prices, seconds, generated.message)
