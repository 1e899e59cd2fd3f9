"""Plans of the ``completion`` problem: what a policy wants one job to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from models.completion.cluster import NO_TYPE, Cluster
from models.completion.column import Column
from models.sealing import sealed
from online.answers import kind_of, whole_number
from online.run import InfeasibleDecision

__all__ = ["PAUSED", "Placement", "Plan", "Run", "Share", "copy_plan", "run_of"]


@dataclass(frozen=True, eq=False)
class Placement:
    """Where a job's workers and parameter servers are in every slot of some time.

    Parameters
    ----------
    worker_type, ps_type : int
        m and p; p is ``NO_TYPE`` with all-reduce.
    servers : ndarray of int64, shape (k,)
        Each server at most once.
    workers, ps : ndarray of int64, shape (k,)
        Numbers there; a server has one of either at least.
    """

    worker_type: int
    ps_type: int
    servers: np.ndarray
    workers: np.ndarray
    ps: np.ndarray

    @property
    def size(self) -> int:
        """Number of workers."""
        return int(self.workers.sum())

    def amounts(self, cluster: Cluster) -> np.ndarray:
        """What it holds of each resource on its servers, shape (k, R)."""
        held = np.outer(self.workers, cluster.worker_types[self.worker_type])
        if self.ps_type != NO_TYPE:
            held += np.outer(self.ps, cluster.ps_types[self.ps_type])
        return held

    def same_as(self, other: Placement | None) -> bool:
        """Whether it is the same types and numbers on the same servers, in the same order."""
        return other is not None and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in _FIELDS
        )


_FIELDS = ("worker_type", "ps_type", "servers", "workers", "ps")


@dataclass(frozen=True, eq=False)
class Share(Placement):
    """The placement from now on, until the next plan or the completion of the job.

    Number and place of workers may change so from slot to slot; without servers the job pauses.
    """


@dataclass(frozen=True, eq=False, kw_only=True)
class Run(Placement):
    """The placement from a start to the completion, as in the paper; final once it has started.

    Parameters
    ----------
    start : int
        First slot; the current one or a later one.
    duration : int
        Slots, as many as (2f) asks for at least.
    """

    start: int
    duration: int


Plan = Run | Share

_NOTHING = sealed(np.empty(0, dtype=np.int64))
PAUSED = Share(NO_TYPE, NO_TYPE, _NOTHING, _NOTHING, _NOTHING)
"""The share of a job that does not run."""


def run_of(column: Column) -> Run:
    """The plan that carries a column out."""
    return Run(
        worker_type=column.worker_type,
        ps_type=column.ps_type,
        servers=column.servers,
        workers=column.workers,
        ps=column.ps,
        start=column.start,
        duration=column.duration,
    )


def copy_plan(job: str, plan: Any) -> Plan:
    """Copy a plan, so that nothing the policy does later changes what was accepted.

    Parameters
    ----------
    job : str
        Id of the job, for messages.
    plan : Plan
        What a policy answered, unchecked.

    Raises
    ------
    InfeasibleDecision
        If it does not have the form of a plan; constraints are not checked.
    """
    if not isinstance(plan, Run | Share):
        raise InfeasibleDecision(f"job '{job}': a plan is a Run or a Share, not {kind_of(plan)}")
    names = ["worker_type", "ps_type"]
    names += ["start", "duration"] if isinstance(plan, Run) else []
    fields: dict[str, Any] = {
        name: whole_number(f"job '{job}': {name}", getattr(plan, name)) for name in names
    }
    for name in ("servers", "workers", "ps"):
        rows = getattr(plan, name)
        integers = isinstance(rows, np.ndarray) and np.issubdtype(rows.dtype, np.integer)
        if not integers or rows.shape != np.shape(plan.servers) or rows.ndim != 1:
            raise InfeasibleDecision(f"job '{job}': {name} is not one integer per server")
        fields[name] = np.array(rows, dtype=np.int64)
    return type(plan)(**fields)
