"""OGASched: online gradient ascent with exact projection (Alg. 1, Definition 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from models.reward.instance import Cluster
from online.reward.gradient import ascend
from online.reward.learner import Learner, Start
from online.reward.steps import Adaptive, Constant, Decay, Literal, StepRule
from online.reward.theory import GradientPath

__all__ = ["OGASched", "OGASchedAdaptive", "OGASchedConstant", "OGASchedLiteral"]


class OGASched(Learner):
    """Commit y(t) before x(t) is seen, then move along the gradient of the slot's reward.

    ``y(t + 1) = Proj(y(t) + eta_t grad q(x(t), y(t)))``, (11), with the gradient (9) of the jobs
    that came and the exact Euclidean projection on (3) and (4)
    (:mod:`solvers.reward.projection`). Several jobs per port, and gangs:
    :class:`~online.reward.learner.Learner`; (14) bounds the regret of w(t) without the gang rule.

    Parameters
    ----------
    initial, factor : float
        Of the steps ``initial * factor^t`` (:class:`online.reward.steps.Decay`); by default those
        of the experiments (Table 1), for which (14) is not proven.
    start : {"shares", "zero"}
        ``y(1)``, see :class:`~online.reward.learner.Learner`.

    Attributes
    ----------
    path : GradientPath
        Moves of the run so far.
    """

    name = "ogasched"

    def __init__(
        self, initial: float = 25.0, factor: float = 0.9999, *, start: Start = "shares"
    ) -> None:
        super().__init__(start=start)
        self.rule: StepRule = Decay(initial, factor)

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start from y(1)."""
        super().reset(public, rng)
        self.rule.reset(public)
        self.path = GradientPath(self._y.copy(), np.zeros(public.shape))

    def learn(self, slot: int, active: np.ndarray, square: float) -> Mapping[str, Any]:
        """One step, projected."""
        eta = self.rule.size(slot, square)
        along = ascend(self._y, self._rise, eta, active, self._layout, self.path.moves)
        self.path.along += along
        self.path.squares += eta * eta * square
        self.project(self._y)
        return {"step": eta, "gradient_square": square}


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
        self.rule = Literal()


class OGASchedAdaptive(OGASched):
    """OGASched with AdaGrad's step, which adapts to the gradients seen; not in the paper."""

    name = "ogasched-adaptive"

    def __init__(self, *, start: Start = "shares") -> None:
        super().__init__(start=start)
        self.rule = Adaptive()
