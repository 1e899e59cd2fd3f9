"""The scorer of the ``reward`` problem: (3), (4) and the accumulated reward, slot by slot.

It judges every decision, offline and online, and shares no code with what it judges. That a job
is only served along the edges of the graph needs no check: an allocation has no other entries.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from models.errors import InputError
from models.instance import check_made_for
from models.reward.instance import Cluster, RewardInstance
from models.reward.reward import RewardFunction
from models.reward.schedule import RewardSchedule
from models.scoring import Score, Violation

__all__ = ["ScoreStream", "score", "stream"]

_TOLERANCE = 1e-9  # relative to max(1, right-hand side)
_MOST_VIOLATIONS = 1000  # named one by one; the others are counted
_MOST_AMOUNT = 1e18  # sums of more may overflow


class ScoreStream:
    """Scores decisions as they come, without keeping them.

    Parameters
    ----------
    instance : RewardInstance

    Attributes
    ----------
    gain, penalty : ndarray, shape (T,)
        The two parts of (5) summed over the jobs of each slot, 0 where nothing was added yet.
    """

    def __init__(self, instance: RewardInstance) -> None:
        cluster = instance.cluster
        self._instance = instance
        self._reward = RewardFunction(cluster)
        self._first_job = np.concatenate([[0], np.cumsum(instance.arrivals.sum(axis=1))])
        self._next = 0
        self._most = cluster.upper + _TOLERANCE * np.maximum(1.0, cluster.upper)
        self._room = cluster.capacities + _TOLERANCE * np.maximum(1.0, cluster.capacities)
        self._busy = np.flatnonzero(np.diff(cluster.server_start))  # servers with channels
        self._violations: list[Violation] = []
        self._broken = 0
        self._value = np.zeros(self._first_job[-1])
        self._completion = np.full(self._first_job[-1], -1, dtype=np.int64)
        self.gain = np.zeros(cluster.slots)
        self.penalty = np.zeros(cluster.slots)

    @property
    def rewards(self) -> np.ndarray:
        """``q(x(t), y(t))`` of each slot, shape (T,)."""
        return self.gain - self.penalty

    def add(self, slot: int, y: np.ndarray, stop: int | None = None) -> list[Violation]:
        """Score the allocation of one slot, or of the slots before ``stop``.

        Slots that are left out have no allocation.

        Parameters
        ----------
        slot : int
            After all slots added before.
        y : ndarray of float64, shape (C, K)
        stop : int, optional
            Default: ``slot + 1``.

        Returns
        -------
        list of Violation
            What is broken here, at most 1000 of each constraint.

        Raises
        ------
        InputError
            If the slot is not one of those to come, or the allocation has another shape.
        """
        cluster = self._instance.cluster
        stop = slot + 1 if stop is None else stop
        if not self._next <= slot < stop <= cluster.slots:
            raise InputError(f"slots {slot} to {stop - 1} are not to come before {cluster.slots}")
        y = np.asarray(y, dtype=float)
        if y.shape != cluster.shape:
            raise InputError(f"allocation of shape {y.shape}, not {cluster.shape}")
        self._next = stop
        used = self._used(y)
        # Written so that NaN fails.
        over = ~((y >= -_TOLERANCE) & (y <= self._most))
        full = ~(used <= self._room)
        found = [
            *self._named(over, lambda c, k: self._constraint_3(slot, y, c, k)),
            *self._named(full, lambda r, k: self._constraint_4(slot, used, r, k)),
        ]
        self._collect(_finite(y) if found else y, slot, stop)
        return found

    def _used(self, y: np.ndarray) -> np.ndarray:
        """Left side of (4), shape (R, K); what is below 0, within tolerance, counts as 0."""
        cluster = self._instance.cluster
        used = np.zeros_like(cluster.capacities)
        if len(y):
            with np.errstate(invalid="ignore", over="ignore"):
                start = cluster.server_start[self._busy]
                used[self._busy] = np.add.reduceat(np.maximum(y, 0.0), start, axis=0)
        return used

    def _collect(self, y: np.ndarray, slot: int, stop: int) -> None:
        instance = self._instance
        parts = self._reward(y)
        reward = parts.reward
        for t in range(slot, stop):
            active = instance.cluster.active(instance.arrivals[t])
            jobs = slice(self._first_job[t], self._first_job[t + 1])
            self._value[jobs] = reward[active]
            self._completion[jobs] = np.where(parts.served[active], t, -1)
            self.gain[t] = parts.gain[active].sum()
            self.penalty[t] = parts.penalty[active].sum()

    def _named(self, broken: np.ndarray, name: Callable[[int, int], Violation]) -> list[Violation]:
        if not broken.any():  # much cheaper than to look for the places
            return []
        places = np.argwhere(broken)
        named = [name(*place) for place in places[:_MOST_VIOLATIONS].tolist()]
        self._violations += named[: _MOST_VIOLATIONS - len(self._violations)]
        self._broken += len(places)
        return named

    def _constraint_3(self, slot: int, y: np.ndarray, c: int, k: int) -> Violation:
        cluster = self._instance.cluster
        server = int(cluster.server[c])
        message = (
            f"{_lane_name(cluster, int(cluster.lane[c]))} is allocated {y[c, k]:.9g} "
            f"{cluster.devices[k]} on server {server} in slot {slot}, not 0 to "
            f"{cluster.upper[c, k]:.9g}"
        )
        return Violation("(3)", message, None, slot, server)

    def _constraint_4(self, slot: int, used: np.ndarray, r: int, k: int) -> Violation:
        cluster = self._instance.cluster
        message = (
            f"server {r} allocates {used[r, k]:.9g} of {cluster.capacities[r, k]:.9g} "
            f"{cluster.devices[k]} in slot {slot}"
        )
        return Violation("(4)", message, None, slot, r)

    def result(self) -> Score:
        """The score of all that was added.

        The jobs (t, l, j) stand in this order. A job completes in its slot if it is allocated
        anything and, under a gang rule, enough of its components run.
        """
        violations = list(self._violations)
        if unnamed := self._broken - len(violations):
            violations.append(Violation("(3), (4)", f"{unnamed} more are not named here"))
        value, completion = self._value.copy(), self._completion.copy()
        return Score(float(self.rewards.sum()), tuple(violations), completion, value)


def stream(instance: RewardInstance, schedule: RewardSchedule) -> ScoreStream:
    """Run a schedule through the scorer: for the parts of the reward, slot by slot.

    Raises
    ------
    InputError
        If the schedule belongs to another instance, or was kept without its allocations.
    """
    _check_owner(instance, schedule)
    if schedule.allocations is None:
        raise InputError("the allocations of this schedule were too large to keep")
    scorer = ScoreStream(instance)
    stops = [*schedule.starts.tolist()[1:], instance.cluster.slots]
    for slot, stop, y in zip(schedule.starts.tolist(), stops, schedule.allocations, strict=True):
        scorer.add(slot, y, stop)
    return scorer


def score(instance: RewardInstance, schedule: RewardSchedule) -> Score:
    """Accumulated reward Q and every violation of (3) and (4).

    Parameters
    ----------
    instance : RewardInstance
    schedule : RewardSchedule
        Must belong to the instance. Without allocations, it carries the score that this scorer
        gave them as they came.

    Returns
    -------
    Score
        With one entry per job (t, l, j), in this order. An allocation that holds in several
        slots is named with its first.

    Raises
    ------
    InputError
        If the schedule belongs to another instance.
    """
    _check_owner(instance, schedule)
    if schedule.streamed is not None:
        return schedule.streamed
    return stream(instance, schedule).result()


def _finite(y: np.ndarray) -> np.ndarray:
    """What an allocation that breaks constraints counts for: no number for nothing."""
    return np.minimum(np.nan_to_num(y, posinf=0.0, neginf=0.0), _MOST_AMOUNT)


def _check_owner(instance: RewardInstance, schedule: RewardSchedule) -> None:
    check_made_for(instance, schedule.instance_hash, "schedule")


def _lane_name(cluster: Cluster, lane: int) -> str:
    port, copy = int(cluster.lane_port[lane]), int(cluster.lane_copy[lane])
    name = f"port {port}"
    if cluster.copies[port] > 1:
        name += f", job {cluster.copy_number[copy]}"
    if (cluster.lane_copy == copy).sum() > 1:
        name += f", component {cluster.lane_component[lane]}"
    return name
