"""Optimistic gradient ascent: steps ahead along the gradient that it expects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from models.reward.instance import Cluster
from online.reward.learner import Learner, Start
from online.reward.steps import step_rule

__all__ = ["Optimistic"]


class Optimistic(Learner):
    """``w(t + 1) = Proj(w(t) + eta_t g(t))`` learns, ``Proj(w(t + 1) + eta_t g(t))`` is committed.

    Rakhlin, Sridharan: "Online Learning with Predictable Sequences", COLT 2013, with the gradient
    of the last slot as the prediction of the next. Where gradients change little, the regret is
    small: with a constant eta at most ``D^2 / (2 eta) + eta / 2 sum_t |g(t) - g(t - 1)|^2``. Not in
    the paper.

    Parameters
    ----------
    rule : {"adaptive", "constant", "decay"}
        Steps ``eta_t`` (:mod:`online.reward.steps`); the adaptive one goes by
        ``|g(t) - g(t - 1)|^2``.
    start : {"shares", "zero"}
        ``w(1) = y(1)``.
    """

    name = "optimistic"

    def __init__(self, *, rule: str = "adaptive", start: Start = "shares") -> None:
        super().__init__(start=start)
        self.rule = step_rule(rule)

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start from y(1), and expect nothing."""
        super().reset(public, rng)
        self.rule.reset(public)
        self._w = self._y.copy()
        self._last = np.zeros(public.shape)

    def learn(self, slot: int, active: np.ndarray, square: float) -> Mapping[str, Any]:
        """A step of w, and from there one ahead."""
        surprise = self._rise - self._last
        eta = self.rule.size(slot, float(np.vdot(surprise, surprise)))
        self._w += eta * self._rise
        self.project(self._w)
        self._last[:] = self._rise
        self.project(self._w + eta * self._last, self._y)
        return {"step": eta, "gradient_square": square}
