"""OGASched: online gradient ascent with exact projection (Alg. 1, Definition 2)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from models.reward.instance import Cluster
from online.policy import Decision, Policy
from online.reward.events import Commit, RewardEvent
from online.reward.fairness import proportional_shares
from online.reward.gangs import complete_gangs
from online.reward.gradient import ascend, gradient
from online.reward.layout import Layout
from online.reward.steps import Adaptive, Constant, Decay, StepRule
from online.reward.steps import Literal as LiteralStep
from online.reward.theory import GradientPath
from solvers.reward.projection import project

__all__ = ["OGASched", "OGASchedAdaptive", "OGASchedConstant", "OGASchedLiteral"]

Start = Literal["shares", "zero"]


class OGASched(Policy):
    """Commit y(t) before x(t) is seen, then move along the gradient of the slot's reward.

    ``y(t + 1) = Proj(y(t) + eta_t grad q(x(t), y(t)))``, (11), with the gradient (9) of the jobs
    that came and the exact Euclidean projection on (3) and (4)
    (:mod:`solvers.reward.projection`). Several jobs per port (Sec. 3.4) are virtual ports: copy j
    of port l has a gradient in the slots with at least j jobs.

    **Gang scheduling** (Sec. 3.5, whose design the paper leaves out). The points w(t) that learn
    stay in the convex set (3), (4), and move along supergradients of the reward *without* the
    gang rule: a concave function, equal to the reward wherever enough components run. What is
    committed is w(t) rounded by :func:`~online.reward.gangs.complete_gangs`: gangs that do not
    run are filled up, those that lack least first, or dropped. The rounding is not learned from:
    w(t + 1) depends on w(t) alone. So (14) bounds the regret of w(t) without the rule, and what
    rounding loses comes on top.

    Parameters
    ----------
    initial, factor : float
        Of the steps ``initial * factor^t`` (:class:`online.reward.steps.Decay`); by default those
        of the experiments (Table 1), for which (14) is not proven.
    start : {"shares", "zero"}
        ``y(1)``: every port's proportional share of every server, or nothing. The shares are
        feasible and need no knowledge of the arrivals; of its own initial solution, the paper says
        only that it is well designed.

    Attributes
    ----------
    path : GradientPath
        Moves of the run so far.
    """

    name = "ogasched"

    def __init__(
        self, initial: float = 25.0, factor: float = 0.9999, *, start: Start = "shares"
    ) -> None:
        if start not in ("shares", "zero"):
            raise ValueError(f"start '{start}' is not 'shares' or 'zero'")
        self.rule: StepRule = Decay(initial, factor)
        self.start = start

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start from y(1)."""
        self._cluster = public
        self._layout = Layout.of(public)
        self.rule.reset(public)
        shares = self.start == "shares"
        self._y = proportional_shares(public) if shares else np.zeros(public.shape)
        self._rise = np.zeros(public.shape)
        self._rounded = np.empty(public.shape if public.has_gangs else (0, 0))
        self.path = GradientPath(self._y.copy(), np.zeros(public.shape))

    def step(self, event: RewardEvent) -> Decision:
        """Commit an allocation; then learn from the arrivals."""
        if isinstance(event, Commit):
            return self._commit()
        cluster = self._cluster
        active = cluster.active(event.arrived)
        square = gradient(
            self._y, active, cluster.kind, cluster.alpha, cluster.beta, self._layout, self._rise
        )
        eta = self.rule.size(event.slot, square)
        along = ascend(self._y, self._rise, eta, active, self._layout, self.path.moves)
        self.path.along += along
        self.path.squares += eta * eta * square
        project(self._y, cluster.upper, cluster.capacities, cluster.server_start)
        return Decision(info={"step": eta, "gradient_square": square})

    def _commit(self) -> Decision:
        cluster = self._cluster
        if not cluster.has_gangs:
            return Decision(allocation=self._y)
        self._rounded[:] = self._y
        free = cluster.capacities.copy()
        np.subtract.at(free, cluster.server, self._y)
        request = cluster.lane_request
        dropped = complete_gangs(self._y, self._rounded, free, request, self._layout)
        return Decision(allocation=self._rounded, info={"gangs_dropped": dropped})


class OGASchedConstant(OGASched):
    """OGASched with the constant step ``D / (G sqrt T)``, for which (14) is proven."""

    name = "ogasched-constant"

    def __init__(self, *, start: Start = "shares") -> None:
        super().__init__(start=start)
        self.rule = Constant()


class OGASchedLiteral(OGASched):
    """OGASched with the step (26) as printed, divided by the gradient of the slot; no guarantee."""

    name = "ogasched-literal"

    def __init__(self, *, start: Start = "shares") -> None:
        super().__init__(start=start)
        self.rule = LiteralStep()


class OGASchedAdaptive(OGASched):
    """OGASched with AdaGrad's step, which adapts to the gradients seen; not in the paper."""

    name = "ogasched-adaptive"

    def __init__(self, *, start: Start = "shares") -> None:
        super().__init__(start=start)
        self.rule = Adaptive()
