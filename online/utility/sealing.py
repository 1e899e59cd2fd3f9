"""Copies of what a policy is shown, which it cannot change, and of what it answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from models.sealing import sealed
from models.utility.instance import Cluster, Job
from online.answers import kind_of, whole_number
from online.run import InfeasibleDecision
from online.utility.plan import Plan, Segment

__all__ = ["copy_plan", "seal_cluster", "seal_job"]


def seal_cluster(cluster: Cluster) -> Cluster:
    """Copy a cluster, with arrays that nobody can make writable."""
    return replace(
        cluster,
        worker_servers=sealed(cluster.worker_servers),
        ps_servers=sealed(cluster.ps_servers),
    )


def seal_job(job: Job, rank: int) -> Job:
    """Copy a job, known by its rank of arrival, with arrays that nobody can make writable."""
    return replace(job, index=rank, worker=sealed(job.worker), ps=sealed(job.ps))


def copy_plan(job: str, plan: Any) -> Plan:
    """Copy a plan, so that nothing the policy does later changes what was accepted.

    Parameters
    ----------
    job : str
        Id of the job, for messages.
    plan : Plan
        What a policy answered, unchecked.

    Returns
    -------
    Plan
        Python integers and rows of int64.

    Raises
    ------
    InfeasibleDecision
        If it does not have the form of a plan; constraints are not checked.
    """
    if not isinstance(plan, tuple | list):
        raise InfeasibleDecision(f"job '{job}': a plan is a tuple of Segment, not {kind_of(plan)}")
    copied = []
    for place, segment in enumerate(plan):
        where = f"job '{job}', segment {place}"
        if not isinstance(segment, Segment):
            raise InfeasibleDecision(f"{where}: is not a Segment but {kind_of(segment)}")
        stop = segment.stop
        copied.append(
            Segment(
                whole_number(f"{where}: start", segment.start),
                None if stop is None else whole_number(f"{where}: stop", stop),
                _rows(where, segment.workers),
                _rows(where, segment.ps),
            )
        )
    return tuple(copied)


def _rows(where: str, rows: Any) -> np.ndarray:
    if not (
        isinstance(rows, np.ndarray)
        and rows.ndim == 2
        and rows.shape[1] == 2
        and np.issubdtype(rows.dtype, np.integer)
    ):
        raise InfeasibleDecision(f"{where}: rows must be integers (server, count)")
    return np.array(rows, dtype=np.int64)
