"""Instances with nothing to do, nothing to run on, or nothing to win: results, not crashes."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.ratio import main
from models.utility import UtilityInstance, score
from models.utility.column import Resources
from models.utility.files import Sigmoid
from models.utility.formulations import FORMULATIONS
from online.run import run
from online.utility.oasis import OASiS
from online.utility.price_bounds import PriceBounds
from online.utility.prices import ExponentialPrices
from solvers.column_generation import ColumnGeneration
from solvers.pyomo_bridge import solve_model
from solvers.utility.compact_ilp import relaxation
from solvers.utility.exact import solve as solve_exactly
from solvers.utility.offline import solve as solve_offline
from solvers.utility.oracle import zero_prices
from solvers.utility.pool_bound import PoolPrices, pool_bound
from solvers.utility.pooled import PooledProblem
from solvers.utility.price_bound import price_bound
from tests.models.utility.small import constant, instance, job

NOTHING = {
    "no jobs": instance([]),
    "no job that can run": instance([job("long", work=9), job("late", 3, work=2)]),
    "no capacity": instance([job("a")], worker_servers=[[0.0]], ps_servers=[[0.0]]),
    "no parameter server": instance([job("a")], ps_servers=[[0.0]]),
    "no utility": instance([job("a", utility=constant(0.0))]),
    "utility underflows": instance(
        [job("a", 1, work=3, utility=Sigmoid(priority=5e-324, decay=9.0, target=-9.0))]
    ),
}


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


def ratio(tmp_path: Path, ins: UtilityInstance, capsys: pytest.CaptureFixture[str]) -> list[dict]:
    path = tmp_path / "one.json"
    ins.write(path)
    out = ["--instance", str(path), "--out", str(tmp_path / "out")]
    assert main(out) == 0
    assert "oasis" in capsys.readouterr().out
    assert main([*out, "--format", "json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("name", NOTHING)
def test_ratio_of_nothing_to_nothing_is_1(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ratio(tmp_path, NOTHING[name], capsys)
    assert len(rows) == 6
    for row in rows:
        assert (row["objective"], row["offline_status"]) == (0.0, "optimal")
        assert (row["ratio_lower"], row["ratio_upper"]) == (1.0, 1.0)


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


def test_a_job_worth_next_to_nothing_does_not_forbid_the_others() -> None:
    # "tiny" alone demands the GPU, so its U there is 1e-3. Shares of the mean server: big takes
    # (0, 1/4), tiny (1, 1/4); 1/eta1 = 1/4 / (2 * 4) = 1/32. With the floor of 1e-6 * 1e9 for
    # tiny, L1 would be 1/4 * 1/32 * 1000 / (5/4) = 6.25 and above that U: it is U / e instead.
    # ps: 1/eta2 = 1/4 / 4 = 1/16; L2 = 1/4 * 1/16 * 1000 / (1/4) = 62.5, below U2 = 1e9 / (1/4).
    jobs = [
        job("big", worker=[0.0, 1.0], ps=[0.0, 1.0], utility=constant(1e9)),
        job("tiny", worker=[1.0, 1.0], ps=[0.0, 1.0], utility=constant(1e-3)),
        job("nil", worker=[1.0, 1.0], ps=[0.0, 1.0], utility=constant(0.0)),
    ]
    ins = instance(
        jobs,
        resources=["gpu", "bandwidth_gbps"],
        worker_servers=[[1.0, 4.0]],
        ps_servers=[[0.0, 4.0]],
    )
    bounds = PriceBounds.from_instance(ins)
    assert bounds.U1 == pytest.approx([1e-3, 4e9])
    assert bounds.U2 == pytest.approx([0.0, 4e9])
    assert pytest.approx((1e-3 / math.e, 62.5)) == (bounds.L1, bounds.L2)
    trace = run(ins, OASiS(bounds), np.random.default_rng(0))
    assert score(ins, trace.schedule).objective == pytest.approx(1e9)


def test_jobs_that_demand_nothing_on_a_side() -> None:
    # No instance file has them (B > 0), but the estimators take any jobs.
    ins = instance([job("a", utility=constant(3.0))])
    jobs = [replace(one, ps=np.zeros(1)) for one in ins.jobs]
    bounds = PriceBounds.from_jobs(ins.cluster, jobs)
    assert (bounds.U2.tolist(), bounds.L2) == ([0.0], 0.0)
    assert bounds.U1.tolist() == [3.0]
    assert bounds.L1 == pytest.approx(0.25 * 0.25 * 3.0)  # 1/eta1 = 1 / (4 * 1)
    assert ExponentialPrices(ins.cluster, bounds).prices.ps.max() == 0.0


def test_price_bounds_that_are_refused_name_the_instance() -> None:
    # L underflows to 0: a quarter of the least positive number.
    ins = instance([job("a", utility=constant(5e-324))], name="least")
    with pytest.raises(ValueError, match=r"least: price bounds: U1\[0\]"):
        PriceBounds.from_instance(ins)
