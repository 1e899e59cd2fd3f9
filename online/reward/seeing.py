"""OGASched in the order of its authors' code, which sees the arrivals before it allocates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from models.errors import InputError
from models.reward.instance import Cluster
from online.policy import Decision
from online.reward.events import Commit, RewardEvent
from online.reward.learner import Learner, Start
from online.reward.steps import Decay

__all__ = ["OGASchedSeeing"]


class OGASchedSeeing(Learner):
    """Sees x(t), moves along the gradient of this very slot, and only then allocates.

    Not the paper's Definition 2, where y(t) is made of x(1), ..., x(t - 1): like the heuristics, it
    uses what a policy that commits has to guess. It is what the authors' public code does
    (``anonymity-for-review/OGASched``, ``ogasched/oga/oga.py``: the gradient at x(t) in line 76,
    absent ports set to 0 in line 165, the reward of the same slot in line 173), with the exact
    projection in place of that code's, which breaks (3) and (4). Rows are never ``committed``, and
    tables of regret mark it by a star.

    Parameters
    ----------
    initial, factor : float
        Of the steps ``initial * factor^t``, as in :class:`~online.reward.oga.OGASched`.
    absent : {"zeroed", "kept", "arrived"}
        What becomes of ports without a job. ``"zeroed"``, the code's way: they are projected with
        the others, then lose everything, and begin from nothing when they come again. ``"kept"``:
        they keep what they have, which nobody uses. ``"arrived"``: the projection is over the ports
        that have a job alone, who have all capacity; the others' points stay as they were.
    start : {"shares", "zero"}
        What is there before the first step.
    """

    name = "ogasched-seeing"

    def __init__(
        self,
        initial: float = 25.0,
        factor: float = 0.9999,
        *,
        absent: Literal["zeroed", "kept", "arrived"] = "zeroed",
        start: Start = "shares",
    ) -> None:
        super().__init__(start=start)
        if absent not in ("zeroed", "kept", "arrived"):
            raise InputError(f"{self.name}: absent '{absent}' is not 'zeroed', 'kept' or 'arrived'")
        self.rule = Decay(initial, factor)
        self.absent = absent

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start from y(1)."""
        super().reset(public, rng)
        self._copy = public.lane_copy[public.lane]
        self._given = np.zeros(public.shape)

    def step(self, event: RewardEvent) -> Decision:
        """Wait for the arrivals; learn from them, then allocate."""
        if isinstance(event, Commit):
            return Decision()
        learned = super().step(event).info
        answer = self.rounded(self._given)
        return Decision(allocation=answer.allocation, info={**learned, **answer.info})

    def learn(self, slot: int, active: np.ndarray, square: float) -> Mapping[str, Any]:
        """One step; what is allocated after it."""
        eta = self.rule.size(slot, square)
        here = active[self._copy]
        self._y += eta * self._rise
        if self.absent == "arrived":
            # A channel at 0 takes no room, and stays at 0.
            self.project(np.where(here[:, None], self._y, 0.0), self._given)
            self._y[here] = self._given[here]
        else:
            self.project(self._y)
            if self.absent == "zeroed":
                self._y[~here] = 0.0
            self._given[:] = self._y
        return {"step": eta, "gradient_square": square}
