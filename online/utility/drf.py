"""DRF on separate servers."""

from __future__ import annotations

from online.fair_sharing import FairSharing
from online.utility.pools import RULES

__all__ = ["DRF"]


class DRF(FairSharing):
    """Dominant resource fairness over the two pools of servers."""

    name = "drf"
    rules = RULES
