"""What an instance of the ``colocated`` problem is made of: servers, and one job.

(3), and the number of parameter servers, are compared after divisions, which carry round-off. So
both hold up to 1e-9, relative, for everybody, the scorer included: 20 samples of 0.65 slots are 13
worker-slots, not 14, and 3 workers at ``gamma = 0.3 / 0.1`` need one parameter server, not two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from models.server_cluster import ServerCluster
from models.sigmoid import Sigmoid
from models.tolerance import count_fitting, usable

__all__ = ["ROUND_OFF", "Cluster", "Job", "most_on_one"]

ROUND_OFF = 1e-9


Cluster = ServerCluster
"""Every server may run workers and parameter servers."""


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
        Arrival slot ``a_i``, 0-based: the first slot it may run in, (7).
    samples : int
        ``V_i = E_i K_i``: samples to train, right-hand side of (3).
    gradient_mb : float
        ``g_i`` in MB.
    sample_slots : float
        ``tau_i > 0``: slots in which a worker trains one sample.
    gamma : float
        ``gamma_i > 0``: workers that one parameter server can serve.
    max_workers : int
        ``F_i``: most workers in one slot, (4); also the global batch size.
    worker, ps : ndarray, shape (R,)
        Demands ``alpha_i^r`` of one worker and ``beta_i^r`` of one parameter server.
    internal_gbps, external_gbps : float
        ``b_i^(i) >= b_i^(e) > 0``: bandwidth on one server, and between servers.
    slot_seconds : float
        Length of a slot, as in the cluster.
    utility : Sigmoid
        ``u_i``, of the delay in slots.
    requested_workers : int or None
        Fixed number of workers, at most F, that baselines run the job with.
    """

    index: int
    id: str
    arrival: int
    samples: int
    gradient_mb: float
    sample_slots: float
    gamma: float
    max_workers: int
    worker: np.ndarray
    ps: np.ndarray
    internal_gbps: float
    external_gbps: float
    slot_seconds: float
    utility: Sigmoid
    requested_workers: int | None

    def _slots_per_sample(self, gbps: float) -> float:
        """``tau + gamma / F 2 g / b``, (3), with g in MB = 8 Mbit and b in Gbps = 1000 Mbit/s."""
        transfer_slots = 16.0 * self.gradient_mb / (1000.0 * gbps * self.slot_seconds)
        return self.sample_slots + self.gamma / self.max_workers * transfer_slots

    @cached_property
    def internal_slots(self) -> float:
        """Slots in which a worker trains a sample if all the job runs in is one server (Fact 1)."""
        return self._slots_per_sample(self.internal_gbps)

    @cached_property
    def external_slots(self) -> float:
        """Slots in which a worker trains a sample otherwise."""
        return self._slots_per_sample(self.external_gbps)

    @cached_property
    def speedup(self) -> float:
        """External worker-slots that one internal worker-slot is worth, at least 1."""
        return self.external_slots / self.internal_slots

    @cached_property
    def work(self) -> float:
        """External worker-slots that train all samples.

        (3) is ``sum external w + speedup * sum internal w >= work``.
        """
        return self.samples * self.external_slots

    @cached_property
    def tolerant_work(self) -> float:
        """What bounds and formulations ask for: a hair less than the scorer does."""
        return self.work * (1.0 - 2.0 * ROUND_OFF)

    def ps_needed(self, workers: int) -> int:
        """Least number of parameter servers for so many workers, ``ceil(w / gamma)``.

        Up to round-off: the least s with ``w (1 - 1e-9) <= gamma s``.
        """
        return int(self._ps_needed(np.array([workers]))[0])

    def ps_needed_table(self, most: int) -> np.ndarray:
        """``ps_needed(w)`` for w = 0..most, shape (most + 1,), int64."""
        return self._ps_needed(np.arange(most + 1))

    def _ps_needed(self, workers: np.ndarray) -> np.ndarray:
        need = workers * (1.0 - ROUND_OFF)
        count = np.floor(need / self.gamma)
        while (short := need > self.gamma * count).any():
            count += short
        return count.astype(np.int64)

    def values(self, slots: int) -> np.ndarray:
        """``u_i(t - a_i)`` for completion slots t = 0..slots-1; 0 before arrival."""
        value = np.zeros(slots)
        value[self.arrival :] = self.utility(np.arange(slots - self.arrival))
        return value


def most_on_one(job: Job, servers: np.ndarray, most: int) -> np.ndarray:
    """Most workers, up to ``most``, that fit with their parameter servers on each server alone.

    Parameters
    ----------
    job : Job
    servers : ndarray, shape (H, R)
        Capacities, or what is left of them.
    most : int

    Returns
    -------
    ndarray of int64, shape (H,)
    """
    needed = job.ps_needed_table(most)
    low, room = np.zeros(len(servers), dtype=np.int64), usable(servers)
    high = np.minimum(count_fitting(servers, job.worker), most)
    while (low < high).any():  # bisection: more workers need no fewer parameter servers
        middle = (low + high + 1) // 2
        used = np.outer(middle, job.worker) + np.outer(needed[middle], job.ps)
        fits = (used <= room).all(axis=1)
        low, high = np.where(fits, middle, low), np.where(fits, high, middle - 1)
    return low
