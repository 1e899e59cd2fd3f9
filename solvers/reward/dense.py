"""Inverses of small symmetric positive definite matrices, compiled.

A parallel BLAS has its threads wait for each other ten times as long as it computes when other
processes use the cores, and its last digits depend on their number.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

__all__ = ["invert"]


@njit(cache=True)
def invert(matrix, inverse):  # type: ignore[no-untyped-def]
    """Invert by Cholesky's method; overwrites ``matrix``, False if it is not definite.

    Inner loops run along rows, which the compiler turns into vector instructions.
    """
    n = matrix.shape[0]
    for i in range(n):  # matrix = R' R, R upper triangular, in place
        pivot = matrix[i, i]
        if not 0.0 < pivot < np.inf:
            return False
        root = math.sqrt(pivot)
        row = matrix[i]
        for j in range(i, n):
            row[j] /= root
        for p in range(i + 1, n):
            factor, below = row[p], matrix[p]
            if factor != 0.0:
                for j in range(p, n):
                    below[j] -= factor * row[j]
    for i in range(n - 1, -1, -1):  # R X = 1, X upper triangular, in place of R
        row = matrix[i]
        diagonal = 1.0 / row[i]
        inverse[i, i + 1 :] = row[i + 1 :]
        row[i] = diagonal
        for j in range(i + 1, n):
            row[j] = 0.0
        for p in range(i + 1, n):
            factor, below = inverse[i, p] * diagonal, matrix[p]
            if factor != 0.0:
                for j in range(p, n):
                    row[j] -= factor * below[j]
    lower = matrix.T.copy()
    inverse[:] = 0.0
    for p in range(n):  # X X'
        column = lower[p]
        for i in range(p + 1):
            factor, row = column[i], inverse[i]
            for j in range(i + 1):
                row[j] += factor * column[j]
    for i in range(n):
        for j in range(i):
            inverse[j, i] = inverse[i, j]
    return True
