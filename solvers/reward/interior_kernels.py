"""Compiled kernels of the interior point method: everything but the dense linear algebra.

The program in slack form, with entries e = (channel, device) and pairs p = (server, device);
y is what an entry gets beyond its floor, Y what a block gets of a device:

    minimise   sum_m w_m t_m - sum_e w_m n_m f_e(floor_e + y_e / n_m)
    such that  y >= 0, s2 = ceiling - y >= 0, s3 = room - sum_p y >= 0, s4 = t_m - beta_k Y_mk >= 0

with multipliers z1 to z4, where m is a block of n_m like copies (:mod:`solvers.reward.alike`).
A Newton step eliminates dy (a diagonal) and dz3 (one number per pair) and leaves an M x M system
in dz4 for every device, see :mod:`solvers.reward.interior`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from solvers.reward.kernels import curvature, slope

__all__ = ["Direction", "Entries", "Iterate", "Newton", "eliminate", "longest", "recover", "target"]


class Entries(NamedTuple):
    """The program: E entries sorted by pair, P pairs, M blocks of copies, K devices."""

    block: np.ndarray  # (E,)
    device: np.ndarray  # (E,)
    kind: np.ndarray  # (E,)
    alpha: np.ndarray  # (E,)
    floor: np.ndarray  # (E,), of one copy
    ceiling: np.ndarray  # (E,), of y
    pair_start: np.ndarray  # (P + 1,)
    room: np.ndarray  # (P,), inf where the ceilings fit together
    weight: np.ndarray  # (M,), of one copy
    number: np.ndarray  # (M,), copies of the block, as floats
    beta: np.ndarray  # (K,)


class Iterate(NamedTuple):
    """Primal variables, slacks and multipliers, all positive."""

    y: np.ndarray  # (E,)
    s2: np.ndarray  # (E,)
    s3: np.ndarray  # (P,)
    s4: np.ndarray  # (M, K)
    t: np.ndarray  # (M,)
    z1: np.ndarray  # (E,)
    z2: np.ndarray  # (E,)
    z3: np.ndarray  # (P,)
    z4: np.ndarray  # (M, K)


class Direction(NamedTuple):
    """Steps of an Iterate; those of ``s2`` are minus those of ``y``."""

    y: np.ndarray
    s3: np.ndarray
    s4: np.ndarray
    t: np.ndarray
    z1: np.ndarray
    z2: np.ndarray
    z3: np.ndarray
    z4: np.ndarray


class Newton(NamedTuple):
    """What the two steps of an iteration share."""

    inverse: np.ndarray  # (E,), 1 / diagonal
    residual: np.ndarray  # (E,), of stationarity in y
    pair: np.ndarray  # (P,), 1 / diagonal; 0 where there is no room constraint
    system: np.ndarray  # (K, M, M)
    right: np.ndarray  # (E,), right side of stationarity, then what dz3 adds
    shift: np.ndarray  # (P,)
    load: np.ndarray  # (K, M), right side of the systems


@njit(cache=True)
def eliminate(program, x, newton):  # type: ignore[no-untyped-def]
    """Eliminate dy and dz3: fill ``inverse``, ``residual``, ``pair`` and ``system``."""
    newton.system[:] = 0.0
    for m in range(program.weight.shape[0]):
        for k in range(program.beta.shape[0]):
            newton.system[k, m, m] = x.s4[m, k] / x.z4[m, k]
    for p in range(program.room.shape[0]):
        first, last = program.pair_start[p], program.pair_start[p + 1]
        k = program.device[first]
        b = program.beta[k]
        matrix = newton.system[k]
        bounded = program.room[p] < np.inf
        total = 0.0
        for e in range(first, last):
            m, kind, alpha = program.block[e], program.kind[e], program.alpha[e]
            w, number = program.weight[m], program.number[m]
            y = program.floor[e] + x.y[e] / number
            curved = w * curvature(kind, alpha, y) / number
            diagonal = curved + x.z1[e] / x.y[e] + x.z2[e] / x.s2[e]
            newton.inverse[e] = 1.0 / diagonal
            newton.residual[e] = b * x.z4[m, k] - w * slope(kind, alpha, y) - x.z1[e] + x.z2[e]
            if bounded:
                newton.residual[e] += x.z3[p]
            total += newton.inverse[e]
        if not bounded:
            newton.pair[p] = 0.0
            for e in range(first, last):
                matrix[program.block[e], program.block[e]] += b * b * newton.inverse[e]
            continue
        ratio = x.s3[p] / x.z3[p]
        newton.pair[p] = 1.0 / (ratio + total)
        square = b * b * newton.pair[p]
        if square == 0.0:
            continue
        # What the pair adds is a Laplacian and a diagonal: sums of positive numbers, where
        # subtracting the rank-one term from the diagonal would lose all digits.
        for e in range(first, last):
            m = program.block[e]
            factor = square * newton.inverse[e]
            on = factor * ratio
            for other in range(first, last):
                n = program.block[other]
                if n != m:
                    off = factor * newton.inverse[other]
                    matrix[m, n] -= off
                    on += off
            matrix[m, m] += on


@njit(cache=True)
def target(program, x, newton, mean, step, out):  # type: ignore[no-untyped-def]
    """Aim at complementarity ``mean``, second-order terms of ``step`` included.

    Fills the ``right``, ``shift`` and ``load`` of the Newton system; of ``out``, z1 to z4
    take the right sides of the complementarity equations.
    """
    for m in range(program.weight.shape[0]):
        for k in range(program.beta.shape[0]):
            aim = mean - x.s4[m, k] * x.z4[m, k] - step.s4[m, k] * step.z4[m, k]
            out.z4[m, k] = aim
            newton.load[k, m] = aim / x.z4[m, k]
    for p in range(program.room.shape[0]):
        first, last = program.pair_start[p], program.pair_start[p + 1]
        total = 0.0
        for e in range(first, last):
            aim1 = mean - x.y[e] * x.z1[e] - step.y[e] * step.z1[e]
            aim2 = mean - x.s2[e] * x.z2[e] + step.y[e] * step.z2[e]
            out.z1[e], out.z2[e] = aim1, aim2
            newton.right[e] = aim1 / x.y[e] - aim2 / x.s2[e] - newton.residual[e]
            total += newton.right[e] * newton.inverse[e]
        newton.shift[p] = 0.0
        if newton.pair[p] > 0.0:
            aim = mean - x.s3[p] * x.z3[p] - step.s3[p] * step.z3[p]
            out.z3[p] = aim
            newton.shift[p] = (aim / x.z3[p] + total) * newton.pair[p]
        for e in range(first, last):
            newton.right[e] -= newton.shift[p]
            k, m = program.device[e], program.block[e]
            newton.load[k, m] += program.beta[k] * newton.right[e] * newton.inverse[e]


@njit(cache=True)
def recover(program, x, newton, dz4, dt, out):  # type: ignore[no-untyped-def]
    """Complete a step from dz4 (K, M) and dt (M,); ``out`` comes from :func:`target`."""
    for m in range(program.weight.shape[0]):
        out.t[m] = dt[m]
        for k in range(program.beta.shape[0]):
            out.z4[m, k] = dz4[k, m]
            out.s4[m, k] = dt[m]
    for p in range(program.room.shape[0]):
        first, last = program.pair_start[p], program.pair_start[p + 1]
        beyond = 0.0
        if newton.pair[p] > 0.0:
            for e in range(first, last):
                k = program.device[e]
                beyond += program.beta[k] * dz4[k, program.block[e]] * newton.inverse[e]
            beyond *= newton.pair[p]
            out.z3[p] = newton.shift[p] - beyond
        total = 0.0
        for e in range(first, last):
            k = program.device[e]
            push = newton.right[e] + beyond - program.beta[k] * dz4[k, program.block[e]]
            step = push * newton.inverse[e]
            out.y[e] = step
            total += step
            out.s4[program.block[e], k] -= program.beta[k] * step
            out.z1[e] = (out.z1[e] - x.z1[e] * step) / x.y[e]
            out.z2[e] = (out.z2[e] + x.z2[e] * step) / x.s2[e]
        # Slacks follow y itself, not their own equations: round-off must not part them.
        out.s3[p] = -total


@njit(cache=True)
def longest(program, x, step):  # type: ignore[no-untyped-def]
    """Step length to the boundary, and the sum of products s z there and here."""
    most = 0.0  # of -change / value
    for e in range(x.y.shape[0]):
        most = max(most, -step.y[e] / x.y[e], step.y[e] / x.s2[e])
        most = max(most, -step.z1[e] / x.z1[e], -step.z2[e] / x.z2[e])
    for p in range(program.room.shape[0]):
        if program.room[p] < np.inf:
            most = max(most, -step.s3[p] / x.s3[p], -step.z3[p] / x.z3[p])
    for m in range(x.s4.shape[0]):
        for k in range(x.s4.shape[1]):
            most = max(most, -step.s4[m, k] / x.s4[m, k], -step.z4[m, k] / x.z4[m, k])
    length = 1.0 if most <= 1.0 else 1.0 / most
    here, there = 0.0, 0.0
    for e in range(x.y.shape[0]):
        here += x.y[e] * x.z1[e] + x.s2[e] * x.z2[e]
        there += (x.y[e] + length * step.y[e]) * (x.z1[e] + length * step.z1[e])
        there += (x.s2[e] - length * step.y[e]) * (x.z2[e] + length * step.z2[e])
    for p in range(program.room.shape[0]):
        if program.room[p] < np.inf:
            here += x.s3[p] * x.z3[p]
            there += (x.s3[p] + length * step.s3[p]) * (x.z3[p] + length * step.z3[p])
    for m in range(x.s4.shape[0]):
        for k in range(x.s4.shape[1]):
            here += x.s4[m, k] * x.z4[m, k]
            there += (x.s4[m, k] + length * step.s4[m, k]) * (x.z4[m, k] + length * step.z4[m, k])
    return length, here, there
