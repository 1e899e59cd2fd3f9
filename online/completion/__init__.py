"""Policies of the ``completion`` problem, and its world for the runner."""

from __future__ import annotations

from online.completion.plan import Run, Share
from online.completion.world import CompletionWorld
from online.contract import OnlineSide

__all__ = ["ONLINE"]

ONLINE = OnlineSide(
    make_world=CompletionWorld,
    policies={
        "a-online": "online.completion.a_online:AOnline",
        "fifo": "online.completion.fifo:FIFO",
        "drf": "online.completion.drf:DRF",
        "antman": "online.completion.antman:AntMan",
        "tiresias": "online.completion.tiresias:Tiresias",
    },
    plans=(Run, Share),
)
