"""First come, first kept."""

from __future__ import annotations

import numpy as np

from online.policy import Decision, Policy
from toyproblem.online.world import Thing


class First(Policy):
    """Keeps whatever comes while there is room."""

    name = "first"

    def reset(self, public: int, rng: np.random.Generator) -> None:
        self._left = public

    def step(self, event: Thing) -> Decision:
        self._left -= 1
        return Decision({event.slot: "keep"} if self._left >= 0 else {})
