"""Prices of leaves that prove nothing, for the trees of any problem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from solvers.branching_tree import Branch
from solvers.price_certificate import TreePrices


def refuses_prices_of_each_leaf(
    bound: Callable[[Any, TreePrices], float], instance: Any, prices: TreePrices, wrong: float
) -> None:
    """Put a wrong number, then too many columns, into one leaf after the other."""
    places = [k for k, node in enumerate(prices.tree) if not isinstance(node, Branch)]
    assert places
    for place in places:
        tree = list(prices.tree)
        table = tree[place]
        assert isinstance(table, np.ndarray)
        tree[place] = np.full(table.shape, wrong)
        with pytest.raises(ValueError, match="a price is negative or not finite"):
            bound(instance, TreePrices(prices.prices, tuple(tree)))
        tree[place] = np.hstack([table, table])
        with pytest.raises(ValueError, match="prices have shape"):
            bound(instance, TreePrices(prices.prices, tuple(tree)))
