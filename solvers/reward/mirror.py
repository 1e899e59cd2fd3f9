"""Mirror descent on the multipliers: slow, but with no matrices, for very many copies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from solvers.reward.oracle import Oracle

__all__ = ["mean_responses"]

_STEP = 1.0
_MOST = 400


def mean_responses(oracle: Oracle, weights: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield multipliers, and the mean of the answers to those before.

    The dual value falls where a device with a large overhead gets a larger multiplier; a mean of
    answers is feasible, and near the optimum once the overheads of its devices are.

    Yields
    ------
    multipliers : ndarray, shape (M, K)
        Rows in the simplex.
    y : ndarray, shape (C, K)
        A feasible allocation.
    """
    beta = oracle.cluster.beta
    exponent = np.zeros((oracle.copies, len(beta)))
    average = np.zeros_like(exponent)
    y = np.zeros(oracle.cluster.shape)
    for number in range(1, _MOST + 1):
        average += (_softmax(exponent) - average) * (2.0 / (number + 1.0))
        answer = oracle.respond(weights, _softmax(exponent)).y
        y = y + (answer - y) * (2.0 / (number + 1.0))  # later answers count more
        yield average, y
        overhead = beta * oracle.totals(answer)
        largest = overhead.max(axis=1, keepdims=True)
        exponent += _STEP / np.sqrt(number) * overhead / np.where(largest > 0.0, largest, 1.0)


def _softmax(exponent: np.ndarray) -> np.ndarray:
    share = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    return share / share.sum(axis=1, keepdims=True)
