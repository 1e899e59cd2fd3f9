"""The ``reward`` problem as it unfolds: every slot is decided before or after its arrivals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from models.reward.instance import Cluster, RewardInstance
from models.reward.record import Recorder
from models.reward.schedule import RewardSchedule
from models.sealing import sealed
from online.policy import Decision
from online.reward.events import Commit, Reveal, RewardEvent
from online.run import InfeasibleDecision

__all__ = ["RewardWorld"]


class RewardWorld:
    """Holds the arrivals, and hands every allocation to the scorer at once.

    What is public tells of the arrivals how many jobs a port has in a slot at most (``copies``).

    An allocation is scored (and copied, if it is kept) before the policy gets its next event,
    so it cannot be changed after the arrivals are known. The scorer's own rule says
    whether it is feasible. A slot for which nothing is allocated counts 0.

    Rows record ``committed``: whether the slot was decided before its arrivals were known. Those
    of the second event also record ``gain`` and ``penalty``, the two parts of the slot's reward.
    """

    def __init__(self, instance: RewardInstance) -> None:
        # A copy of the shell; the arrays inside are sealed.
        self.public: Cluster = replace(instance.cluster)
        self._arrivals = instance.arrivals
        self._recorder = Recorder(instance)
        self._nothing = sealed(np.zeros(instance.cluster.shape))
        self._slot = 0
        self._revealed = False
        self._committed = False

    def events(self) -> Iterator[RewardEvent]:
        """Two events for every slot."""
        for slot in range(self.public.slots):
            self._slot, self._revealed, self._committed = slot, False, False
            yield Commit(slot)
            self._revealed = True
            yield Reveal(slot, sealed(self._arrivals[slot]))

    def apply(self, decision: Decision) -> Mapping[str, Any]:
        """Score the allocation of the slot, if this decision has it."""
        if decision.plans:
            raise InfeasibleDecision("`plans` are not for this problem: slots have an `allocation`")
        if decision.wake_at is not None:
            raise InfeasibleDecision("`wake_at` is not for this problem: every slot has events")
        allocation = decision.allocation
        if allocation is not None:
            if self._committed:
                raise InfeasibleDecision(
                    "the allocation of this slot was committed before its arrivals were known"
                )
            self._take(allocation)
        if not self._revealed:
            self._committed = allocation is not None
            return {"committed": self._committed}
        if allocation is None and not self._committed:
            self._take(self._nothing)
        scorer = self._recorder.scorer
        return {
            "committed": self._committed,
            "gain": float(scorer.gain[self._slot]),
            "penalty": float(scorer.penalty[self._slot]),
        }

    def schedule(self) -> RewardSchedule:
        """What was allocated."""
        return self._recorder.schedule()

    def _take(self, allocation: Any) -> None:
        shape = self.public.shape
        if not isinstance(allocation, np.ndarray):
            raise InfeasibleDecision(f"`allocation` is no array but {type(allocation).__name__}")
        if allocation.dtype != np.float64 or allocation.shape != shape:
            raise InfeasibleDecision(
                f"`allocation` is of {allocation.dtype} and shape {allocation.shape}, not of "
                f"float64 and shape {shape} (channels, device types)"
            )
        violations = self._recorder.add(allocation)
        if violations:
            more = f" (and {len(violations) - 1} more)" if len(violations) > 1 else ""
            raise InfeasibleDecision(f"{violations[0]}{more}")
