"""Policies of the ``jct`` problem, and its world for the runner."""

from __future__ import annotations

from online.contract import OnlineSide
from online.jct.events import Order, Plan
from online.jct.world import JctWorld

__all__ = ["ONLINE"]

ONLINE = OnlineSide(
    make_world=JctWorld,
    policies={
        "a-online": "online.jct.a_online:AOnline",
        "a-online-e": "online.jct.a_online:AOnlineEdge",
        "srtf": "online.jct.srtf:SRTF",
        "tiresias-l": "online.jct.tiresias:TiresiasL",
        "batchsche": "online.jct.batches:BatchSche",
        "all-cloud": "online.jct.all_cloud:AllCloud",
    },
    terms={
        "(6a)": "a constraint of the dual program: no chunk's dual exceeds its cost on a worker",
        "sum alpha": "Lemma 4: the duals of chunks add up to no less than those of workers",
    },
    plans=(Order, Plan),
)
