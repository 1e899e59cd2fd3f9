"""Small instances of the `reward` problem, whose answers can be worked by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.reward import RewardInstance
from models.reward.files import RewardFile, Utilities
from online.policy import Policy
from online.run import Trace, run

__all__ = ["WORTHLESS", "play", "reward", "worthless"]


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


def worthless(alpha: float, beta: list[float]) -> RewardInstance:
    """Two ports on two servers, utilities ``alpha y``; the overhead is never less."""
    devices = len(beta)
    requests = [[2.0] * devices, [3.0] * devices]
    capacities = [[4.0] * devices, [5.0] * devices]
    arrivals = [[1, 1], [1, 0], [0, 1]]
    return reward(requests, capacities, arrivals, alpha=alpha, beta=beta)


# Where sum_k alpha Y_k <= max_k beta_k Y_k for all Y, the best reward is 0; with equality in the
# second case, where multipliers have to be exact.
WORTHLESS: list[tuple[float, list[float]]] = [
    (0.5, [1.0, 1.0]),
    (1.0, [1.0]),
    (0.25, [1.0, 0.7]),
    (0.3, [0.9, 1.0, 1.0]),
    (1e-7, [2e-7, 3e-7]),
]
