"""Interior point method for the weighted reward: Newton's method over the multipliers.

The program couples the servers only by the penalties, one row per block and device. Eliminating
the allocation, server by server, leaves for every device k a system ``S_k dz_k + dt = g_k`` of
the size of the number M of blocks, and ``sum_k dz_k = r`` ties these: K factorisations of M x M
matrices per iteration, however many servers there are, and however many copies a block has. Steps
are Mehrotra's predictor and corrector; all iterates are feasible.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from models.reward.utilities import derivative
from solvers.reward.dense import invert
from solvers.reward.entries import Program
from solvers.reward.interior_kernels import (
    Direction,
    Entries,
    Iterate,
    Newton,
    eliminate,
    longest,
    recover,
    target,
)

__all__ = ["Point", "iterates"]

_TO_BOUNDARY = 0.995  # of the way
_LEAST = 1e-8  # a shorter step is none
_PASSES = 3  # of iterative refinement
_ASTRAY = 0.3  # of what wrong prices are worth: the least complementarity to aim at
_MOST = 150  # iterations; 20 to 40 are usual


# Extreme numbers end in an infinite step, which ends the iteration.
_QUIET = np.errstate(over="ignore", invalid="ignore", divide="ignore")


class Point(NamedTuple):
    """An iterate; its arrays change when the next is asked for.

    Parameters
    ----------
    left : float
        Gap that the complementarity leaves, about; in units of the reward.
    y : ndarray, shape (E,)
        What the entries get beyond their floors.
    multipliers : ndarray, shape (M, K)
        Of the penalties; the rows add up to the weights, about.
    is_last : bool
        Whether no more progress is made.
    """

    left: float
    y: np.ndarray
    multipliers: np.ndarray
    is_last: bool


def iterates(program: Program) -> Iterator[Point]:
    """Yield better and better points."""
    entries = program.entries
    x = _start(program)
    newton, first, second = _memory(entries)
    products = 2 * x.y.size + int(np.isfinite(entries.room).sum()) + x.s4.size
    length = here = math.inf
    for _ in range(_MOST):
        eliminate(entries, x, newton)
        factors = _factors(newton.system)
        if factors is None or length < _LEAST:
            break
        for array in second:
            array[...] = 0.0
        _solve(entries, x, newton, factors, 0.0, second, first)
        _, here, there = longest(entries, x, first)
        if not math.isfinite(here + there):
            break
        astray = float(np.abs(newton.residual) @ x.y)
        yield Point((here + astray) * program.unit, x.y, x.z4, False)
        # Complementarity must not be reached long before the prices are right.
        mean = max(here * min(1.0, (there / here)) ** 3, _ASTRAY * astray) / products
        _solve(entries, x, newton, factors, mean, first, second)
        length = longest(entries, x, second)[0]
        if not math.isfinite(length):
            break
        _move(x, second, _TO_BOUNDARY * length)
    yield Point(here * program.unit, x.y, x.z4, True)


def _start(program: Program) -> Iterate:
    entries = program.entries
    pairs = np.repeat(np.arange(entries.room.size), np.diff(entries.pair_start))
    full = np.bincount(pairs, entries.ceiling, entries.room.size)
    y = 0.5 * entries.ceiling * np.minimum(1.0, entries.room / full)[pairs]
    s3 = entries.room - np.bincount(pairs, y, entries.room.size)
    total = program.base.copy()
    np.add.at(total, (entries.block, entries.device), y)
    penalty = entries.beta * total
    highest = penalty.max(axis=1)
    t = 1.5 * highest + np.where(highest > 0.0, 0.0, 1.0)
    s4 = t[:, None] - penalty
    z4 = np.repeat(entries.weight[:, None] / entries.beta.size, entries.beta.size, axis=1)
    mean = max(float((s4 * z4).mean()), _mean_pull(entries, y, z4))
    s2 = entries.ceiling - y
    return Iterate(y, s2, s3, s4, t, mean / y, mean / s2, mean / s3, z4)


@_QUIET
def _mean_pull(entries: Entries, y: np.ndarray, z4: np.ndarray) -> float:
    """Mean of y times what it earns at the margin: the size of complementarity to start with."""
    if not y.size:
        return 0.0
    each = entries.floor + y / entries.number[entries.block]
    slopes = derivative(entries.kind, entries.alpha, each)
    price = entries.beta[entries.device] * z4[entries.block, entries.device]
    return float(np.abs(y * (entries.weight[entries.block] * slopes - price)).mean())


def _memory(entries: Entries) -> tuple[Newton, Direction, Direction]:
    size, pairs, shape = (
        entries.block.size,
        entries.room.size,
        (entries.weight.size, entries.beta.size),
    )
    newton = Newton(
        np.empty(size), np.empty(size), np.empty(pairs), np.empty((shape[1], shape[0], shape[0])),
        np.empty(size), np.empty(pairs), np.empty((shape[1], shape[0])),
    )  # fmt: skip
    first, second = (
        Direction(
            np.zeros(size), np.zeros(pairs), np.zeros(shape), np.zeros(shape[0]),
            np.zeros(size), np.zeros(size), np.zeros(pairs), np.zeros(shape),
        )
        for _ in range(2)
    )  # fmt: skip
    return newton, first, second


@_QUIET
def _factors(system: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Inverses of the systems and of their sum, or None where that fails."""
    inverse = np.empty_like(system)
    joint = np.empty_like(system[0])
    regular = all(invert(*pair) for pair in zip(system.copy(), inverse, strict=True))
    if not regular or not invert(inverse.sum(axis=0), joint) or not np.isfinite(joint).all():
        return None
    return inverse, joint


@_QUIET
def _solve(
    entries: Entries,
    x: Iterate,
    newton: Newton,
    factors: tuple[np.ndarray, np.ndarray],
    mean: float,
    step: Direction,
    out: Direction,
) -> None:
    """One Newton step into ``out``; ``step`` gives the second-order terms."""
    inverse, joint = factors
    target(entries, x, newton, mean, step, out)
    missing = entries.weight - x.z4.sum(axis=1)
    dz4, dt = np.zeros_like(newton.load), np.zeros_like(missing)
    # Products with inverses leave residuals, which a second pass takes away.
    for _ in range(_PASSES):
        load = newton.load - _times(newton.system, dz4) - dt
        part = _times(inverse, load)
        more = joint @ (part.sum(axis=0) + dz4.sum(axis=0) - missing)
        dz4 += part - inverse @ more
        dt += more
    recover(entries, x, newton, dz4, dt, out)


def _times(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Each matrix times its vector."""
    return np.matmul(matrices, vectors[:, :, None])[:, :, 0]


@_QUIET
def _move(x: Iterate, step: Direction, length: float) -> None:
    for value, change in (
        (x.y, step.y), (x.s3, step.s3), (x.s4, step.s4), (x.t, step.t),
        (x.z1, step.z1), (x.z2, step.z2), (x.z3, step.z3), (x.z4, step.z4),
    ):  # fmt: skip
        value += length * change
    x.s2[...] -= length * step.y
