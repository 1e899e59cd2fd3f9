"""FTRL: follow the regularised leader, with a quadratic regulariser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from models.reward.instance import Cluster
from online.reward.learner import Learner, Start
from online.reward.steps import step_rule

__all__ = ["FTRL"]


class FTRL(Learner):
    """``y(t + 1) = argmax_y sum_{s <= t} g(s) y - |y - y(1)|^2 / (2 eta_t)``, (3) and (4) kept.

    That is ``Proj(y(1) + eta_t sum_{s <= t} g(s))``: dual averaging, or lazy projection. Where
    gradient ascent forgets what the projection cuts off, all gradients count here. Shalev-Shwartz:
    "Online Learning and Online Convex Optimization", 2012, Sec. 2; Zinkevich, ICML 2003 (lazy
    projection). With the constant step of Theorem 1 the regret is at most (14). Not in the paper.

    Parameters
    ----------
    rule : {"adaptive", "constant", "decay"}
        Steps ``eta_t`` (:mod:`online.reward.steps`).
    start : {"shares", "zero"}
        ``y(1)``.
    """

    name = "ftrl"

    def __init__(self, *, rule: str = "adaptive", start: Start = "shares") -> None:
        super().__init__(start=start)
        self.rule = step_rule(rule)

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start from y(1)."""
        super().reset(public, rng)
        self.rule.reset(public)
        self._first = self._y.copy()
        self._sum = np.zeros(public.shape)

    def learn(self, slot: int, active: np.ndarray, square: float) -> Mapping[str, Any]:
        """The regularised leader of the slots so far."""
        eta = self.rule.size(slot, square)
        self._sum += self._rise
        self.project(self._first + eta * self._sum, self._y)
        return {"step": eta, "gradient_square": square}
