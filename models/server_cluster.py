"""The public side of an instance: slots, resources, and servers that run any part of a job."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from models.sealing import sealed
from models.tolerance import tolerant

__all__ = ["ServerCluster"]


@dataclass(frozen=True, eq=False)
class ServerCluster:
    """What is public before the first job arrives.

    Parameters
    ----------
    slots : int
        Timespan T.
    slot_seconds : float
        Length of a slot in seconds.
    resources : tuple of str
        Names of the R resource types.
    servers : ndarray, shape (H, R)
        Capacities ``C_h^r``, the same in every slot.
    """

    slots: int
    slot_seconds: float
    resources: tuple[str, ...]
    servers: np.ndarray

    @cached_property
    def tolerant(self) -> Self:
        """With all that the scorer lets pass, for bounds: :mod:`models.tolerance`."""
        return replace(self, servers=sealed(tolerant(self.servers)))
