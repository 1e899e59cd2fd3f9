"""The reward (5): gains of the devices minus the dominant communication overhead."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.reward.instance import Cluster
from models.reward.utilities import VALUES

__all__ = ["CopyRewards", "RewardFunction", "slot_reward"]

_GANG_TOLERANCE = 1e-9  # of a component's request


@dataclass(frozen=True)
class CopyRewards:
    """What an allocation is worth to each copy of each port, if it has a job.

    Parameters
    ----------
    gain : ndarray, shape (M,)
        ``sum_k sum_r f_r^k(y)``, the first part of (5).
    penalty : ndarray, shape (M,)
        ``max_k beta_k sum_r y``, the second part of (5).
    served : ndarray of bool, shape (M,)
        Whether the copy is allocated anything and, under a gang rule, enough of its components
        run; if not, gain and penalty are 0.
    """

    gain: np.ndarray
    penalty: np.ndarray
    served: np.ndarray

    @property
    def reward(self) -> np.ndarray:
        """Gain minus penalty, shape (M,)."""
        return self.gain - self.penalty

    def masked(self, active: np.ndarray) -> CopyRewards:
        """The same with 0 for the copies that have no job; ``active`` bool, shape (M,)."""
        return CopyRewards(
            np.where(active, self.gain, 0.0),
            np.where(active, self.penalty, 0.0),
            self.served & active,
        )


class RewardFunction:
    """The reward (5) of a cluster, of many allocations one after the other.

    With several jobs per port (Sec. 3.4) every copy is judged for itself. With components
    (Sec. 3.5) sums go over all components of a copy; a component *runs* if ``sum_r y`` is at
    least its request of every device type, up to 1e-9 relative, and a copy of port l with fewer
    than ``m_l`` components running has gain and penalty 0: the job does not start.

    Parameters
    ----------
    cluster : Cluster
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        # Channels sorted by lane, so that sums over a lane go over neighbours.
        self._order = np.argsort(cluster.lane, kind="stable")
        self._lanes, self._first = np.unique(cluster.lane[self._order], return_index=True)
        server = cluster.server[self._order]
        kind, alpha = cluster.kind[server].ravel(), cluster.alpha[server].ravel()
        self._kinds = [
            (formula, places, alpha[places])
            for code, formula in enumerate(VALUES)
            if (places := np.flatnonzero(kind == code)).size
        ]
        self._y = np.empty(cluster.shape)
        self._values = np.empty(cluster.shape)
        self._copy_lane = np.searchsorted(cluster.lane_copy, np.arange(len(cluster.copy_port)))
        self._least = cluster.lane_request * (1.0 - _GANG_TOLERANCE)

    def __call__(self, y: np.ndarray) -> CopyRewards:
        """Gain and penalty of every copy.

        Parameters
        ----------
        y : ndarray, shape (C, K)
            Finite; what is below 0, within the scorer's tolerance, counts as 0.
        """
        cluster = self._cluster
        np.take(np.asarray(y, float), self._order, axis=0, out=self._y, mode="clip")
        np.maximum(self._y, 0.0, out=self._y)
        flat, values = self._y.ravel(), self._values.ravel()
        for formula, places, alpha in self._kinds:
            values[places] = formula(alpha, flat.take(places))
        per_lane = self._per_lane(self._y)
        total = np.add.reduceat(per_lane, self._copy_lane, axis=0)
        gain = np.add.reduceat(self._per_lane(self._values), self._copy_lane, axis=0).sum(axis=1)
        penalty = (cluster.beta * total).max(axis=1)
        served = np.any(total, axis=1)
        if cluster.has_gangs:
            running = (per_lane >= self._least).all(axis=1).astype(np.int64)
            count = np.add.reduceat(running, self._copy_lane)
            starts = count >= cluster.minimum_running[cluster.copy_port]
            gain, penalty, served = gain * starts, penalty * starts, served & starts
        return CopyRewards(gain, penalty, served)

    def _per_lane(self, table: np.ndarray) -> np.ndarray:
        """Sums over the channels of each lane, shape (N, K); 0 for a lane without channels."""
        sums = np.zeros((len(self._cluster.lane_port), table.shape[1]))
        if len(table):
            sums[self._lanes] = np.add.reduceat(table, self._first, axis=0)
        return sums


def slot_reward(cluster: Cluster, y: np.ndarray, arrived: np.ndarray) -> tuple[float, CopyRewards]:
    """Reward ``q(x(t), y(t))`` of one slot, (5).

    Parameters
    ----------
    cluster : Cluster
    y : ndarray, shape (C, K)
        Allocation of the slot.
    arrived : ndarray of int, shape (L,)
        ``x_l(t)``, jobs at each port.

    Returns
    -------
    float
        The reward.
    CopyRewards
        Its parts; 0 for the copies that have no job.
    """
    parts = RewardFunction(cluster)(y).masked(cluster.active(arrived))
    return float(parts.reward.sum()), parts
