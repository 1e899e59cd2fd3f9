"""The optimum of small instances: the compact MILP, within what prices leave open.

Prices prove a bound b, to which job i contributes the best of its payoffs, or 0. If it completes
in a slot where its payoff is x less than that, the schedule is worth at most b - x. Where the best
schedule known is worth more, the completion slot is closed; so is rejection. Some optimum stays,
if it is better than what is known.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pyomo.environ as pyo

from models.colocated.formulations.compact import compact, schedule_from_values
from models.colocated.instance import ColocatedInstance
from models.colocated.schedule import ColocatedSchedule
from models.colocated.score import score
from solvers.colocated.pool_bound import PoolOracle, pool_bound
from solvers.highs import HighsOptions
from solvers.pyomo_bridge import PyomoResult, solve_model
from solvers.refinement import refined
from solvers.result import HIGHS_ROUND_OFF, SolveResult
from solvers.scaling import factor_for

__all__ = ["OpenDeadlines", "improve", "schedule_of", "size"]

_CAPACITIES = "(5)"  # all that HiGHS's tolerances may break


class OpenDeadlines(NamedTuple):
    """In which slots jobs may complete in a schedule that is better than one that is known."""

    slots: np.ndarray
    """bool, shape (I, T)."""
    out: np.ndarray
    """Whether the job may be rejected: bool, shape (I,)."""

    @classmethod
    def of(
        cls, instance: ColocatedInstance, prices: np.ndarray, bound: float, known: float
    ) -> OpenDeadlines:
        """Find them by prices of pooled machines, the bound that they prove, what is known."""
        shape = len(instance.jobs), instance.cluster.slots
        slots, out = np.zeros(shape, dtype=bool), np.zeros(len(instance.jobs), dtype=bool)
        slack = bound - known + HIGHS_ROUND_OFF * abs(bound)
        for i, job in enumerate(instance.jobs):
            oracle = PoolOracle(job, instance.cluster.tolerant)
            payoffs = oracle.payoffs(prices @ job.worker, prices @ job.ps)
            least = payoffs.max(initial=0.0) - slack
            slots[i], out[i] = payoffs >= least, least <= 0.0
        return cls(slots, out)


def size(instance: ColocatedInstance) -> int:
    """Jobs times slots times servers: how many variables of a kind the program may have."""
    cluster = instance.cluster
    return len(instance.jobs) * cluster.slots * len(cluster.servers)


def schedule_of(instance: ColocatedInstance, solved: PyomoResult) -> ColocatedSchedule:
    """Schedule of a solution of the compact MILP."""
    values = (solved.values(getattr(solved.model, name)) for name in ("d", "v", "u", "w", "s"))
    return schedule_from_values(instance, *values)


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
        With a schedule, a bound, and prices of pooled machines that prove it, as a
        :class:`solvers.price_certificate.TreePrices`.
    instance : ColocatedInstance
    options : HighsOptions
        The time limit is replaced by what is left until ``deadline``, of ``time.monotonic()``.

    Returns and raises as :func:`solvers.refinement.refined`.
    """
    assert found.schedule is not None and found.objective is not None and found.bound is not None
    model = compact(instance)
    # What closes slots is what these prices prove without their tree.
    prices = found.duals.prices
    proven = pool_bound(instance, prices)
    open_ = OpenDeadlines.of(instance, prices, proven, found.objective)
    _close(model, open_)
    factor = factor_for(found.bound)
    model.utility.set_value(model.utility.expr * factor)
    solved = solve_model(model, options.until(deadline))
    result = solved.result
    schedule = None if result.x is None else schedule_of(instance, solved)
    better = None if result.bound is None else result.bound / factor
    if result.status == "infeasible":  # nothing that is open is better than what is known
        better = found.objective
    return refined(
        found,
        instance.name,
        schedule=schedule,
        judged=None if schedule is None else score(instance, schedule),
        forgiven=(_CAPACITIES,),
        # What is closed is worth no more than what was known.
        proven=None if better is None else max(better, found.objective),
        message=result.message,
    )


def _close(model: pyo.ConcreteModel, open_: OpenDeadlines) -> None:
    """Fix d before the first open slot, and from the last one on; between, where it cannot rise."""
    for (i, t), done in model.d.items():
        slots = np.flatnonzero(open_.slots[i])
        if not len(slots) or t < slots[0]:
            done.fix(0)
        elif t >= slots[-1] and not open_.out[i]:
            done.fix(1)
