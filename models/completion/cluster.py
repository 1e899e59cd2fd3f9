"""What an instance of the ``completion`` problem is made of: servers, types, and one job."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from models.sealing import sealed
from models.server_cluster import ServerCluster
from models.tolerance import count_fitting

__all__ = ["NO_TYPE", "Cluster", "Job"]

NO_TYPE = -1
"""Stands for the PS type of a job that has no parameter servers."""


@dataclass(frozen=True, eq=False)
class Cluster(ServerCluster):
    """Everything that is public before the first job arrives; schedules may run past T.

    Parameters
    ----------
    slots, slot_seconds, resources, servers
        As in :class:`models.server_cluster.ServerCluster`.
    architecture : {"ps", "allreduce"}
        Parameter servers (paper, Sec. 3), or Ring-AllReduce (Sec. 6).
    worker_types, ps_types : ndarray, shape (M, R) and (P, R)
        Demands ``e_m^r`` of one worker and ``z_p^r`` of one parameter server of each type; P = 0
        with all-reduce.
    bandwidth : int
        Index of the resource that gives ``b_m`` and ``B_p``.
    """

    architecture: Literal["ps", "allreduce"]
    worker_types: np.ndarray
    ps_types: np.ndarray
    bandwidth: int

    @property
    def allreduce(self) -> bool:
        """Whether workers exchange gradients among themselves, without parameter servers."""
        return self.architecture == "allreduce"

    @property
    def worker_gbps(self) -> np.ndarray:
        """``b_m``, shape (M,)."""
        return self.worker_types[:, self.bandwidth]

    @property
    def ps_gbps(self) -> np.ndarray:
        """``B_p``, shape (P,)."""
        return self.ps_types[:, self.bandwidth]

    @property
    def ps_choices(self) -> range:
        """The PS types that a job may have: all of them, or only ``NO_TYPE`` with all-reduce."""
        return range(NO_TYPE, 0) if self.allreduce else range(len(self.ps_types))

    @cached_property
    def kinds(self) -> tuple[np.ndarray, ...]:
        """Servers that are alike, (K, R); how many, (K,); what fits: workers (M, K), PSs (P, K)."""
        alike, number = np.unique(self.servers, axis=0, return_counts=True)
        room, ps_room = (
            np.array([count_fitting(alike, demand) for demand in types]).reshape(-1, len(alike))
            for types in (self.worker_types, self.ps_types)
        )
        return sealed(alike), sealed(number), sealed(room), sealed(ps_room.astype(np.int64))


@dataclass(frozen=True, eq=False)
class Job:
    """One job, as revealed to a policy at its arrival.

    Parameters
    ----------
    index : int
        Position in the instance file; for a policy, rank in the order of arrival.
    id : str
        Name of the job.
    arrival : int
        Arrival slot ``a_j``, 0-based: the first slot it may run in, (2j).
    weight : float
        ``w_j > 0``.
    work : int
        Mini-batches ``E_j D_j K_j`` to train, right-hand side of (2f).
    chunks : int
        ``D_j``: most workers, (2g).
    minibatch_slots, transfer_slots : ndarray, shape (M,)
        ``v_jm`` and ``2 pi_j / b_m``: slots in which a worker of each type trains a mini-batch, and
        sends and receives its gradients.
    update_slots : ndarray, shape (P,), or (1,) with all-reduce
        ``U_j^p`` or ``U_j``: slots in which a PS of each type updates the parameters in one
        iteration, or a worker reduces the gradients.
    gradient_mb : float
        ``pi_j``.
    requested_workers : int or None
        Fixed number of workers that FIFO runs the job with, at most D.
    """

    index: int
    id: str
    arrival: int
    weight: float
    work: int
    chunks: int
    minibatch_slots: np.ndarray
    update_slots: np.ndarray
    gradient_mb: float
    transfer_slots: np.ndarray
    requested_workers: int | None
