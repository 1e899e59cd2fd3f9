"""Instances with nothing to do, nothing to run on, or nothing to win: results, not crashes."""

from __future__ import annotations

import numpy as np
import pytest

from models.utility.formulations import FORMULATIONS
from models.utility.resources import Resources
from solvers.column_generation import ColumnGeneration
from solvers.pyomo_bridge import solve_model
from solvers.utility.compact_ilp import relaxation
from solvers.utility.exact import solve as solve_exactly
from solvers.utility.offline import solve as solve_offline
from solvers.utility.oracle import zero_prices
from solvers.utility.pool_bound import PoolPrices, pool_bound
from solvers.utility.pooled import PooledProblem
from solvers.utility.price_bound import price_bound
from tests.models.utility.small import NOTHING, constant, instance, job


@pytest.mark.parametrize("name", NOTHING)
def test_every_solver_says_0(name: str) -> None:
    ins = NOTHING[name]
    exact = solve_exactly(ins)
    assert (exact.status, exact.objective, exact.bound) == ("optimal", 0.0, 0.0)
    assert relaxation(ins).bound == 0.0
    offline = solve_offline(ins, time_limit=None)
    assert (offline.status, offline.objective, offline.bound) == ("optimal", 0.0, 0.0)
    generated = ColumnGeneration(PooledProblem(ins)).run()
    assert generated.converged
    assert generated.bound == 0.0
    assert price_bound(ins, zero_prices(ins.cluster)).value == 0.0
    none = np.zeros((ins.cluster.slots, 1))
    assert pool_bound(ins, PoolPrices(none, none)) == 0.0
    for build in FORMULATIONS.values():
        assert solve_model(build(ins)).result.objective == pytest.approx(0.0)


def test_servers_without_capacity_beside_others() -> None:
    ins = instance(
        [job("a", utility=constant(3.0))],
        worker_servers=[[0.0], [1.0]],
        ps_servers=[[1.0], [0.0]],
    )
    assert solve_exactly(ins).objective == 3.0
    assert solve_offline(ins, time_limit=None).bound == pytest.approx(3.0)
    prices = Resources(np.ones((4, 2, 1)), np.ones((4, 2, 1)))
    assert price_bound(ins, prices).value >= 3.0
