"""Exponential prices: from L of what is untouched to U of what is used up."""

from __future__ import annotations

import numpy as np

__all__ = ["PriceFunction"]


class PriceFunction:
    """``L (U/L)^(g/c)``, (22) of OASiS and (12) of PD-ORS, of the servers of one set.

    A resource with capacity 0, or that nobody demands, has price 0.

    Parameters
    ----------
    capacity : ndarray, shape (S, R)
    upper : ndarray, shape (R,) or (S, R)
        U; 0 where nobody demands a resource.
    lower : float or ndarray, shape (S, 1)
        L.
    scale : ndarray, shape (R,) or (S, R)
        Unit of the resources that U and L are counted in (:mod:`online.price_range`).
    """

    def __init__(
        self,
        capacity: np.ndarray,
        upper: np.ndarray,
        lower: float | np.ndarray,
        scale: np.ndarray,
    ) -> None:
        self._capacity = capacity
        priced = (upper > 0) & (capacity > 0)  # [S, R]
        low = np.where(lower == 0.0, 1.0, lower)
        self._log = np.where(priced, np.log(np.where(upper > 0, upper, 1.0) / low), 0.0)
        self._start = np.where(priced, lower / scale, 0.0)

    def at(self, free: np.ndarray) -> np.ndarray:
        """Prices at these free capacities, shape (T, S, R): L where nothing is taken."""
        taken = self._capacity - free
        share = np.divide(taken, self._capacity, out=np.zeros_like(free), where=self._capacity > 0)
        return np.asarray(self._start * np.exp(self._log * share))

    def take(
        self,
        free: np.ndarray,
        price: np.ndarray,
        slots: np.ndarray,
        servers: np.ndarray,
        amount: np.ndarray,
    ) -> tuple[float, float]:
        """Take amounts, update free capacity and prices in place.

        Parameters
        ----------
        free, price : ndarray, shape (T, S, R)
        slots, servers : ndarray of int64, shape (n,)
            Each pair at most once.
        amount : ndarray, shape (n, R)

        Returns
        -------
        alpha_i : float
            The largest ``(e^(a d) - 1) / d`` over what is touched, with ``a = ln(U/L)`` and
            d = amount / capacity.
        rise : float
            By how much the dual objective rises.
        """
        capacity, log = self._capacity[servers], self._log[servers]
        free[slots, servers] -= amount
        share = np.divide(amount, capacity, out=np.zeros_like(amount), where=capacity > 0)
        old = price[slots, servers]
        new = old * np.exp(log * share)
        price[slots, servers] = new
        touched = (share > 0) & (log > 0)
        if not touched.any():
            return 0.0, 0.0
        alpha = np.expm1(log[touched] * share[touched]) / share[touched]
        return float(alpha.max()), float((capacity * (new - old)).sum())
