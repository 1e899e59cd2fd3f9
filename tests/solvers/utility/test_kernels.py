"""The compiled kernels of ``utility`` by themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solvers.utility.kernels import least_costs, shortest_work


def test_least_costs_by_hand() -> None:
    # Two workers cost as much as one. Five worker-slots are 2 + 2 + 1, or 3 + 2 in two slots.
    assert least_costs(np.array([0.0, 1.0, 1.0, 2.0]), 5, 4).tolist() == [math.inf, 3.0, 3.0, 3.0]
    assert least_costs(np.array([0.0, 1.0]), 0, 2).tolist() == [0.0, 0.0]
    assert least_costs(np.array([0.0]), 1, 1).tolist() == [math.inf]


@pytest.mark.parametrize("seed", range(20))
def test_least_costs_are_those_of_the_dynamic_programme_of_the_oracle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    most, work, slots = (int(rng.integers(1, high)) for high in (6, 20, 9))
    cost = np.append(0.0, np.cumsum(rng.integers(0, 3, most)).astype(float))
    found = least_costs(cost, work, slots)
    for count in range(1, slots + 1):
        reach, same = np.full(count, most), np.tile(cost, (count, 1))
        # Completing earlier is worth no more, so the oracle takes the cheapest split there is.
        assert found[count - 1] == shortest_work(same, reach, work, np.zeros(count))[1]
