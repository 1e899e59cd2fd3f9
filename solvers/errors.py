"""What goes wrong in a solver though the input is fine."""

from __future__ import annotations

__all__ = ["WrongSolution"]


class WrongSolution(RuntimeError):
    """Solver, model and scorer contradict each other: a fault of the code, not of the input."""
