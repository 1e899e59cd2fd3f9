"""Policies of the ``reward`` problem, and its world for the runner."""

from __future__ import annotations

from online.policy import Policy
from online.reward.binpacking import BinPacking
from online.reward.drf import DRF
from online.reward.fairness import Fairness
from online.reward.oga import OGASched, OGASchedAdaptive, OGASchedConstant, OGASchedLiteral
from online.reward.spreading import Spreading
from online.reward.world import RewardWorld

__all__ = ["POLICIES", "make_world"]

make_world = RewardWorld

POLICIES: dict[str, type[Policy]] = {
    policy.name: policy
    for policy in (
        OGASched,
        OGASchedConstant,
        OGASchedLiteral,
        OGASchedAdaptive,
        DRF,
        Fairness,
        BinPacking,
        Spreading,
    )
}
"""Registered policies by name; the first is the paper's own."""
