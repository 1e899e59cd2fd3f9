"""DRF on shared servers."""

from __future__ import annotations

from online.colocated.pools import RULES
from online.fair_sharing import FairSharing

__all__ = ["DRF"]


class DRF(FairSharing):
    """Dominant resource fairness; a job keeps to the servers where it is as long as there is room.

    What a job has of a resource is what its workers and its parameter servers have of it.
    """

    name = "drf"
    rules = RULES
