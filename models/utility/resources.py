"""Numbers by slot, server and resource: prices (19), or free capacities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Resources"]


@dataclass(frozen=True, eq=False)
class Resources:
    """One number per (slot, server, resource): prices, or free capacities.

    Parameters
    ----------
    worker : ndarray of float, shape (T, H, R)
        ``p_h^r(t)``, or what is free on the servers that run workers.
    ps : ndarray of float, shape (T, K, R)
        ``q_k^r(t)``, or what is free on the servers that run parameter servers.
    """

    worker: np.ndarray
    ps: np.ndarray
