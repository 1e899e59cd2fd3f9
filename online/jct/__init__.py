"""Policies of the ``jct`` problem, and its world for the runner."""

from __future__ import annotations

from online.jct.a_online import AOnline, AOnlineEdge
from online.jct.all_cloud import AllCloud
from online.jct.batches import BatchSche
from online.jct.srtf import SRTF
from online.jct.tiresias import TiresiasL
from online.jct.world import JctWorld
from online.policy import Policy

__all__ = ["POLICIES", "make_world"]

make_world = JctWorld

POLICIES: dict[str, type[Policy]] = {
    policy.name: policy for policy in (AOnline, AOnlineEdge, SRTF, TiresiasL, BatchSche, AllCloud)
}
"""Registered policies by name; the first is the paper's own."""
