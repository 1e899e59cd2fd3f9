"""What the scorer says of a schedule, the same for every problem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Score", "Violation"]


@dataclass(frozen=True)
class Violation:
    """One broken constraint.

    Parameters
    ----------
    equation : str
        Number of the constraint in the paper, e.g. ``"(4)"``.
    message : str
        A readable sentence with both sides of the constraint.
    job, slot, server : str or int, optional
        Where it is broken: job id, 0-based slot, 0-based server; None where not applicable.
    """

    equation: str
    message: str
    job: str | None = None
    slot: int | None = None
    server: int | None = None

    def __str__(self) -> str:
        return f"{self.equation} {self.message}"


@dataclass(frozen=True)
class Score:
    """Objective and violations of one schedule.

    Parameters
    ----------
    objective : float
        Objective value in the problem's own sense.
    violations : tuple of Violation
        Empty if and only if the schedule is feasible.
    completion : ndarray of int, shape (I,)
        Completion slot of every job, -1 where the job does not complete.
    value : ndarray of float, shape (I,)
        Contribution of every job to the objective.
    """

    objective: float
    violations: tuple[Violation, ...]
    completion: np.ndarray
    value: np.ndarray

    def __str__(self) -> str:
        done = int((self.completion >= 0).sum())
        broken = [str(violation) for violation in self.violations[:3]]
        more = len(self.violations) - len(broken)
        lines = [
            f"objective {self.objective:.6g}, {done} of {len(self.completion)} jobs completed",
            f"{len(self.violations)} violations" if self.violations else "feasible",
            *broken,
            *([f"and {more} more"] if more else []),
        ]
        return "\n".join(lines)

    @property
    def feasible(self) -> bool:
        """Whether no constraint is broken."""
        return not self.violations
