"""What a MILP adds to an interval that prices prove: a better schedule, a tighter bound."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from models.scoring import Score
from solvers.errors import WrongSolution
from solvers.highs import SOLVER
from solvers.result import SolveResult, status_of

__all__ = ["refined"]

_ROUND_OFF = 1e-6  # HiGHS's own, relative


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
        ``bound`` is the MILP's word where it is better; where ``objective`` is beyond it by no
        more than HiGHS's tolerance, it is set to ``objective``.

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
        if sign * (objective - proven) > _ROUND_OFF * abs(proven):
            raise WrongSolution(f"{name}: worth {objective}, bound {proven}")
        bound, source = sign * max(sign * proven, sign * objective), "milp"
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
