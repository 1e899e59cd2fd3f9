"""Policies of the ``utility`` problem, and its world for the runner."""

from __future__ import annotations

from online.policy import Policy
from online.utility.dorm import Dorm
from online.utility.drf import DRF
from online.utility.fifo import FIFO
from online.utility.oasis import OASiS
from online.utility.rrh import RRH
from online.utility.world import UtilityWorld
from online.utility.zero_price import ZeroPriceGreedy

__all__ = ["POLICIES", "make_world"]

make_world = UtilityWorld

POLICIES: dict[str, type[Policy]] = {
    policy.name: policy for policy in (OASiS, FIFO, DRF, RRH, Dorm, ZeroPriceGreedy)
}
"""Registered policies by name; the first is the paper's own."""
