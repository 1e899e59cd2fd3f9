"""The checked result of a solve, in the program's own arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from solvers.highs.engine import VERSION
from solvers.highs.options import HighsOptions
from solvers.highs.outcome import Outcome, Tally, round_off
from solvers.highs.program import FloatArray, LinearProgram
from solvers.result import Sense, SolveResult, Status, check_claims, relative_gap

SOLVER = f"HiGHS {VERSION}"


class NoDuals(ValueError):
    """Duals were asked of a run that has none: a MILP, or an LP without a proven optimum."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MatrixResult:
    """What is known of a program after a solve.

    Attributes
    ----------
    sense : "max" or "min"
        Direction of the program.
    status : str
        As in `SolveResult`.
    x : float array, shape [n], or None
        A point that has passed the check of `solvers.highs.feasibility`, integer columns exactly
        integer unless a row does not bear the rounding.
    objective, bound : float or None
        Value of `x`, recomputed from the costs, and bound on the optimum, never on the wrong side
        of `objective`. The bound is the solver's: in floating point, and not certified. Where it
        lies on the wrong side by `HIGHS_ROUND_OFF` at most it is moved to `objective`; beyond that
        it is not believed.
    seconds : float
        Wall-clock time, start of a child included.
    options, message : mapping, str
        How it was asked for and how it ended.
    work : int
        As in `Outcome`; the same in every run on one machine, unless the time limit has ended it.
    solver : str
        Whose point and bound these are.
    died : bool
        Whether a child process died on the way, as `message` says: the same again may do so, too.
    """

    sense: Sense
    status: Status
    x: FloatArray | None
    objective: float | None
    bound: float | None
    seconds: float
    options: Mapping[str, object]
    message: str
    _duals: tuple[FloatArray, FloatArray] | str = field(repr=False)
    work: int = 0
    solver: str = SOLVER
    died: bool = False

    def __post_init__(self) -> None:
        check_claims(self.sense, self.status, self.objective, self.bound)
        if (self.x is None) != (self.objective is None):
            raise ValueError(f"status {self.status!r}: point and objective must come together")

    @property
    def row_duals(self) -> FloatArray:
        """Shape [m]: d objective / d side of each row (sign table in `solvers.highs`).

        Raises
        ------
        NoDuals
            If the program has integer columns or was not solved to optimality.
        """
        return self._dual_pair()[0]

    @property
    def reduced_costs(self) -> FloatArray:
        """Shape [n]: d objective / d active bound of each column; raises like `row_duals`."""
        return self._dual_pair()[1]

    def _dual_pair(self) -> tuple[FloatArray, FloatArray]:
        if isinstance(self._duals, str):
            raise NoDuals(self._duals)
        return self._duals

    @property
    def gap(self) -> float | None:
        """Relative gap between bound and objective (`solvers.result.relative_gap`)."""
        return relative_gap(self.sense, self.objective, self.bound)

    @property
    def failed(self) -> bool:
        """Whether HiGHS or its child process failed, as `message` says."""
        return self.died or self.status == "failed"

    @property
    def is_optimal(self) -> bool:
        """Whether `x` is proven best within the gap that was asked for."""
        return self.status == "optimal"

    def lift(self) -> SolveResult[Any]:
        """Return the problem-level result, without a schedule and duals."""
        return SolveResult(
            status=self.status,
            objective=self.objective,
            bound=self.bound,
            schedule=None,
            duals=None,
            seconds=self.seconds,
            solver=self.solver,
            options=self.options,
            message=self.message,
            sense=self.sense,
        )


def judge(
    program: LinearProgram, options: HighsOptions, outcome: Outcome, tally: Tally, seconds: float
) -> MatrixResult:
    """Turn a run's claims into a result that rests on checked points.

    Parameters
    ----------
    program, options : LinearProgram, HighsOptions
        What was solved and how.
    outcome : Outcome
        How the run ended.
    tally : Tally
        What it had shown on the way; the final point and bound are added here.
    seconds : float
        Time spent.
    """
    if outcome.x is not None:
        tally.incumbent(outcome.x)
    if outcome.bound is not None:
        tally.bound(outcome.bound)
    nothing = MatrixResult(
        sense=program.sense,
        status="failed",
        x=None,
        objective=None,
        bound=None,
        seconds=seconds,
        options=options.as_dict(),
        message=outcome.message,
        _duals="duals are those of an LP; solve program.relaxed()"
        if program.is_mip
        else f"no duals: {outcome.message}",
        work=outcome.work,
        died=outcome.died,
    )
    if outcome.ended in ("infeasible", "unbounded"):
        if outcome.ended == "infeasible" and (tally.x is not None or program.admits_zero):
            point = "0" if tally.x is None else "a point"
            return replace(nothing, message=f"infeasible, against {point} that is feasible")
        return replace(nothing, status=outcome.ended)
    if outcome.ended == "failed":
        return nothing
    return _with_numbers(program, options, outcome, tally, nothing)


def _with_numbers(
    program: LinearProgram,
    options: HighsOptions,
    outcome: Outcome,
    tally: Tally,
    nothing: MatrixResult,
) -> MatrixResult:
    """Fill in the point and the bound of a run that ended as optimal or at a limit."""
    bound, message = tally.believed_bound, outcome.message
    if tally.x is None or tally.objective is None:
        if outcome.ended == "optimal":
            return replace(nothing, message=f"the optimal point is refused: {tally.rejection}")
        return replace(nothing, status="interrupted" if bound is None else "bounded", bound=bound)
    objective = tally.objective
    if bound is None and tally.best_bound is not None:
        message = f"{message}; its bound {tally.best_bound} is refuted by the incumbent"
    status: Status = "feasible"
    if bound is not None:
        # HiGHS takes its gap relative to the incumbent; rounding `x` may have cost a little.
        allowed = max(options.mip_rel_gap * abs(objective), round_off(program, objective))
        proven = abs(bound - objective) <= allowed * (1 + 1e-6)
        status = "optimal" if proven else "feasible"
    duals = nothing._duals
    if outcome.row_duals is not None and outcome.reduced_costs is not None and status == "optimal":
        duals = (outcome.row_duals, outcome.reduced_costs)
    return replace(
        nothing,
        status=status,
        x=tally.x,
        objective=objective,
        bound=bound,
        message=message,
        _duals=duals,
    )
