"""Policies of the ``utility`` problem, and its world for the runner."""

from __future__ import annotations

from online.contract import OnlineSide
from online.segments import Segment
from online.utility.world import UtilityWorld

__all__ = ["ONLINE"]

ONLINE = OnlineSide(
    make_world=UtilityWorld,
    policies={
        "oasis": "online.utility.oasis:OASiS",
        "fifo": "online.utility.fifo:FIFO",
        "drf": "online.utility.drf:DRF",
        "rrh": "online.utility.rrh:RRH",
        "dorm": "online.utility.dorm:Dorm",
        "zero-price": "online.utility.zero_price:ZeroPriceGreedy",
    },
    terms={
        "small demands": "a job moves the prices of a server only a little",
        "dual feasibility": "no job could gain more at the final prices than it did",
        "D_0 <= OPT/2": "the empty cluster, at its prices, is worth half of the optimum at most",
    },
    plans=(Segment,),
)
