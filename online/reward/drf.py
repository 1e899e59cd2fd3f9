"""DRF: the port with the smallest dominant share is served first."""

from __future__ import annotations

import numpy as np

from models.reward.instance import Cluster
from online.reward.filling import Filling

__all__ = ["DRF"]


class DRF(Filling):
    """Serve the ports that have jobs in ascending order of their dominant shares.

    The paper's reading (Sec. 4) of dominant resource fairness: the share of port l is
    ``s_l = max_k a_l^k / sum_{r in R_l} c_r^k``, with the servers that it is connected to. It
    depends on the request only, not on what was allocated before. Ties go to the port, then
    to the job, of lower index; servers are filled by index.

    See :class:`~online.reward.filling.Filling` for the cap on a job and for gangs.
    """

    name = "drf"
    favour = 0.0

    def order(self, cluster: Cluster) -> np.ndarray:
        """Copies by the dominant share of their port."""
        port, server = cluster.port_edges.T
        reachable = np.zeros(cluster.requests.shape)
        np.add.at(reachable, port, cluster.capacities[server])
        share = np.zeros_like(reachable)
        wanted = cluster.requests > 0.0
        with np.errstate(divide="ignore"):  # no such device: infinite, served last
            share[wanted] = cluster.requests[wanted] / reachable[wanted]
        return np.argsort(share.max(axis=1)[cluster.copy_port], kind="stable")
