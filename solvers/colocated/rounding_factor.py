"""How much a solution of the relaxation is scaled before it is rounded: ``G_delta``, (31) and (32).

The notes of the paper leave both out; they are derived here. An entry ``G x`` becomes its floor, or
with probability ``G x - floor(G x)`` its ceiling. So a sum X of rounded entries with coefficients
in [0, 1] is a constant plus independent variables in [0, 1], and Chernoff's bounds hold with
``mu = E X``:

    P(X <= (1 - e) mu) <= exp(-e^2 mu / 2)               for 0 <= e <= 1,
    P(X >= (1 + e) mu) <= exp(-e^2 mu / 3)               for 0 <= e <= 1,
    P(X >= (1 + e) mu) <= exp(-e^2 mu / (2 + e))         for e >= 0.

*Covering.* A row asks for W1 at least, (26), and ``mu >= G W1``. With ``1 - e = 1 / G`` it fails
with probability at most ``exp(-(G - 1)^2 W1 / (2 G))``. If each of m rows may fail with
``delta / (3 m)``, then by the union bound all hold with ``1 - delta / 3``. With
``kappa = ln(3 m / delta) / W1`` this is ``(G - 1)^2 >= 2 kappa G``, and the least such G is

    G = 1 + kappa + sqrt(kappa^2 + 2 kappa).

The paper has one such row; with that of the parameter servers there are two, and
``ln(6 / delta)``. W1 is the least right-hand side, ``min(w, s)``.

*Packing.* A row, divided by its largest coefficient, allows W2 at most, (24) and (25), and
``mu <= G W2``. With ``1 + e = 1 / G``, so that ``e <= 1`` if ``G >= 1 / 2``, it fails with
probability at most ``exp(-(1 - G)^2 W2 / (3 G))``. With ``kappa = 3 ln(3 m / delta) / (2 W2)`` the
largest G for m rows is

    G = 1 + kappa - sqrt(kappa^2 + 2 kappa)              if that is at least 1 / 2.

Otherwise the third bound gives ``exp(-(1 - G)^2 W2 / (1 + G))``, and with
``l = ln(3 m / delta) / W2``

    G = (2 + l - sqrt(l^2 + 8 l)) / 2                    if that is positive, so if l < 1.

*Cost.* The mean cost is G times that of the relaxation, so by Markov's inequality it is at most
``3 G / delta`` times that with ``1 - delta / 3``. Each formula promises one side and the cost with
``1 - 2 delta / 3``. Neither promises both sides.
"""

from __future__ import annotations

import math

__all__ = ["covering_gain", "packing_gain"]


def covering_gain(delta: float, width: float, rows: int = 2) -> float:
    """G with which all covering rows hold with probability ``1 - delta / 3``, at least 1.

    Parameters
    ----------
    delta : float
        In (0, 1].
    width : float
        W1 > 0, the least right-hand side.
    rows : int
        Covering rows: 2, or 1 for the paper's ``ln(3 / delta)``.
    """
    kappa = math.log(3.0 * rows / delta) / width
    return 1.0 + kappa + math.sqrt(kappa * kappa + 2.0 * kappa)


def packing_gain(delta: float, width: float, rows: int) -> float | None:
    """G with which all packing rows hold with probability ``1 - delta / 3``, at most 1.

    Parameters
    ----------
    delta : float
        In (0, 1].
    width : float
        W2, the least capacity over the largest coefficient in its row.
    rows : int
        Packing rows.

    Returns
    -------
    float or None
        None where neither formula applies.
    """
    log = math.log(3.0 * rows / delta)
    kappa = 1.5 * log / width
    gain = 1.0 + kappa - math.sqrt(kappa * kappa + 2.0 * kappa)
    if gain >= 0.5:
        return gain
    share = log / width
    if share >= 1.0:
        return None
    return (2.0 + share - math.sqrt(share * share + 8.0 * share)) / 2.0
