"""Compiled kernels of gradient ascent: the gradient (9) and one step along it."""

from __future__ import annotations

import numpy as np
from numba import njit

from solvers.reward.kernels import slope

__all__ = ["ascend", "gradient"]


@njit(cache=True)
def gradient(y, active, kind, alpha, beta, layout, out):  # type: ignore[no-untyped-def]
    """Gradient (9) of the reward of a slot, for the copies that have a job.

    Where several devices tie in the maximum (10), the first is taken: the reward has no
    gradient there, and this is one of its supergradients.

    Parameters
    ----------
    y : ndarray, shape (C, K)
        Allocation.
    active : ndarray of bool, shape (M,)
        Which copies have a job.
    kind, alpha : ndarray, shape (R, K)
        Utilities.
    beta : ndarray, shape (K,)
        Coefficients of the overhead.
    layout : Layout
    out : ndarray, shape (C, K)
        Written for the channels of these copies only; elsewhere the gradient is 0.

    Returns
    -------
    float
        Squared Euclidean norm of the gradient.
    """
    devices = y.shape[1]
    total = np.empty(devices)
    square = 0.0
    for m in range(active.shape[0]):
        if not active[m]:
            continue
        first, last = layout.copy_start[m], layout.copy_start[m + 1]
        total[:] = 0.0
        for place in range(first, last):
            c = layout.channels[place]
            for k in range(devices):
                total[k] += y[c, k]
        dominant = 0
        for k in range(1, devices):
            if beta[k] * total[k] > beta[dominant] * total[dominant]:
                dominant = k
        for place in range(first, last):
            c = layout.channels[place]
            r = layout.server[c]
            for k in range(devices):
                rise = slope(kind[r, k], alpha[r, k], y[c, k])
                if k == dominant:
                    rise -= beta[k]
                out[c, k] = rise
                square += rise * rise
    return square


@njit(cache=True)
def ascend(y, rise, step, active, layout, path):  # type: ignore[no-untyped-def]
    """Move ``y`` by ``step`` times the gradient ``rise``, and add the move to ``path``.

    Parameters
    ----------
    y : ndarray, shape (C, K)
        Changed in place, where copies are active; not projected.
    rise : ndarray, shape (C, K)
        As :func:`gradient` leaves it.
    step : float
        Step size.
    active : ndarray of bool, shape (M,)
    layout : Layout
    path : ndarray, shape (C, K)
        Sum of all moves so far.

    Returns
    -------
    float
        The scalar product of the move and ``y`` before it.
    """
    along = 0.0
    for m in range(active.shape[0]):
        if not active[m]:
            continue
        for place in range(layout.copy_start[m], layout.copy_start[m + 1]):
            c = layout.channels[place]
            for k in range(y.shape[1]):
                move = step * rise[c, k]
                along += move * y[c, k]
                path[c, k] += move
                y[c, k] += move
    return along
