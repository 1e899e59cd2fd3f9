"""Arrivals made by an adversary that sees what the policy has decided last."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np

from models.reward.instance import RewardInstance
from models.reward.reward import RewardFunction
from models.sealing import sealed
from online.policy import Policy
from online.reward.events import Commit, Reveal
from solvers.reward.hindsight import best_fixed

__all__ = ["against"]


def against(instance: RewardInstance, policy: Policy, rng: np.random.Generator) -> RewardInstance:
    """The same instance with arrivals that adapt to a policy, one job of a port in a slot.

    In every slot jobs come to the even ports or to the odd ones: to the half for which the
    policy's last decision falls shorter of the reward that is best for this half alone. That
    decision is y(t) if the policy has committed to it, else y(t - 1). The choice is
    deterministic. So a deterministic policy meets the same arrivals again when it is run on the
    result; one that draws meets them with the same generator alone.

    Notes
    -----
    Let ``M_h`` be the best reward of half h, and ``q_h(y)`` that of y. A policy that commits falls
    short by ``max_h M_h - q_h(y(t))`` in every slot; some fixed y has the least such maximum, and
    so the best one in hindsight falls short by no more in the mean. Its regret is at least 0. No
    sequence fixed beforehand promises that: regret on ``switching`` may be negative. The
    comparator is the best fixed decision on the arrivals that this policy met; that decision
    itself would have met others.

    Raises
    ------
    Exception
        Whatever the policy raises.
    """
    ports, slots = len(instance.cluster.requests), instance.cluster.slots
    arrivals = np.zeros((slots, ports), dtype=np.int64)
    cluster = _with(instance, arrivals, "").cluster
    halves = (np.arange(ports) % 2 == np.arange(2)[:, None]).astype(np.int64)
    active = cluster.active(halves).astype(float)
    most = np.array([best_fixed(cluster, half).value for half in active])
    reward, nothing = RewardFunction(cluster), np.zeros(cluster.shape)
    policy.reset(replace(cluster), rng)
    last = nothing
    for slot in range(slots):
        committed = policy.step(Commit(slot)).allocation
        if committed is not None:
            last = committed.copy()  # which the policy may change once it has learned
        arrivals[slot] = halves[np.argmax(most - active @ reward(last).reward)]
        waited = policy.step(Reveal(slot, sealed(arrivals[slot]))).allocation
        if committed is None:
            last = nothing if waited is None else waited.copy()
    return _with(instance, arrivals, f"-against-{policy.name}")


def _with(instance: RewardInstance, arrivals: np.ndarray, note: str) -> RewardInstance:
    told = {"arrivals": arrivals.tolist(), "name": f"{instance.name}{note}"}
    return RewardInstance.from_file(msgspec.structs.replace(instance.file, **told))
