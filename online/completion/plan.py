"""Plans of the ``completion`` problem: what a policy wants one job to do."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from models.completion.cluster import NO_TYPE
from models.completion.column import Column, Placement
from models.sealing import sealed
from online.answers import kind_of, whole_number
from online.run import InfeasibleDecision

__all__ = ["PAUSED", "Run", "Share", "copy_plan", "run_of"]


class Share(Placement):
    """Where a job's workers and parameter servers are from now on.

    It lasts until the next plan or the completion of the job, so that numbers and places may
    change from slot to slot. Without servers the job pauses.
    """

    @property
    def size(self) -> int:
        """Number of workers."""
        return sum(self.workers.tolist())  # NumPy's integers can overflow

    def same_as(self, other: Share | None) -> bool:
        """Whether it is the same numbers on the same servers, in the same order, of a job."""
        return other is not None and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in _ROWS
        )


@dataclass(frozen=True, eq=False)
class Run(Share):
    """The constant placement of the paper, from a start on; final once it has started.

    Parameters
    ----------
    start : int
        First slot; the current one or a later one.
    duration : int
        Slots, as many as (2f) asks for at least.
    """

    start: int
    duration: int


_ROWS = ("servers", "workers", "ps")
_NONE = sealed(np.empty(0, dtype=np.int64))
PAUSED = Share(NO_TYPE, NO_TYPE, _NONE, _NONE, _NONE)
"""The share of a job that does not run."""


def run_of(column: Column) -> Run:
    """The plan that carries a column out."""
    return Run(**{field.name: getattr(column, field.name) for field in fields(Run)})


def copy_plan(job: str, plan: Any) -> Share:
    """Copy a plan, so that nothing the policy does later changes what was accepted.

    ``job`` is an id, for messages. Raises InfeasibleDecision if what the policy answered does not
    have the form of a plan; constraints are not checked.
    """
    if not isinstance(plan, Share):
        raise InfeasibleDecision(f"job '{job}': a plan is a Run or a Share, not {kind_of(plan)}")
    copied: dict[str, Any] = {}
    for name in (field.name for field in fields(plan)):
        value = getattr(plan, name)
        if name not in _ROWS:
            copied[name] = whole_number(f"job '{job}': {name}", value)
        elif (
            isinstance(value, np.ndarray)
            and np.issubdtype(value.dtype, np.integer)
            and value.ndim == 1
            and value.shape == np.shape(plan.servers)
        ):
            copied[name] = np.array(value, dtype=np.int64)
        else:
            raise InfeasibleDecision(f"job '{job}': {name} are not one integer per server")
    return Run(**copied) if isinstance(plan, Run) else Share(**copied)
