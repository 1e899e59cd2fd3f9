"""Intervals that contain an optimum: from prices and a search, and what a MILP adds to them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from models.scoring import Score
from solvers.column_generation import GenerationResult
from solvers.errors import WrongSolution
from solvers.highs import SOLVER, HighsOptions
from solvers.result import Sense, SolveResult, reconciled, status_of

__all__ = ["refined", "searched"]


def searched(
    instance: Any,
    schedule: Any,
    judged: Score,
    bound: float,
    prices: Any,
    generated: GenerationResult,
    options: HighsOptions,
    *,
    sense: Sense = "max",
    timed: bool,
) -> SolveResult[Any]:
    """The interval between what a local search found and what prices prove; without seconds.

    Parameters
    ----------
    instance : Instance
    schedule, judged : object and Score
        What was found, and what the scorer says of it.
    bound, prices : float and object
        What is proven, and by what.
    generated : GenerationResult
        Of the column generation that the prices are from.
    options : HighsOptions
    sense : "max" or "min"
    timed : bool
        Whether the clock played a part.

    Raises
    ------
    WrongSolution
        If the scorer finds a violation.
    """
    if judged.violations:
        raise WrongSolution(f"{instance.name}: {judged.violations[0]}")
    return SolveResult(
        status=status_of(sense, judged.objective, bound),
        objective=judged.objective,
        bound=bound,
        schedule=schedule,
        duals=prices,
        seconds=0.0,
        solver="column generation, local search",
        sense=sense,
        options={**options.as_dict(), "column_generation": generated.options},
        message="" if generated.failure else generated.message,
        failure=generated.failure,
        bound_source="prices",
        timed=timed or generated.timed,
    )


def refined(
    found: SolveResult[Any],
    name: str,
    *,
    schedule: Any | None,
    judged: Score | None,
    forgiven: Collection[str],
    proven: float | None,
    message: str,
) -> SolveResult[Any]:
    """Take what is better of an interval and of a MILP's answer.

    Parameters
    ----------
    found : SolveResult
        With a schedule and a bound.
    name : str
        Of the instance.
    schedule, judged : object and Score, or None
        The MILP's, and what the scorer says of it.
    forgiven : collection of str
        Equations that HiGHS's tolerances may break; such a schedule is left out.
    proven : float or None
        The MILP's bound.
    message : str

    Returns
    -------
    SolveResult
        ``bound`` is the MILP's word where it is better, and the prices do not prove the schedule
        optimal; where ``objective`` is beyond it by no more than HiGHS's tolerance, it is set to
        ``objective``.

    Raises
    ------
    WrongSolution
        If the scorer finds any other violation, or a value beyond the bound.
    """
    assert found.objective is not None and found.bound is not None
    sign = 1.0 if found.sense == "max" else -1.0
    objective, best = found.objective, found.schedule
    if judged is not None:
        if any(fault.equation not in forgiven for fault in judged.violations):
            raise WrongSolution(f"{name}: {judged.violations[0]}")
        if judged.violations:
            message += "; a load exceeds the scorer's tolerance by a hair"
        elif sign * judged.objective > sign * objective:
            objective, best = judged.objective, schedule
    bound, source = found.bound, found.bound_source
    if proven is not None and sign * proven < sign * bound:
        tight = reconciled(name, found.sense, objective, proven)
        if status_of(found.sense, objective, bound) != "optimal":
            bound, source = tight, "milp"
    return replace(
        found,
        status=status_of(found.sense, objective, bound),
        objective=objective,
        bound=bound,
        bound_source=source,
        schedule=best,
        solver=SOLVER,
        message=message,
    )
