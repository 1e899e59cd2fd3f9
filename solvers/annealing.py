"""Simulated annealing over schedules made of columns, one for each job."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

__all__ = ["Search", "accepts", "anneal"]

_STALE = 20  # rounds of so many moves as there are jobs without a better schedule: go back to it


class Search(Protocol):
    """The present schedule, and moves from it."""

    @property
    def value(self) -> float:
        """Worth of the present schedule, the larger the better."""

    @property
    def columns(self) -> dict[int, Any]:
        """The present schedule, by job."""

    def renew(self, columns: Mapping[int, Any]) -> None:
        """Go to another schedule."""

    def move(self, heat: float) -> None:
        """Change the schedule; ``heat``, from 1 to 0, is how much may be lost."""


def anneal(
    search: Search,
    jobs: int,
    *,
    iterations: int,
    began: float,
    deadline: float = math.inf,
    target: float = math.inf,
) -> tuple[dict[int, Any], bool]:
    """Make moves from the present schedule, and return the best one met.

    Parameters
    ----------
    search : Search
    jobs : int
        That moves choose from.
    iterations : int
        Moves.
    began, deadline : float
        ``time.monotonic()`` from which the heat falls, and at which to stop.
    target : float
        Worth at which to stop.

    Returns
    -------
    columns : dict
    timed : bool
        Whether the clock played a part. It does where time runs out sooner than moves do: the
        search cools down faster, and may end.
    """
    best, value, better_at = dict(search.columns), search.value, 0
    timed = time.monotonic() >= deadline
    for step in range(iterations if jobs else 0):
        now = time.monotonic()
        if value >= target or now >= deadline:
            break
        used, cooled = (now - began) / (deadline - began), step / iterations
        if used > (step + 1) / iterations:
            cooled, timed = used, True
        search.move(1.0 - cooled)
        if search.value > value + 1e-12 * abs(value):
            best, value, better_at = dict(search.columns), search.value, step
        elif step - better_at > _STALE * jobs:
            search.renew(best)
            better_at = step
    return best, timed or time.monotonic() >= deadline


def accepts(loss: float, limit: float, rng: np.random.Generator) -> bool:
    """Whether a move that loses so much stands: always if nothing, else by ``exp(-loss / limit)``.

    Metropolis et al. 1953; a random number is drawn only where both are positive.
    """
    return loss <= 0.0 or (limit > 0.0 and rng.random() < math.exp(-loss / limit))
