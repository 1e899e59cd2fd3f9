"""The most valuable packing of a server."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.packing import best_packing, best_packings


@given(st.integers(0, 10**6))
def test_best_packing_equals_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    items, resources = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    capacity = rng.integers(0, 9, resources).astype(float)
    demand = rng.integers(0, 5, (items, resources)) * rng.choice([0.5, 1.0])
    worth = rng.random(items) * rng.integers(0, 2, items)
    limit = rng.integers(0, 5, items)
    value, upper, counts = best_packing(capacity, demand, worth, limit, 10**6)
    best = max(
        float(worth @ np.array(y))
        for y in itertools.product(*(range(n + 1) for n in limit))
        if (np.array(y) @ demand <= capacity).all()
    )
    assert value == pytest.approx(best)
    assert upper == pytest.approx(value)
    assert worth @ counts == pytest.approx(value)
    assert (counts @ demand <= capacity + 1e-9).all()
    assert (counts <= limit).all()


def test_a_search_that_gives_up_still_bounds() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        demand, worth = rng.integers(1, 9, (8, 3)).astype(float), rng.random(8)
        capacity, limit = np.array([25.0, 30.0, 20.0]), np.full(8, 9)
        exact = best_packing(capacity, demand, worth, limit, 10**6)[0]
        value, upper, _ = best_packing(capacity, demand, worth, limit, 3)
        assert value <= exact * (1 + 1e-12) <= upper * (1 + 1e-12)


def test_best_packings_are_those_of_each_server() -> None:
    rng = np.random.default_rng(1)
    capacities, demand = rng.integers(3, 9, (6, 2)).astype(float), rng.integers(1, 4, (4, 2)) / 2.0
    worth, limit = rng.random(4), rng.integers(0, 5, 4)
    value, upper, counts = best_packings(capacities, demand, worth, limit, 50)
    for g, capacity in enumerate(capacities):
        one = best_packing(capacity, demand, worth, limit, 50)
        assert (value[g], upper[g]) == one[:2]
        assert counts[g].tolist() == one[2].tolist()
