"""AdaGrad: gradient ascent with a step of its own for every channel and device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from models.reward.instance import Cluster
from models.reward.utilities import slope_at_zero
from online.reward.learner import Learner
from solvers.reward.projection import project_weighted

__all__ = ["AdaGrad"]


class AdaGrad(Learner):
    """``y(t + 1) = Proj(y(t) + g(t) * range / sqrt(2 sum_{s <= t} g(s)^2))``, by coordinates.

    Duchi, Hazan, Singer: "Adaptive Subgradient Methods for Online Learning and Stochastic
    Optimization", JMLR 2011; Streeter, McMahan: "Less Regret via Online Conditioning", 2010, whose
    step this is, with the range of a coordinate ``min(a_l^k, c_r^k)``. As there, the projection
    weighs a coordinate by one over its step; with the Euclidean one the best decision would not be
    where the policy comes to rest. Ports with few jobs keep long steps. It needs neither the
    horizon nor G. Not in the paper.
    """

    name = "adagrad"

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Forget the gradients."""
        super().reset(public, rng)
        self._range = np.minimum(public.upper, public.capacities[public.server])
        self._squares = np.zeros(public.shape)
        # Who has not been seen gives way as if by the steepest gradient that it can have.
        steepest = slope_at_zero(public.kind, public.alpha)[public.server]
        self._unseen = np.where(steepest > 0.0, steepest, 1.0) ** 2

    def learn(self, slot: int, active: np.ndarray, square: float) -> Mapping[str, Any]:
        """One step, projected."""
        cluster = self._cluster
        self._squares += self._rise**2
        squares = np.where(self._squares > 0.0, self._squares, self._unseen)
        pace = self._range / np.sqrt(2.0 * squares)
        self._y += pace * self._rise
        limits = cluster.upper, cluster.capacities, cluster.server_start
        project_weighted(self._y, pace, *limits)
        return {"gradient_square": square}
