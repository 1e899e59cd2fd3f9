"""Ports, at which jobs of a type arrive: servers that they reach, and patterns of arrivals.

Patterns are stochastic, or sequences made to be hard to learn. A pattern takes ``(T, L, m)``, the
numbers of slots, of ports, and of jobs that may come to a port in a slot; the probability of each
of these; and a generator. It gives the number of jobs of every slot and port, shape (T, L).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

__all__ = ["PATTERNS", "Pattern", "draw_edges"]

Shape = tuple[int, int, int]
Pattern = Callable[[Shape, float, np.random.Generator], np.ndarray]
_Turn = Callable[[int, np.random.Generator], np.ndarray]

_WINDOW = 0.25  # share of the ports that are busy at a time in `drifting`
_STAY = 0.95  # probability that a port stays busy, or idle, for another slot in `bursty`


def _bernoulli(shape: Shape, probability: float, rng: np.random.Generator) -> np.ndarray:
    """Each of the possible jobs arrives with the probability, on its own.

    A shorter horizon with the same seed has the first slots of a longer one.
    """
    return (rng.random(shape) < probability).sum(axis=2)


def _bursty(shape: Shape, probability: float, rng: np.random.Generator) -> np.ndarray:
    """Ports go on and off, 20 slots in the mean; a busy port has jobs as in `bernoulli`.

    A port is busy half of the time, so the rate is half of that of `bernoulli`.
    """
    slots, ports, most = shape
    uniform = rng.random((slots, ports, 1 + most))
    flips = uniform[..., 0] >= _STAY
    flips[0] = uniform[0, :, 0] >= 0.5
    busy = flips.cumsum(axis=0) % 2
    return (uniform[..., 1:] < probability).sum(axis=2) * busy


def _halves(turn: _Turn, shape: Shape, probability: float, rng: np.random.Generator) -> np.ndarray:
    """In every slot the even ports, where it is turn 0, or the odd ones."""
    slots, ports, most = shape
    side = np.arange(ports) % 2
    return (side[None, :] == turn(slots, rng)[:, None]) * most


def _drifting(shape: Shape, probability: float, rng: np.random.Generator) -> np.ndarray:
    """A quarter of the ports, next to each other, is busy at a time; it goes round once.

    A fixed decision serves all of them at once; a policy that follows the drift can beat it, and
    then has negative regret.
    """
    slots, ports, most = shape
    first = np.arange(slots) * ports // slots
    behind = (np.arange(ports)[None, :] - first[:, None]) % ports
    return (behind < max(1, round(_WINDOW * ports))) * most


PATTERNS: dict[str, Pattern] = {
    "bernoulli": _bernoulli,
    "bursty": _bursty,
    # Whatever is decided for one half of the ports is of no use in the next slot; the best fixed
    # decision shares every server between the halves.
    "alternating": partial(_halves, lambda slots, rng: np.arange(slots) % 2),
    # A switch every ceil(sqrt(T)) slots is long enough for a learner to lean to one half, just
    # when the other's turn comes.
    "switching": partial(
        _halves, lambda slots, rng: np.arange(slots) // math.ceil(math.sqrt(slots)) % 2
    ),
    # The classic lower bound: nothing can be learned from a fair coin, and the best fixed decision
    # in hindsight profits from the excess of one side, which is of the order of sqrt(T).
    "coin": partial(_halves, lambda slots, rng: rng.integers(0, 2, size=slots)),
    "drifting": _drifting,
}


def draw_edges(
    ports: int, servers: int, rng: np.random.Generator, *, edges: int, most: int
) -> np.ndarray:
    """Draw a graph of ports and servers.

    Every server and every port gets one edge first, evenly: the i-th of ``max(|L|, |R|)`` edges
    joins the i-th port and the i-th server of two random orders, which are gone round as often as
    needed. The others are drawn uniformly from the pairs left, as far as ``most`` allows; a server
    then has about as many ports as a throw of dice gives it, not all the same number.

    Parameters
    ----------
    edges : int
        How many, at least ``max(|L|, |R|)``.
    most : int
        Most ports of a server, at least ``edges / |R|``.

    Returns
    -------
    ndarray of int64, shape (edges, 2)
        Pairs (port, server), sorted.
    """
    first = np.arange(max(ports, servers))
    port = rng.permutation(ports)[first % ports]
    server = rng.permutation(servers)[first % servers]
    key = rng.random((servers, ports))
    key[server, port] -= 1.0  # before all others
    # Taking pairs by ascending key, leaving out those at a full server, is to take for every
    # server its lowest keys only, and of these the lowest of all.
    order = np.argsort(key, axis=1)[:, :most]
    lowest = np.take_along_axis(key, order, axis=1).ravel()
    chosen = np.argsort(lowest, kind="stable")[:edges]
    found = np.column_stack([order.ravel()[chosen], chosen // most])
    return found[np.lexsort((found[:, 1], found[:, 0]))].astype(np.int64)
