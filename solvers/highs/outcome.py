"""What a run of HiGHS says, and the tally that believes only what it has checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TextIO

import numpy as np

from solvers.highs.feasibility import settle
from solvers.highs.program import FloatArray, LinearProgram
from solvers.result import HIGHS_ROUND_OFF


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """How a run ended, in the solver's own words; nothing here has been checked.

    Attributes
    ----------
    ended : str
        "optimal", "infeasible" and "unbounded" are claims of proof; "stopped" is a limit or an
        interruption, "failed" an error.
    message : str
        A sentence on the end.
    x, bound : float array of shape [n] or None, float or None
        Final point and bound, if any. For an LP the bound is its optimal value.
    row_duals, reduced_costs : float array of shape [m], of shape [n], or None
        Of an LP solved to optimality; else None.
    work : int
        Of a MILP, how often HiGHS has looked at its limits (`HighsOptions.work_limit`); of an LP,
        simplex iterations in hundreds, rounded up.
    died : bool
        Whether the child process died, never got ready, or could not be started; it was not
        stopped.
    """

    ended: Literal["optimal", "infeasible", "unbounded", "stopped", "failed"]
    message: str
    x: FloatArray | None = None
    bound: float | None = None
    row_duals: FloatArray | None = None
    reduced_costs: FloatArray | None = None
    work: int = 0
    died: bool = False


class Progress(Protocol):
    """Listener to a run."""

    def incumbent(self, x: FloatArray) -> None:
        """Take a point that HiGHS holds for feasible and better than those before."""

    def bound(self, value: float) -> None:
        """Take a bound on the optimum; an infinite one says nothing."""

    def log(self, text: str) -> None:
        """Take a piece of HiGHS's log."""


class Silence:
    """A listener that does not listen."""

    def incumbent(self, x: FloatArray) -> None:
        """Ignore the point."""

    def bound(self, value: float) -> None:
        """Ignore the bound."""

    def log(self, text: str) -> None:
        """Ignore the text."""


class Tally:
    """The best point that passed the check of `settle`, and the best bound, of one run.

    Parameters
    ----------
    program : LinearProgram
        Judge of the points.
    log : text stream or None
        Where the log goes.
    """

    def __init__(self, program: LinearProgram, log: TextIO | None = None) -> None:
        self.program = program
        self.stream = log
        self.x: FloatArray | None = None
        self.objective: float | None = None
        self.best_bound: float | None = None
        self.rejection = ""
        self._sign = 1.0 if program.sense == "max" else -1.0

    def incumbent(self, x: FloatArray) -> None:
        """Check the point and keep it if it is feasible and the best so far."""
        point, reason = settle(self.program, x)
        if point is None:
            self.rejection = reason
            return
        objective = self.program.objective(point)
        if self.objective is None or self._sign * (objective - self.objective) > 0:
            self.x, self.objective = point, objective

    def bound(self, value: float) -> None:
        """Keep the bound if it is finite and the tightest so far."""
        if np.isfinite(value) and (
            self.best_bound is None or self._sign * (value - self.best_bound) < 0
        ):
            self.best_bound = float(value)

    def refutes(self, bound: float) -> bool:
        """Whether the best point is better than a bound, by more than round-off."""
        objective = self.objective  # another thread may find a better point meanwhile
        if objective is None:
            return False
        return self._sign * (objective - bound) > round_off(self.program, objective)

    @property
    def believed_bound(self) -> float | None:
        """The best bound, if there is one that the best point does not refute.

        Where round-off puts it on the wrong side of that point, it is the value of the point.
        """
        bound, objective = self.best_bound, self.objective
        if bound is None or self.refutes(bound):
            return None
        is_behind = objective is not None and self._sign * (objective - bound) > 0
        return objective if is_behind else bound

    def log(self, text: str) -> None:
        """Write to the stream, if there is one."""
        if self.stream is not None:
            self.stream.write(text)


def round_off(program: LinearProgram, objective: float) -> float:
    """By how much a point with this objective may be better than a valid bound.

    HiGHS's tolerances, 1e-6 and 1e-7, are absolute: in units of the value or of the largest cost.
    """
    return HIGHS_ROUND_OFF * max(abs(objective), float(np.abs(program.cost).max(initial=0.0)))
