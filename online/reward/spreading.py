"""SPREADING: jobs go where least is in use."""

from __future__ import annotations

import numpy as np

from models.reward.instance import Cluster
from online.reward.filling import Filling

__all__ = ["Spreading"]


class Spreading(Filling):
    """Serve the ports by index, each from the least used servers first.

    As :class:`~online.reward.binpacking.BinPacking` with the opposite favour (Sec. 4): servers
    are sorted by their mean utilisation, ascending; ties go to the lower index.

    See :class:`~online.reward.filling.Filling` for the cap on a job and for gangs.
    """

    name = "spreading"
    favour = -1.0

    def order(self, cluster: Cluster) -> np.ndarray:
        """Copies by index."""
        return np.arange(len(cluster.copy_port))
