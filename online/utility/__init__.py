"""Policies of the ``utility`` problem, and its world for the runner."""

from __future__ import annotations

from online.policy import Policy
from online.utility.oasis import OASiS
from online.utility.world import UtilityWorld
from online.utility.zero_price import ZeroPriceGreedy

__all__ = ["POLICIES", "make_world"]

make_world = UtilityWorld

POLICIES: dict[str, type[Policy]] = {policy.name: policy for policy in (OASiS, ZeroPriceGreedy)}
"""Registered policies by name; the first is the paper's own."""
