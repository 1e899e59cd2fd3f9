"""What comes by, and what has been kept of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from online.policy import Decision
from online.run import InfeasibleDecision
from toyproblem.models import Kept, ToyInstance


@dataclass(frozen=True)
class Thing:
    """A thing comes by."""

    slot: int
    worth: float
    kind: ClassVar[str] = "thing"
    job_id: ClassVar[None] = None
    label: ClassVar[str] = kind


class ToyWorld:
    """A decision with a plan, whatever it is, keeps the thing that comes by."""

    def __init__(self, instance: ToyInstance) -> None:
        self.public, self._worth = instance.file.room, instance.file.worth
        self._kept: list[int] = []
        self._slot = 0

    def events(self) -> Iterator[Thing]:
        for slot, worth in enumerate(self._worth):
            self._slot = slot
            yield Thing(slot, worth)

    def apply(self, decision: Decision) -> Mapping[str, Any]:
        if decision.plans:
            if len(self._kept) == self.public:
                raise InfeasibleDecision("(1) there is no more room")
            self._kept.append(self._slot)
        return {"keeps": bool(decision.plans)}

    def schedule(self) -> Kept:
        return Kept(tuple(self._kept))
