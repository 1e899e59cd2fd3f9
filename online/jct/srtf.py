"""SRTF: the shortest remaining time first."""

from __future__ import annotations

from typing import ClassVar

from online.jct.gang import Gang
from online.jct.gangs import GangPolicy

__all__ = ["SRTF"]


class SRTF(GangPolicy):
    """Jobs in the order of their remaining training time (paper, Sec. V-A, reference [16]).

    The remaining time is the work left over the workers that the job asks for. How workers are
    given and taken: :class:`online.jct.gangs.GangPolicy`.
    """

    name: ClassVar[str] = "srtf"

    def priority(self, gang: Gang) -> tuple[float, ...]:
        """Remaining time in slots."""
        return (gang.work / gang.need,)
