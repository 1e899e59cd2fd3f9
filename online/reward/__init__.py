"""Policies of the ``reward`` problem, and its world for the runner."""

from __future__ import annotations

from online.contract import OnlineSide
from online.reward.world import RewardWorld

__all__ = ["ONLINE"]

ONLINE = OnlineSide(
    make_world=RewardWorld,
    policies={
        "ogasched": "online.reward.oga:OGASched",
        "ogasched-constant": "online.reward.oga:OGASchedConstant",
        "ogasched-literal": "online.reward.oga:OGASchedLiteral",
        "ogasched-adaptive": "online.reward.oga:OGASchedAdaptive",
        "ogasched-seeing": "online.reward.seeing:OGASchedSeeing",
        "adagrad": "online.reward.adagrad:AdaGrad",
        "ftrl": "online.reward.ftrl:FTRL",
        "optimistic": "online.reward.optimistic:Optimistic",
        "follow-the-leader": "online.reward.leader:FollowTheLeader",
        "drf": "online.reward.drf:DRF",
        "fairness": "online.reward.fairness:Fairness",
        "binpacking": "online.reward.binpacking:BinPacking",
        "spreading": "online.reward.spreading:Spreading",
    },
)
