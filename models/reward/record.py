"""Decisions on their way into a schedule: scored as they come, kept while they fit."""

from __future__ import annotations

import numpy as np

from models.errors import InputError
from models.reward.instance import RewardInstance
from models.reward.schedule import MOST_BYTES, RewardSchedule
from models.reward.score import ScoreStream
from models.scoring import Violation

__all__ = ["Recorder"]


class Recorder:
    """Takes one allocation after the other and makes a schedule of them.

    Parameters
    ----------
    instance : RewardInstance
    most_bytes : int, optional
        Allocations that take more together are dropped, see :class:`RewardSchedule`.

    Attributes
    ----------
    scorer : ScoreStream
        What the allocations were worth so far.
    """

    def __init__(self, instance: RewardInstance, *, most_bytes: int = MOST_BYTES) -> None:
        self.scorer = ScoreStream(instance)
        self._instance = instance
        channels, devices = instance.cluster.shape
        rows = min(instance.cluster.slots, most_bytes // max(1, 8 * channels * devices))
        # The memory is only taken up as rows are written.
        self._kept: np.ndarray | None = np.empty((rows, channels, devices))
        self._starts: list[int] = []
        self._slot = 0

    def add(self, y: np.ndarray) -> list[Violation]:
        """Score and keep the allocation of the next slot.

        Parameters
        ----------
        y : ndarray, shape (C, K)
            Copied if it is kept.

        Returns
        -------
        list of Violation
            What it breaks; see :meth:`ScoreStream.add`.
        """
        slot = self._slot
        violations = self.scorer.add(slot, y)
        self._slot += 1
        if self._kept is not None:
            count = len(self._starts)
            if count == 0 or not np.array_equal(self._kept[count - 1], y):
                if count == len(self._kept):
                    self._kept = None
                else:
                    self._kept[count] = y
                    self._starts.append(slot)
        return violations

    def schedule(self) -> RewardSchedule:
        """The schedule of all that was added.

        Raises
        ------
        InputError
            If slots are still to come.
        """
        slots = self._instance.cluster.slots
        if self._slot < slots:
            raise InputError(f"only {self._slot} of {slots} slots have an allocation")
        if self._kept is None:
            rewards = self.scorer.rewards
            rewards.setflags(write=False)
            none = np.zeros(0, dtype=np.int64)
            result = self.scorer.result()
            return RewardSchedule(self._instance.hash, none, None, result, rewards)
        kept = self._kept[: len(self._starts)]
        return RewardSchedule.build(self._instance, self._starts, kept)
