"""Step sizes of gradient ascent."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

from models.errors import InputError
from models.reward.instance import Cluster
from online.reward.theory import diameter, gradient_bound

__all__ = ["Adaptive", "Constant", "Decay", "Literal", "StepRule", "step_rule"]


class StepRule(ABC):
    """How far to go along a gradient."""

    @abstractmethod
    def reset(self, cluster: Cluster) -> None:
        """Start a run."""

    @abstractmethod
    def size(self, slot: int, square: float) -> float:
        """Step ``eta`` in a slot whose gradient has this squared norm, at least 0."""


class Constant(StepRule):
    """``eta = D / (G sqrt T)`` in every slot, with D of (25) and G of (22).

    The one rule for which the regret bound (14) is a theorem.
    """

    def reset(self, cluster: Cluster) -> None:
        """Compute the step from the public constants."""
        most = gradient_bound(cluster)
        self._step = diameter(cluster) / (most * math.sqrt(cluster.slots)) if most > 0.0 else 0.0

    def size(self, slot: int, square: float) -> float:
        """The same step in every slot."""
        return self._step


class Decay(StepRule):
    """``eta = initial * factor^t`` in slot t = 0, 1, ...: the rule of the experiments, Table 1.

    Parameters
    ----------
    initial : float
        ``eta_0``, positive.
    factor : float
        Positive; 1 or more means that steps do not shrink.
    """

    def __init__(self, initial: float = 25.0, factor: float = 0.9999) -> None:
        if not (0.0 < initial < math.inf and 0.0 < factor < math.inf):
            raise ValueError(f"steps {initial} * {factor}^t are not positive numbers")
        self.initial = initial
        self.factor = factor

    def reset(self, cluster: Cluster) -> None:
        """Nothing is computed from the cluster."""

    def size(self, slot: int, square: float) -> float:
        """Step that shrinks by the factor from slot to slot."""
        return self.initial * self.factor**slot


class Literal(StepRule):
    """``eta_t = D / (|g_t| sqrt T)``: (26) as it is printed, with the gradient of the slot.

    The size of the gradient cancels out, every step has the length ``D / sqrt T``, and neither
    the proof of Theorem 1 nor its bound applies.
    """

    def reset(self, cluster: Cluster) -> None:
        """Compute the length of a step."""
        self._length = diameter(cluster) / math.sqrt(cluster.slots)

    def size(self, slot: int, square: float) -> float:
        """Step of a fixed length; 0 where the gradient is 0."""
        return self._length / math.sqrt(square) if square > 0.0 else 0.0


class Adaptive(StepRule):
    """``eta_t = D / sqrt(2 sum_{s <= t} |g_s|^2)``: AdaGrad's rule with one step for all.

    Streeter, McMahan: "Less Regret via Online Conditioning", 2010. It needs neither the horizon
    nor G. The regret is at most ``D sqrt(2 sum_t |g_t|^2)``: never above ``sqrt 2`` times (14), and
    less where gradients are small.
    """

    def reset(self, cluster: Cluster) -> None:
        """Forget the gradients."""
        self._diameter = diameter(cluster)
        self._squares = 0.0

    def size(self, slot: int, square: float) -> float:
        """Step that shrinks with every gradient seen."""
        self._squares += square
        return self._diameter / math.sqrt(2.0 * self._squares) if self._squares > 0.0 else 0.0


def step_rule(name: str) -> StepRule:
    """A new rule with its defaults: ``adaptive``, ``constant`` or ``decay``; else InputError."""
    rules: dict[str, type[StepRule]] = {"adaptive": Adaptive, "constant": Constant, "decay": Decay}
    if name not in rules:
        raise InputError(f"step rule '{name}': choose from {', '.join(rules)}")
    return rules[name]()
