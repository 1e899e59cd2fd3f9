"""Small instances of the `reward` problem, whose answers can be worked by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.reward import RewardInstance
from models.reward.files import RewardFile, Utilities
from online.policy import Policy
from online.run import Trace, run

__all__ = ["play", "reward"]


def reward(
    requests: list[list[float]],
    capacities: list[list[float]],
    arrivals: list[list[int]],
    *,
    edges: list[tuple[int, int]] | None = None,
    kind: str = "linear",
    alpha: float = 1.0,
    beta: list[float] | None = None,
    **more: Any,
) -> RewardInstance:
    """Every port connected to every server, utilities ``y``, no overhead, unless told otherwise."""
    ports, servers, devices = len(requests), len(capacities), len(requests[0])
    return RewardInstance.from_file(
        RewardFile(
            format="1",
            problem="reward",
            name="small",
            slots=len(arrivals),
            devices=[f"d{k}" for k in range(devices)],
            capacities=capacities,
            requests=requests,
            edges=[(p, s) for p in range(ports) for s in range(servers)]
            if edges is None
            else edges,
            utilities=Utilities(kind, [[alpha] * devices for _ in range(servers)]),
            beta=[0.0] * devices if beta is None else beta,
            arrivals=arrivals,
            **more,
        )
    )


def play(ins: RewardInstance, policy: Policy) -> tuple[list[list], Trace]:
    """Run a policy; returns the allocation of every slot, rounded, and the Trace.

    Channels are sorted by server, then lane.
    """
    trace = run(ins, policy, np.random.default_rng(0))
    schedule = trace.schedule
    place = np.searchsorted(schedule.starts, np.arange(ins.cluster.slots), side="right") - 1
    return [np.round(schedule.allocations[n], 9).tolist() for n in place], trace
