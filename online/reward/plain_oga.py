"""OGASched in plain NumPy: what :mod:`benchmarks.speed` holds the compiled policy against.

Written as one would write it for speed without a compiler: no loop over servers, ports or
devices. Channels stand in a table with as many places for every server as the fullest one needs.
"""

from __future__ import annotations

import numpy as np

from models.errors import InputError
from models.reward import Cluster
from models.reward.utilities import derivative
from online.policy import Decision, Event, Policy
from online.reward.events import Reveal
from online.reward.fairness import proportional_shares

__all__ = ["PlainOga", "project_padded"]


class PlainOga(Policy):
    """OGASched, (11), with steps ``25 * 0.9999^t`` and y(1) as the compiled policy has them."""

    name = "numpy-ogasched"

    def __init__(self, initial: float = 25.0, factor: float = 0.9999) -> None:
        self._initial = initial
        self._factor = factor

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Lay the channels out."""
        if public.has_gangs:
            raise InputError("gang scheduling has no plain version")
        self._cluster = public
        degree = np.diff(public.server_start)
        place = np.arange(len(public.server)) - public.server_start[public.server]
        self._place = (public.server, place)
        shape = (len(degree), int(degree.max(initial=0)), len(public.devices))
        self._upper = np.zeros(shape)
        self._upper[self._place] = public.upper
        self._channel_copy = public.lane_copy[public.lane]
        self._kind = public.kind[public.server]
        self._alpha = public.alpha[public.server]
        self._y = proportional_shares(public)

    def step(self, event: Event) -> Decision:
        """Commit to y(t); then, knowing x(t), move along the gradient and project."""
        if not isinstance(event, Reveal):
            return Decision(allocation=self._y)
        cluster = self._cluster
        active = cluster.active(event.arrived)[self._channel_copy]
        total = np.zeros((len(cluster.copy_port), len(cluster.devices)))
        np.add.at(total, self._channel_copy, self._y)
        dominant = np.argmax(cluster.beta * total, axis=1)[self._channel_copy]
        rise = derivative(self._kind, self._alpha, self._y)
        rise[np.arange(len(rise)), dominant] -= cluster.beta[dominant]
        step = self._initial * self._factor**event.slot
        z = np.full(self._upper.shape, -np.inf)
        z[self._place] = self._y + step * active[:, None] * rise
        self._y = project_padded(z, self._upper, cluster.capacities)[self._place]
        return Decision()


def project_padded(z: np.ndarray, upper: np.ndarray, capacity: np.ndarray) -> np.ndarray:
    """Project on ``{0 <= y <= upper, sum y <= capacity}``, exactly, for all (r, k) at once.

    The projection is ``clip(z - rho, 0, upper)`` with the least ``rho >= 0`` at which the sum
    fits. As rho falls from infinity, the sum rises, by 1 more for each entry from ``rho = z`` on
    and by 1 less from ``rho = z - upper`` on.

    ``z`` and ``upper`` have the shape (R, n, K), as the result has, with ``-inf`` and 0 at places
    that no channel has; ``capacity`` has the shape (R, K).
    """
    y = np.clip(z, 0.0, upper)
    r, k = np.nonzero(y.sum(axis=1) > capacity)
    if not len(r):
        return y
    z, upper, room = z[r, :, k], upper[r, :, k], capacity[r, k]
    z = np.where(np.isfinite(z), z, -1e300)
    breaks = np.concatenate([z, z - upper], axis=1)
    turns = np.concatenate([np.ones_like(z), -np.ones_like(z)], axis=1)
    rows, order = np.arange(len(r)), np.argsort(-breaks, axis=1, kind="stable")
    breaks = np.take_along_axis(breaks, order, axis=1)
    slope = np.cumsum(np.take_along_axis(turns, order, axis=1), axis=1)
    total = np.zeros_like(breaks)
    np.cumsum(slope[:, :-1] * -np.diff(breaks, axis=1), axis=1, out=total[:, 1:])
    reached = np.argmax(total >= room[:, None], axis=1)
    before = np.maximum(reached - 1, 0)
    rho = breaks[rows, before] - (room - total[rows, before]) / slope[rows, before]
    y[r, :, k] = np.clip(z - rho[:, None], 0.0, upper)
    return y
