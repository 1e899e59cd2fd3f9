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
    terms={
        "w >= sum f": "a job's weight is no less than what it holds of all resources in all slots",
        "f/C <=": "a job holds a small share of any server",
        "(9a)": "a constraint of the dual program: no job could gain more at the final prices",
        "Lemma 2": "no job is left out that still fits into its block of slots",
    },
    plans=(Run, Share),
)
