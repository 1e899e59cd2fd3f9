"""Follow the leader: what would have been the best fixed decision so far."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from models.errors import InputError
from models.reward.instance import Cluster
from online.reward.learner import Learner, Start
from solvers.reward.hindsight import optimum
from solvers.reward.oracle import Oracle

__all__ = ["FollowTheLeader"]


class FollowTheLeader(Learner):
    """Commit to the allocation that maximises the sum of the rewards of all slots so far.

    It is the comparator of regret on the arrivals seen (:mod:`solvers.reward.hindsight`; gang rules
    aside), which depends on them through counts alone. Shalev-Shwartz: "Online Learning and
    Online Convex Optimization", 2012, Sec. 2.1. With linear utilities it jumps from corner to
    corner, and its regret may grow linearly; with strictly concave ones it calms down. Not in the
    paper.

    Parameters
    ----------
    growth : float
        A leader of t slots is followed until slot ``growth * t``, since each is a program to solve;
        at 1 it is found anew in every slot. Default 1.05.
    tolerance : float
        Relative gap that its program is solved to.
    start : {"shares", "zero"}
        What is committed before anybody has come.
    """

    name = "follow-the-leader"

    def __init__(
        self, *, growth: float = 1.05, tolerance: float = 1e-4, start: Start = "shares"
    ) -> None:
        super().__init__(start=start)
        if not (1.0 <= growth < math.inf and 0.0 < tolerance < 1.0):
            raise InputError(
                f"{self.name}: growth {growth} is below 1, or tolerance {tolerance} not in (0, 1)"
            )
        self._growth, self._tolerance = growth, tolerance

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Nobody has come."""
        super().reset(public, rng)
        self._oracle = Oracle(public).without_gangs
        self._count = np.zeros(len(public.copy_port))
        self._due = 1  # how many slots the next leader is of, at least

    def learn(self, slot: int, active: np.ndarray, square: float) -> Mapping[str, Any]:
        """Find the leader, if it is time."""
        self._count += active
        found = slot + 1 >= self._due and bool(self._count.any())
        if found:
            self._y[:] = optimum(self._oracle, self._count, self._tolerance).y
            self._due = max(slot + 2, math.ceil(self._growth * (slot + 1)))
        return {"new_leader": found}
