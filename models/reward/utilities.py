"""The four utilities (27): concave, 0 at 0, rising, with a bounded derivative, as (8) asks.

==== ========== ============================== ======================= ================
code kind       f(y)                           f'(y)                   f'(0) = bound (8)
==== ========== ============================== ======================= ================
0    linear     ``alpha y``                    ``alpha``               ``alpha``
1    log        ``alpha ln(y + 1)``            ``alpha / (y + 1)``     ``alpha``
2    reciprocal ``1 / alpha - 1 / (y + alpha)``  ``1 / (y + alpha)^2``   ``1 / alpha^2``
3    poly       ``alpha sqrt(y + 1) - alpha``  ``alpha / (2 sqrt(y + 1))``  ``alpha / 2``
==== ========== ============================== ======================= ================

For ``alpha > 0`` and ``y >= 0``. Reciprocal and poly are computed in the equal forms
``y / (alpha (y + alpha))`` and ``alpha y / (sqrt(y + 1) + 1)``, which lose no digits near 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["KINDS", "VALUES", "derivative", "slope_at_zero", "value"]

KINDS = ("linear", "log", "reciprocal", "poly")
"""Names of the utilities in instance files; the position is the kind code."""

_Formula = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _reciprocal(alpha: np.ndarray, y: np.ndarray) -> np.ndarray:
    return y / (alpha * (y + alpha))


def _poly(alpha: np.ndarray, y: np.ndarray) -> np.ndarray:
    return alpha * y / (np.sqrt(y + 1.0) + 1.0)


VALUES: tuple[_Formula, ...] = (
    lambda alpha, y: alpha * y,
    lambda alpha, y: alpha * np.log1p(y),
    _reciprocal,
    _poly,
)
"""``f(alpha, y)`` of each kind, elementwise, in the order of ``KINDS``."""

_DERIVATIVES: tuple[_Formula, ...] = (
    lambda alpha, y: alpha + 0.0 * y,
    lambda alpha, y: alpha / (y + 1.0),
    lambda alpha, y: (y + alpha) ** -2.0,
    lambda alpha, y: 0.5 * alpha / np.sqrt(y + 1.0),
)


def value(kind: np.ndarray, alpha: np.ndarray, y: np.ndarray) -> np.ndarray:
    """``f(y)``, elementwise, (27).

    Parameters
    ----------
    kind : ndarray of int8
        Kind codes, positions in ``KINDS``.
    alpha : ndarray
        Parameter of the utility, positive.
    y : ndarray
        Allocation of one device type on one server, at least 0.

    Returns
    -------
    ndarray of float64
        Of the shape that the three broadcast to.
    """
    return _by_kind(VALUES, kind, alpha, y)


def derivative(kind: np.ndarray, alpha: np.ndarray, y: np.ndarray) -> np.ndarray:
    """``f'(y)``, elementwise; parameters as for :func:`value`."""
    return _by_kind(_DERIVATIVES, kind, alpha, y)


def slope_at_zero(kind: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """``f'(0)``, which bounds the derivative everywhere, (8); parameters as for :func:`value`."""
    return _by_kind(_DERIVATIVES, kind, alpha, np.zeros(()))


def _by_kind(
    formulas: tuple[_Formula, ...], kind: np.ndarray, alpha: np.ndarray, y: np.ndarray
) -> np.ndarray:
    kind, alpha, y = np.broadcast_arrays(
        np.asarray(kind), np.asarray(alpha, dtype=float), np.asarray(y, dtype=float)
    )
    result = np.empty(kind.shape)
    for code, formula in enumerate(formulas):
        chosen = kind == code
        result[chosen] = formula(alpha[chosen], y[chosen])
    return result
