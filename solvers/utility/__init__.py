"""Offline solvers of the ``utility`` problem."""

from __future__ import annotations

from solvers.utility.exact import relaxation, solve
from solvers.utility.price_bound import best_price_bound, price_bound

__all__ = ["best_price_bound", "price_bound", "relaxation", "solve"]
