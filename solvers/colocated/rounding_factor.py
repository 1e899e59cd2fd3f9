"""How much a solution of the relaxation is scaled before it is rounded: ``G_delta``, (31) and (32).

The notes of the paper leave both out; docs/colocated.md derives them from Chernoff's bounds. An
entry ``G x`` becomes its floor or its ceiling, with ``G x`` as its mean. With l the
``ln(3 m / delta)`` of m rows over their width:

- covering: ``G = 1 + k + sqrt(k^2 + 2 k)`` with ``k = l``;
- packing: ``G = 1 + k - sqrt(k^2 + 2 k)`` with ``k = 3 l / 2`` if that is at least 1 / 2, else
  ``G = (2 + l - sqrt(l^2 + 8 l)) / 2`` if ``l < 1``.

Each formula promises its rows with ``1 - delta / 3``, and with Markov's inequality these rows and a
cost of at most ``3 G / delta`` times the relaxation's with ``1 - 2 delta / 3``. Neither promises
both kinds of rows.
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
