"""Forms of what policies answer, for worlds to check."""

from __future__ import annotations

import operator
from typing import Any

from online.run import InfeasibleDecision

__all__ = ["kind_of", "whole_number"]


def whole_number(what: str, value: Any) -> int:
    """Python's integer of any integer type; refuses everything else."""
    try:
        return operator.index(value)
    except TypeError:
        raise InfeasibleDecision(f"{what} is not a whole number but {kind_of(value)}") from None


def kind_of(value: Any) -> str:
    """What messages say of a value of a wrong type."""
    return f"of type {type(value).__name__}"
