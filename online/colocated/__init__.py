"""Policies of the ``colocated`` problem, and its world for the runner."""

from __future__ import annotations

from online.colocated.world import ColocatedWorld
from online.contract import OnlineSide
from online.segments import Segment

__all__ = ["ONLINE"]

ONLINE = OnlineSide(
    make_world=ColocatedWorld,
    policies={
        "pd-ors": "online.colocated.pd_ors:PDORS",
        "oasis": "online.colocated.oasis:OASiS",
        "fifo": "online.colocated.fifo:FIFO",
        "drf": "online.colocated.drf:DRF",
        "dorm": "online.colocated.dorm:Dorm",
    },
    plans=(Segment,),
)
