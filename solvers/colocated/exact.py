"""The optimum of small instances: the compact MILP, within what prices leave open.

Prices prove a bound b, to which job i contributes the best of its payoffs, or 0. If it completes
in a slot where its payoff is x less than that, the schedule is worth at most b - x. Where the best
schedule known is worth more, the completion slot is closed; so is rejection. Some optimum stays,
if it is better than what is known.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
import pyomo.environ as pyo

from models.colocated.formulations.compact import compact, schedule_from_values
from models.colocated.instance import ColocatedInstance
from models.colocated.schedule import ColocatedSchedule
from models.colocated.score import score
from solvers.colocated.pool_bound import PoolOracle
from solvers.errors import WrongSolution
from solvers.highs import SOLVER, HighsOptions
from solvers.pyomo_bridge import solve_model
from solvers.result import OPTIMAL_GAP, SolveResult, Status, relative_gap

__all__ = ["OpenDeadlines", "improve", "size", "status_of"]

_ROUND_OFF = 1e-6  # HiGHS's own, relative
_EXPONENT = 7  # the bound becomes a number in [64, 128): HiGHS's tolerances are absolute
_CAPACITIES = "(5)"  # all that HiGHS's tolerances may break


class OpenDeadlines:
    """In which slots jobs may complete in a schedule that is better than one that is known.

    Parameters
    ----------
    instance : ColocatedInstance
    prices : ndarray, shape (T, R)
        Of pooled machines.
    bound : float
        That they prove.
    known : float
        Worth of a schedule.

    Attributes
    ----------
    slots : ndarray of bool, shape (I, T)
    out : ndarray of bool, shape (I,)
        Whether the job may be rejected.
    """

    def __init__(
        self, instance: ColocatedInstance, prices: np.ndarray, bound: float, known: float
    ) -> None:
        shape = len(instance.jobs), instance.cluster.slots
        self.slots, self.out = np.zeros(shape, dtype=bool), np.zeros(len(instance.jobs), dtype=bool)
        slack = bound - known + _ROUND_OFF * abs(bound)
        for i, job in enumerate(instance.jobs):
            oracle = PoolOracle(job, instance.cluster.tolerant)
            payoffs = oracle.payoffs(prices @ job.worker, prices @ job.ps)
            least = payoffs.max(initial=0.0) - slack
            self.slots[i], self.out[i] = payoffs >= least, least <= 0.0


def size(instance: ColocatedInstance) -> int:
    """Jobs times slots times servers: how many variables of a kind the program may have."""
    cluster = instance.cluster
    return len(instance.jobs) * cluster.slots * len(cluster.servers)


def improve(
    found: SolveResult[ColocatedSchedule],
    instance: ColocatedInstance,
    options: HighsOptions,
    deadline: float = math.inf,
) -> SolveResult[ColocatedSchedule]:
    """What the compact MILP adds to an interval that prices prove.

    Parameters
    ----------
    found : SolveResult
        With a schedule, a bound, and prices of pooled machines, shape (T, R), that prove it.
    instance : ColocatedInstance
    options : HighsOptions
        The time limit is replaced by what is left until ``deadline``, of ``time.monotonic()``.

    Returns
    -------
    SolveResult
        ``bound`` is HiGHS's word where it is better than that of the prices, and these do not
        prove the schedule optimal; where it lies below ``objective`` by no more than HiGHS's
        tolerance, it is set to it.

    Raises
    ------
    WrongSolution
        If the scorer finds any violation but of capacities, or a value above the bound.
    """
    assert found.schedule is not None and found.objective is not None and found.bound is not None
    model = compact(instance)
    open_ = OpenDeadlines(instance, found.duals, found.bound, found.objective)
    _close(model, open_)
    unit = math.ldexp(1.0, math.frexp(found.bound)[1] - _EXPONENT)
    model.utility.set_value(model.utility.expr / unit)
    left = max(0.1, deadline - time.monotonic())
    options = replace(options, time_limit=left if math.isfinite(left) else None)
    solved = solve_model(model, options)
    result, best, message = solved.result, found, solved.result.message
    if result.x is not None:
        values = (solved.values(getattr(model, name)) for name in ("d", "v", "u", "w", "s"))
        schedule = schedule_from_values(instance, *values)
        judged = score(instance, schedule)
        if any(fault.equation != _CAPACITIES for fault in judged.violations):
            raise WrongSolution(f"{instance.name}: {judged.violations[0]}")
        if judged.violations:
            message += "; a load exceeds the scorer's tolerance by a hair"
        elif judged.objective > found.objective:
            best = replace(found, objective=judged.objective, schedule=schedule)
    assert best.objective is not None
    bound, source = found.bound, found.bound_source
    proven = None if result.bound is None else result.bound * unit
    if result.status == "infeasible":  # nothing that is open is better than what is known
        proven = found.objective
    # What is closed is worth no more than what was known.
    if proven is not None and (proven := max(proven, found.objective)) < bound:
        if best.objective > proven * (1.0 + _ROUND_OFF):
            raise WrongSolution(f"{instance.name}: worth {best.objective}, bound {proven}")
        if status_of(best.objective, bound) != "optimal":
            bound, source = max(proven, best.objective), "milp"
    return replace(
        best,
        status=status_of(best.objective, bound),
        bound=bound,
        bound_source=source,
        solver=SOLVER,
        message=message,
    )


def status_of(objective: float, bound: float) -> Status:
    """Optimal within the gap that counts, or feasible."""
    gap = relative_gap("max", objective, bound)
    return "optimal" if gap is not None and gap <= OPTIMAL_GAP else "feasible"


def _close(model: pyo.ConcreteModel, open_: OpenDeadlines) -> None:
    """Fix d before the first open slot, and from the last one on; between, where it cannot rise."""
    for (i, t), done in model.d.items():
        slots = np.flatnonzero(open_.slots[i])
        if not len(slots) or t < slots[0]:
            done.fix(0)
        elif t >= slots[-1] and not open_.out[i]:
            done.fix(1)
