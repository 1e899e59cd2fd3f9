"""What an instance of the ``jct`` problem is made of: the edge servers, and one job."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from models.sealing import sealed

__all__ = ["CLOUD", "Cluster", "Job"]

CLOUD = -1
"""Number of the cloud among the servers."""


@dataclass(frozen=True, eq=False)
class Cluster:
    """Everything that is public before the first job arrives.

    S edge servers with W workers and P parameter servers in all, which stand one server after
    the other. Schedules name a worker by its server and its number there.

    Parameters
    ----------
    slots : int
        Time horizon T.
    slot_seconds : float
        Length of a slot in seconds.
    worker_types, ps_types : tuple of str
        Names of the types of workers and parameter servers at the edge, sorted.
    worker_server, worker_number, worker_type : ndarray of int64, shape (W,)
        Server of each worker, its number there, and its type (position in ``worker_types``).
    ps_server, ps_number, ps_type : ndarray of int64, shape (P,)
        The same of each parameter server.
    storage_gb : ndarray, shape (S,)
        ``U_s``; infinite where it is unlimited.
    cloud : bool
        Whether there is a cloud, with unlimited workers, parameter servers and storage.
    """

    slots: int
    slot_seconds: float
    worker_types: tuple[str, ...]
    ps_types: tuple[str, ...]
    worker_server: np.ndarray
    worker_number: np.ndarray
    worker_type: np.ndarray
    ps_server: np.ndarray
    ps_number: np.ndarray
    ps_type: np.ndarray
    storage_gb: np.ndarray
    cloud: bool

    @property
    def servers(self) -> int:
        """Number S of edge servers."""
        return len(self.storage_gb)

    @cached_property
    def first_worker(self) -> np.ndarray:
        """Workers of server s are ``first_worker[s]`` to ``first_worker[s + 1] - 1``."""
        return sealed(np.searchsorted(self.worker_server, np.arange(self.servers + 1)))

    @cached_property
    def first_ps(self) -> np.ndarray:
        """The same of the parameter servers."""
        return sealed(np.searchsorted(self.ps_server, np.arange(self.servers + 1)))

    @cached_property
    def has_storage_limits(self) -> bool:
        """Whether some server's storage is limited: the capacitated setting (7)."""
        return bool(np.isfinite(self.storage_gb).any())


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
        Arrival slot ``r_j``, 0-based.
    chunks : int
        ``D_j``, identical data chunks; most workers in one slot, (2c).
    chunk_slots : int
        p: slots that a worker needs for a chunk with ``zeta = 0``, transfers included.
    cloud_chunk_slots : int
        ``p_c <= p``: the same with ``zeta = 1``, all chunks and the parameter server in the cloud.
    chunk_time, cloud_chunk_time : float
        ``E B / n`` of (1) with ``zeta`` 0 and 1, of which the two above are the whole slots.
    rate : float
        ``gamma = n / (E D B)`` with n for ``zeta = 0``: the average processing rate of a chunk,
        per slot of the file, whatever the speed: an order by it is the same at every epsilon.
    worker_type, ps_type : int
        Positions in ``Cluster.worker_types`` and ``ps_types``; -1 when the edge has none.
    upload_slots : ndarray of int64, shape (S,)
        ``Delta_js``: from slot ``arrival + Delta_js`` on a chunk can be trained on server s.
    cloud_upload_slots : int or None
        The same for the cloud; None without a cloud.
    chunk_gb : float
        ``u_j``: storage of one chunk.
    requested_workers : int
        Fixed number of workers that the all-or-nothing policies run the job with, at most D.
    """

    index: int
    id: str
    arrival: int
    chunks: int
    chunk_slots: int
    cloud_chunk_slots: int
    chunk_time: float
    cloud_chunk_time: float
    rate: float
    worker_type: int
    ps_type: int
    upload_slots: np.ndarray
    cloud_upload_slots: int | None
    chunk_gb: float
    requested_workers: int

    def eligible(self, cluster: Cluster) -> np.ndarray:
        """Edge workers that can serve the job (``v_jsw``), positions 0..W-1, ascending."""
        return np.flatnonzero(cluster.worker_type == self.worker_type)

    def eligible_ps(self, cluster: Cluster) -> np.ndarray:
        """Edge parameter servers that can serve the job (``o_jsp``), positions 0..P-1."""
        return np.flatnonzero(cluster.ps_type == self.ps_type)

    def upload_to(self, server: int) -> int:
        """``Delta_js`` of a server or, with -1, of the cloud."""
        if server != CLOUD:
            return int(self.upload_slots[server])
        assert self.cloud_upload_slots is not None
        return self.cloud_upload_slots

    def places(self, cluster: Cluster) -> np.ndarray:
        """Chunks of the job that each empty server can store, shape (S,), at most D, int64."""
        if self.chunk_gb == 0:
            return np.full(cluster.servers, self.chunks, dtype=np.int64)
        with np.errstate(over="ignore"):
            # A hair more, since quotients carry round-off: 0.3 / 0.1 is 3.
            count = np.floor(cluster.storage_gb / self.chunk_gb * (1.0 + 1e-10))
        return np.minimum(count, self.chunks).astype(np.int64)
