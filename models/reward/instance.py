"""Instance of the ``reward`` problem: a cluster behind ports, and the jobs that arrive at them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from models.files import decode, sha256
from models.instance import FileInstance
from models.reward.checks import check_cluster, check_sizes
from models.reward.files import RewardFile
from models.reward.utilities import KINDS
from models.sealing import sealed
from models.wire import LEAST

__all__ = ["Cluster", "RewardInstance"]


@dataclass(frozen=True, eq=False)
class Cluster:
    """Everything that is public before the first slot: all but the arrivals.

    Of these it tells one number for each port, ``copies``.

    L ports, R servers, K device types. At most ``J_l`` jobs arrive at port l in a slot; the
    pairs (l, j), j = 1..J_l, are the M *copies* of the ports, sorted: the virtual ports of
    Sec. 3.4. A copy has one *lane*, or one for each of its task components (Sec. 3.5). A
    *channel* is a pair (lane, server) along an edge of the graph; an allocation y has one row
    for each of the C channels and one column for each device type.

    Parameters
    ----------
    slots : int
        Time horizon T.
    devices : tuple of str
        Names of the K device types.
    capacities : ndarray, shape (R, K)
        ``c_r^k``.
    requests : ndarray, shape (L, K)
        ``a_l^k``, all components together.
    port_edges : ndarray of int64, shape (n, 2)
        Edges (port, server), sorted.
    kind : ndarray of int8, shape (R, K)
        Kind code of the utility ``f_r^k``, position in ``KINDS``.
    alpha : ndarray, shape (R, K)
        Its parameter.
    beta : ndarray, shape (K,)
        ``beta_k``, in [0, 1].
    copies : ndarray of int64, shape (L,)
        ``J_l = max_t x_l(t)``, but at least 1: the paper's definition (Sec. 3.4), by which it is
        the number of rows that y(t) has for the port. So policies know beforehand how many jobs
        will be at a port at once, though not when. With one job at most, as in all of the paper's
        experiments, it tells nothing.
    copy_port, copy_number : ndarray of int64, shape (M,)
        Port l and number j, from 1, of each copy.
    lane_port, lane_copy, lane_component : ndarray of int64, shape (N,)
        Port, copy (0..M-1) and component (from 0) of each lane.
    lane_request : ndarray, shape (N, K)
        What a lane requests: upper bounds of (3).
    lane, server : ndarray of int64, shape (C,)
        Lane and server of each channel, sorted by server, then lane.
    server_start : ndarray of int64, shape (R + 1,)
        The channels of server r are ``server_start[r]`` to ``server_start[r + 1] - 1``.
    minimum_running : ndarray of int64, shape (L,)
        ``m_l``, 0 where there is no gang rule.
    """

    slots: int
    devices: tuple[str, ...]
    capacities: np.ndarray
    requests: np.ndarray
    port_edges: np.ndarray
    kind: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray
    copies: np.ndarray
    copy_port: np.ndarray
    copy_number: np.ndarray
    lane_port: np.ndarray
    lane_copy: np.ndarray
    lane_component: np.ndarray
    lane_request: np.ndarray
    lane: np.ndarray
    server: np.ndarray
    server_start: np.ndarray
    minimum_running: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """Shape (C, K) of an allocation."""
        return len(self.lane), len(self.devices)

    @property
    def has_gangs(self) -> bool:
        """Whether some port has a gang rule."""
        return bool(self.minimum_running.any())

    @cached_property
    def upper(self) -> np.ndarray:
        """Upper bounds of (3), one row per channel, shape (C, K)."""
        return sealed(self.lane_request[self.lane])

    def active(self, arrived: np.ndarray) -> np.ndarray:
        """Copies that have a job when ``arrived`` jobs come, shape (..., L) to (..., M), bool."""
        return arrived[..., self.copy_port] >= self.copy_number


@dataclass(frozen=True, eq=False)
class RewardInstance(FileInstance):
    """A cluster and its arrivals (paper, Sec. 2), validated; its arrays stay read-only.

    Build it with :meth:`from_file`, :meth:`decode` or :meth:`read`.

    Parameters
    ----------
    file : RewardFile
        As it stands in the file.
    cluster : Cluster
        All that is public.
    arrivals : ndarray of int64, shape (T, L)
        ``x_l(t)``.
    hash : str
        Of the canonical file.
    """

    file: RewardFile
    cluster: Cluster
    arrivals: np.ndarray
    hash: str

    problem = "reward"

    @cached_property
    def weights(self) -> np.ndarray:
        """``n_lj``: slots in which each copy has a job, shape (M,), int64.

        All that the best fixed decision depends on.
        """
        cluster = self.cluster
        first = np.concatenate([[0], np.cumsum(cluster.copies)])
        found = np.zeros(first[-1], dtype=np.int64)
        for port, most in enumerate(cluster.copies.tolist()):
            slots_with = np.bincount(self.arrivals[:, port], minlength=most + 1)
            # Slots with at least j jobs, j = 1..J_l.
            found[first[port] : first[port + 1]] = slots_with[::-1].cumsum()[::-1][1:]
        return sealed(found)

    @classmethod
    def decode(cls, data: bytes, source: str) -> RewardInstance:
        """Build from JSON text; raises InputError naming ``source``."""
        file = decode(data, RewardFile, source=source, least=LEAST)
        check_cluster(file, source)
        check_sizes(file, source)
        arrivals = np.array(file.arrivals, dtype=np.int64)
        return cls(file, _cluster(file, arrivals), sealed(arrivals), sha256(file))


def _cluster(file: RewardFile, arrivals: np.ndarray) -> Cluster:
    ports, servers = len(file.requests), len(file.capacities)
    requests = np.array(file.requests, dtype=float)
    tasks = file.components or [[row] for row in file.requests]
    components = np.array([len(rows) for rows in tasks])
    copies = np.maximum(arrivals.max(axis=0), 1)

    copy_port = np.repeat(np.arange(ports), copies)
    copy_number = _count_within(copies) + 1
    lane_copy = np.repeat(np.arange(len(copy_port)), components[copy_port])
    lane_port = copy_port[lane_copy]
    lane_component = _count_within(components[copy_port])
    request = np.array([row for rows in tasks for row in rows], dtype=float)
    first_task = np.concatenate([[0], np.cumsum(components)])

    edges = np.array(sorted(file.edges), dtype=np.int64).reshape(-1, 2)
    first_edge = np.searchsorted(edges[:, 0], np.arange(ports + 1))
    degree = np.diff(first_edge)[lane_port]
    lane = np.repeat(np.arange(len(lane_port)), degree)
    server = edges[first_edge[lane_port[lane]] + _count_within(degree), 1]
    order = np.lexsort((lane, server))

    kinds = file.utilities.kind
    names = [[kinds] * len(file.devices)] * servers if isinstance(kinds, str) else kinds
    return Cluster(
        slots=file.slots,
        devices=tuple(file.devices),
        capacities=sealed(np.array(file.capacities, dtype=float)),
        requests=sealed(requests),
        port_edges=sealed(edges),
        kind=sealed(np.array([[KINDS.index(name) for name in row] for row in names], np.int8)),
        alpha=sealed(np.array(file.utilities.alpha, dtype=float)),
        beta=sealed(np.array(file.beta, dtype=float)),
        copies=sealed(copies),
        copy_port=sealed(copy_port),
        copy_number=sealed(copy_number),
        lane_port=sealed(lane_port),
        lane_copy=sealed(lane_copy),
        lane_component=sealed(lane_component),
        lane_request=sealed(request[first_task[lane_port] + lane_component]),
        lane=sealed(lane[order]),
        server=sealed(server[order]),
        server_start=sealed(np.searchsorted(server[order], np.arange(servers + 1))),
        minimum_running=sealed(np.array(file.minimum_running or [0] * ports, dtype=np.int64)),
    )


def _count_within(sizes: np.ndarray) -> np.ndarray:
    """0..n-1 for each n of ``sizes``, one after the other."""
    ends = np.cumsum(sizes)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)
