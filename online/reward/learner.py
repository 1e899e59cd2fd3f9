"""Policies that commit an allocation to every slot, and learn from its arrivals afterwards."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from models.errors import InputError
from models.reward.instance import Cluster
from online.policy import Decision, Policy
from online.reward.events import Commit, RewardEvent
from online.reward.fairness import proportional_shares
from online.reward.gangs import complete_gangs
from online.reward.gradient import gradient
from online.reward.layout import Layout
from solvers.reward.projection import project

__all__ = ["Learner", "Start"]

Start = Literal["shares", "zero"]


class Learner(Policy):
    """Commit y(t) before x(t) is seen; then see the gradient (9) at y(t) of the jobs that came.

    Several jobs per port (Sec. 3.4) are virtual ports: copy j of port l has a gradient in the slots
    with at least j jobs.

    **Gang scheduling** (Sec. 3.5, whose design the paper leaves out). The points w(t) that learn
    stay in the convex set (3), (4), and move along supergradients of the reward *without* the
    gang rule: a concave function, equal to the reward wherever enough components run. What is
    committed is w(t) rounded by :func:`~online.reward.gangs.complete_gangs`: gangs that do not
    run are filled up, those that lack least first, or dropped. The rounding is not learned from:
    w(t + 1) does not depend on it. So what is proven of regret is proven of w(t) without the rule,
    and what rounding loses comes on top.

    Parameters
    ----------
    start : {"shares", "zero"}
        ``y(1)``: every port's proportional share of every server, or nothing. The shares are
        feasible and need no knowledge of the arrivals; of its own initial solution, the paper says
        only that it is well designed.
    """

    def __init__(self, *, start: Start = "shares") -> None:
        if start not in ("shares", "zero"):
            raise InputError(f"{self.name}: start '{start}' is not 'shares' or 'zero'")
        self.start = start

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start from y(1)."""
        self._cluster = public
        self._layout = Layout.of(public)
        shares = self.start == "shares"
        self._y = proportional_shares(public) if shares else np.zeros(public.shape)
        self._rise = np.zeros(public.shape)
        self._rounded = np.empty(public.shape if public.has_gangs else (0, 0))

    def step(self, event: RewardEvent) -> Decision:
        """Commit an allocation; then learn from the arrivals."""
        if isinstance(event, Commit):
            return self.rounded(self._y)
        cluster = self._cluster
        active = cluster.active(event.arrived)
        self._rise[:] = 0.0
        square = gradient(
            self._y, active, cluster.kind, cluster.alpha, cluster.beta, self._layout, self._rise
        )
        return Decision(info=self.learn(event.slot, active, square))

    @abstractmethod
    def learn(self, slot: int, active: np.ndarray, square: float) -> Mapping[str, Any]:
        """Move ``_y``; ``_rise`` is its gradient, of this squared norm. Returns what to record.

        ``active`` says which copies of ports have a job.
        """

    def project(self, z: np.ndarray, out: np.ndarray | None = None) -> None:
        """Put the nearest feasible point to z into ``out``, by default z itself."""
        cluster = self._cluster
        project(z, cluster.upper, cluster.capacities, cluster.server_start, out)

    def rounded(self, wanted: np.ndarray) -> Decision:
        """Allocate this feasible point, its gangs made whole."""
        cluster = self._cluster
        if not cluster.has_gangs:
            return Decision(allocation=wanted)
        self._rounded[:] = wanted
        free = cluster.capacities.copy()
        np.subtract.at(free, cluster.server, wanted)
        dropped = complete_gangs(wanted, self._rounded, free, cluster.lane_request, self._layout)
        return Decision(allocation=self._rounded, info={"gangs_dropped": dropped})
