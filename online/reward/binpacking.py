"""BINPACKING: jobs go where most is in use already."""

from __future__ import annotations

import numpy as np

from models.reward.instance import Cluster
from online.reward.filling import Filling

__all__ = ["BinPacking"]


class BinPacking(Filling):
    """Serve the ports by index, each from the most used servers first.

    ``MostAllocated`` of Kubernetes, as the paper takes it (Sec. 4): when a job (a component) is
    served, the servers at its port are sorted by their mean utilisation, descending; ties go to
    the lower index. The utilisation of a server is the mean, over the device types it has, of
    the share in use in this slot.

    See :class:`~online.reward.filling.Filling` for the cap on a job and for gangs.
    """

    name = "binpacking"
    favour = 1.0

    def order(self, cluster: Cluster) -> np.ndarray:
        """Copies by index."""
        return np.arange(len(cluster.copy_port))
