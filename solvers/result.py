"""What an offline solver may claim: status, incumbent, bound, and nothing it did not prove."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from solvers.errors import WrongSolution

Sense = Literal["max", "min"]
BoundSource = Literal["milp", "prices"]
Status = Literal[
    "optimal", "feasible", "bounded", "infeasible", "unbounded", "interrupted", "failed"
]

#: Statuses of a run that has an objective; "bounded" has a bound alone, the others neither.
WITH_OBJECTIVE: frozenset[str] = frozenset({"optimal", "feasible"})

#: Largest relative gap (`relative_gap`) at which an objective counts as the optimum.
OPTIMAL_GAP = 1e-4

#: HiGHS's tolerance on rows and integer columns, absolute. So an integer column may be off by it,
#: and a bound may miss a schedule by so much, relative to the objective.
HIGHS_ROUND_OFF = 1e-6

ScheduleT = TypeVar("ScheduleT")


def relative_gap(
    sense: Sense, objective: float | None, bound: float | None, *, negligible: float = 0.0
) -> float | None:
    """Return (bound - objective) / abs(bound), turned round for a minimisation.

    Parameters
    ----------
    sense : "max" or "min"
        Whether `bound` is an upper or a lower bound on the optimum.
    objective, bound : float or None
        Value of the incumbent and bound on the optimum, in the problem's units.
    negligible : float
        Numbers up to this size count as 0, so that an optimum of 0 can be proven
        (:attr:`models.problem.Problem.negligible`).

    Returns
    -------
    float or None
        At least 0 (round-off across the bound counts as 0), infinite if only the bound is 0;
        None where a number is missing.
    """
    if objective is None or bound is None:
        return None
    if max(abs(objective), abs(bound)) <= negligible:
        return 0.0
    room = bound - objective if sense == "max" else objective - bound
    if room <= 0.0:
        return 0.0
    return room / abs(bound) if bound else math.inf


def status_of(
    sense: Sense, objective: float | None, bound: float | None, *, negligible: float = 0.0
) -> Status:
    """Optimal if the :func:`relative_gap` is no more than `OPTIMAL_GAP`, else feasible."""
    gap = relative_gap(sense, objective, bound, negligible=negligible)
    return "optimal" if gap is not None and gap <= OPTIMAL_GAP else "feasible"


def reconciled(name: str, sense: Sense, objective: float, bound: float) -> float:
    """A bound of HiGHS, moved to the objective of a schedule that is beyond it by round-off.

    For a bound and a schedule of different steps. A single run of HiGHS is judged when its point is
    checked (:mod:`solvers.highs.matrix_result`); and excluded deadlines may be better than the best
    schedule by more than round-off (:mod:`solvers.utility.deadlines.state`).

    Parameters
    ----------
    name : str
        Of the instance.
    sense, objective, bound
        As in :func:`relative_gap`; the schedule has passed the scorer.

    Raises
    ------
    WrongSolution
        If the schedule is further beyond the bound than `HIGHS_ROUND_OFF`.
    """
    beyond = objective - bound if sense == "max" else bound - objective
    if beyond > HIGHS_ROUND_OFF * abs(bound):
        raise WrongSolution(f"{name}: worth {objective}, bound {bound}")
    return objective if beyond > 0 else bound


def check_claims(
    sense: Sense, status: Status, objective: float | None, bound: float | None
) -> None:
    """Refuse a combination of status, objective and bound that contradicts itself.

    Raises
    ------
    ValueError
        If the status promises an objective or a bound that is missing, if it forbids one that is
        there, if a number is not finite, or if the bound lies on the wrong side of the objective
        by more than round-off (1e-9 relative).
    """
    if (objective is not None) != (status in WITH_OBJECTIVE):
        raise ValueError(f"status {status!r} with objective {objective!r}")
    needs, forbids = status in ("optimal", "bounded"), status not in (*WITH_OBJECTIVE, "bounded")
    if (needs and bound is None) or (forbids and bound is not None):
        raise ValueError(f"status {status!r} with bound {bound!r}")
    for name, number in (("objective", objective), ("bound", bound)):
        if number is not None and not np.isfinite(number):
            raise ValueError(f"{name} {number!r} is not finite; say None where there is none")
    if objective is None or bound is None:
        return
    excess = objective - bound if sense == "max" else bound - objective
    if excess > 1e-9 * max(abs(objective), abs(bound)):
        raise ValueError(f"bound {bound!r} contradicts objective {objective!r} ({sense})")


@dataclass(frozen=True, kw_only=True)
class SolveResult(Generic[ScheduleT]):
    """The answer of an offline solver to one problem instance.

    Attributes
    ----------
    status : str
        What is known when the solver ends:

        ============  =========  =======  ====================================================
        status        objective  bound    meaning
        ============  =========  =======  ====================================================
        optimal       yes        yes      the two agree within the gap that was asked for
        feasible      yes        or None  stopped early with a feasible solution
        bounded       None       yes      stopped early, or a pure bound: no solution known
        infeasible    None       None     proven to have no solution
        unbounded     None       None     proven to have solutions of any value
        interrupted   None       None     stopped early with nothing to show
        failed        None       None     the solver erred; `message` says how
        ============  =========  =======  ====================================================
    objective : float or None
        Value of `schedule` in the problem's units.
    bound : float or None
        No schedule is better than this; an upper bound if `sense` is "max", else a lower one.
    schedule : object or None
        The incumbent, of the problem's schedule type.
    duals : Any
        Prices of an LP (d objective / d right-hand side), in the solver's own shape, or None.
    seconds : float
        Wall-clock time of the solve; never part of a comparison.
    solver, options, message : str, mapping, str
        Who solved it and how, and a sentence on how it ended.
    failure : str
        How HiGHS or a child process failed on the way, if it did: all else holds, but the result
        might be better without it.
    sense : "max" or "min"
        Direction of the problem.
    bound_source : "milp" or "prices"
        What vouches for the bound: the word of a MILP solver, or prices from which anyone can
        recompute it without one.
    negligible : float
        Objectives and bounds up to this size count as 0.
    timed : bool
        Whether the clock, or the death of a child process, decided any step on the way, so that
        another run may find something else, even if this one ended by a proof. Said by the solvers
        of ``OFFLINE``.

    Raises
    ------
    ValueError
        If the claims contradict each other (`check_claims`), or a schedule comes without an
        objective.
    """

    status: Status
    objective: float | None
    bound: float | None
    schedule: ScheduleT | None
    duals: Any
    seconds: float
    solver: str
    options: Mapping[str, object] = field(default_factory=dict)
    message: str = ""
    failure: str = ""
    sense: Sense = "max"
    bound_source: BoundSource = "milp"
    negligible: float = 0.0
    timed: bool = False

    def __post_init__(self) -> None:
        check_claims(self.sense, self.status, self.objective, self.bound)
        if self.schedule is not None and self.objective is None:
            raise ValueError(f"status {self.status!r} with a schedule but no objective")

    @classmethod
    def of_prices(
        cls, sense: Sense, bound: float, prices: Any, seconds: float, message: str
    ) -> SolveResult[ScheduleT]:
        """A pure bound, by prices that column generation found."""
        return cls(
            status="bounded",
            objective=None,
            bound=bound,
            schedule=None,
            duals=prices,
            seconds=seconds,
            solver="column generation",
            message=message,
            sense=sense,
            bound_source="prices",
        )

    def __str__(self) -> str:
        def number(value: float | None) -> str:
            return "none" if value is None else f"{value:.6g}"

        gap = "" if self.gap is None else f", gap {self.gap:.2%}"
        vouches = "prices" if self.bound_source == "prices" else "the MILP solver"
        lines = [
            f"{self.status}: objective {number(self.objective)} ({self.sense})",
            f"bound {number(self.bound)}{gap}"
            + (f", by {vouches}" if self.bound is not None else ""),
            "; ".join(filter(None, [f"{self.solver}, {self.seconds:.2f} s", self.ending])),
        ]
        return "\n".join(lines)

    @property
    def gap(self) -> float | None:
        """Relative gap between bound and objective (`relative_gap`)."""
        return relative_gap(self.sense, self.objective, self.bound, negligible=self.negligible)

    @property
    def ending(self) -> str:
        """The message, and the failure if there was one."""
        return "; ".join(filter(None, [self.message, self.failure]))

    @property
    def is_optimal(self) -> bool:
        """Whether the schedule is proven best within the gap that was asked for."""
        return self.status == "optimal"
