"""No schedule that the scorer accepts is better than a bound, whatever the units."""

from __future__ import annotations

import importlib
import itertools
import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.ratio import main
from models.tolerance import SCORER, tolerant
from models.utility import UtilityInstance, UtilitySchedule, score
from models.utility.formulations import resource_prices, schedule_ilp
from models.utility.least_ps import least_ps, least_ps_table
from models.utility.resources import Resources
from online.policy import Decision, Event, Policy
from online.run import InfeasibleDecision, run
from online.segments import Segment
from online.utility.zero_price import ZeroPriceGreedy
from solvers.packing import best_packing
from solvers.pyomo_bridge import solve_model
from solvers.utility.compact_ilp import relaxation
from solvers.utility.exact import solve as solve_exactly
from solvers.utility.offline import solve as solve_offline
from solvers.utility.pool_bound import PoolPrices, PricedCut, pool_bound
from solvers.utility.price_bound import price_bound
from tests.models.utility.small import constant, instance, job, random_instance
from tests.solvers.utility.brute_force import columns, optimum


def test_the_rules_agree_with_the_scorer() -> None:
    module = importlib.import_module("models.slot_scoring")
    assert module.TOLERANCE == SCORER
    capacity = 10.0 ** np.arange(-12, 13)
    assert (tolerant(capacity) > capacity + SCORER * np.maximum(1.0, capacity)).all()


@given(
    st.integers(0, 40),
    st.floats(-5, 9),
    st.one_of(st.integers(1, 7).map(float), st.floats(1, 1e6)),
    st.sampled_from([0.0, 5e-7, -5e-7, 2e-6]),
)
def test_6_is_the_same_for_all(n: int, unit: float, ratio: float, nudge: float) -> None:
    big_b = 10.0**unit
    b = min(big_b / ratio * (1 + nudge), big_b)
    m = least_ps(n, b, big_b)
    assert m <= n
    assert least_ps_table(n, b, big_b)[n] == m
    ins = instance(
        [job("a", chunks=50, work=50, worker=[b], ps=[big_b])],
        worker_servers=[[1e12]],
        ps_servers=[[1e12]],
    )
    for count, good in ((m, True), (m - 1, False)):
        if n and count >= 0:
            table = UtilitySchedule.build(ins, [False], [[0, 0, 0, n]], [[0, 0, 0, count]])
            assert score(ins, table).feasible == good


def at_the_edge(unit: float) -> UtilityInstance:
    """Two jobs that together use a server up to c (1 + 5e-7)."""
    share = 0.5 * (1 + 5e-7) * unit
    return instance(
        [job(name, worker=[share], ps=[share]) for name in ("a", "b")],
        slots=1,
        worker_servers=[[unit]],
        ps_servers=[[unit]],
    )


UNITS = [1e9, 1.0, 1e-6]


@pytest.mark.parametrize("unit", UNITS)
def test_bounds_know_what_the_scorer_accepts(unit: float) -> None:
    ins = at_the_edge(unit)
    rows = [[0, 0, 0, 1], [1, 0, 0, 1]]
    both = UtilitySchedule.build(ins, [True, True], rows, rows)
    assert score(ins, both).feasible
    assert score(ins, both).objective == 2.0
    for prices in (0.0, 1.0 / unit, 100.0 / unit):
        spread = np.full((1, 1, 1), prices)
        assert price_bound(ins, Resources(spread, spread)).value >= 2.0
        cut = PricedCut(0, 0, prices * unit, np.ones(2))
        assert pool_bound(ins, PoolPrices(spread[0], spread[0], (cut,))) >= 2.0
    assert relaxation(ins).bound >= 2.0 * (1 - 1e-9)
    result = solve_exactly(ins, start=both)
    assert (result.status, result.objective) == ("optimal", 2.0)
    assert solve_offline(ins, time_limit=None).bound >= 2.0 * (1 - 1e-9)


@pytest.mark.usefixtures("short_local_search")
@pytest.mark.parametrize("unit", [*UNITS, 1e-11])
def test_ratio_at_the_edge(unit: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "edge.json"
    at_the_edge(unit).write(path)
    assert main(["--instance", str(path), "--out", str(tmp_path / "out"), "--format", "json"]) == 0
    for line in capsys.readouterr().out.splitlines():
        assert float(json.loads(line)["ratio_lower"]) >= 1.0


class _Both(Policy):
    """Runs every job at once, whether it fits or not."""

    name = "both"

    def reset(self, public: object, rng: object) -> None:
        """Nothing to forget."""

    def step(self, event: Event) -> Decision:
        """Everybody on server 0."""
        row = np.array([[0, 1]])
        jobs = getattr(event, "arrived", ())
        return Decision({index: (Segment(0, None, row, row),) for index in jobs})


def test_policies_have_no_share_of_the_scorers_tolerance() -> None:
    ins = at_the_edge(1e9)
    with pytest.raises(InfeasibleDecision, match=r"\(4\) worker server 0"):
        run(ins, _Both(), np.random.default_rng(0))
    trace = run(ins, ZeroPriceGreedy(), np.random.default_rng(0))
    assert score(ins, trace.schedule).objective == 1.0


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e9])
def test_round_off_costs_a_policy_no_server(unit: float) -> None:
    # 3 x 1.1 = 3.3000000000000003 and 3.3e9 / 1.1e9 = 2.9999999999999996: they fit all the same.
    demand = [1.1 * unit]
    ins = instance(
        [job(f"j{i}", worker=demand, ps=demand) for i in range(3)],
        slots=1,
        worker_servers=[[3.3 * unit]],
        ps_servers=[[3.3 * unit]],
    )
    trace = run(ins, ZeroPriceGreedy(), np.random.default_rng(0))
    assert score(ins, trace.schedule).objective == 3.0


def in_units(ins: UtilityInstance, unit: float, shrink: float) -> UtilityInstance:
    """Demands times ``unit``, capacities times ``unit (1 - shrink)``."""

    def times(rows: list[list[float]], factor: float) -> list[list[float]]:
        return (np.array(rows) * factor).tolist()

    file = msgspec.structs.replace(
        ins.file,
        worker_servers=times(ins.file.worker_servers, unit * (1 - shrink)),
        ps_servers=times(ins.file.ps_servers, unit * (1 - shrink)),
        jobs=[
            msgspec.structs.replace(
                one, worker=times([one.worker], unit)[0], ps=times([one.ps], unit)[0]
            )
            for one in ins.file.jobs
        ],
    )
    return UtilityInstance.from_file(file)


@settings(max_examples=30)
@given(
    st.integers(0, 10**6),
    st.sampled_from([1e9, 1.0, 1e-6, 1e-9]),
    st.sampled_from([0.0, 5e-7, 9.99e-7, 1.02e-6, 2e-6]),
)
def test_no_accepted_schedule_beats_a_bound(seed: int, unit: float, shrink: float) -> None:
    rng = np.random.default_rng(seed)
    ins = in_units(
        random_instance(rng, jobs=2, slots=2, servers=1, ps_servers=1, max_work=3, chunks=2),
        unit,
        shrink,
    )
    best = optimum(ins)
    least = best * (1 - 1e-12)  # round-off of two ways to add up
    cluster = ins.cluster
    for scale in (0.0, 0.1, 1.0, 10.0):
        prices = Resources(
            *(
                rng.exponential(scale / unit, (cluster.slots, *side.shape))
                for side in (cluster.worker_servers, cluster.ps_servers)
            )
        )
        assert price_bound(ins, prices).value >= least
        cuts = tuple(PricedCut(side, 0, scale, rng.random(len(ins.jobs))) for side in (0, 1))
        pooled = PoolPrices(prices.worker[:, 0], prices.ps[:, 0], cuts)
        assert pool_bound(ins, pooled) >= least
    solver = best * (1 - 1e-6)  # the word of a solver, not certified
    assert relaxation(ins).bound >= solver
    exact = solve_exactly(ins, mip_rel_gap=0.0)
    if exact.objective is None:  # HiGHS has a tolerance of its own on top
        assert "exceeds a capacity" in exact.message
        assert exact.bound >= solver
    else:
        assert exact.objective == pytest.approx(best, rel=1e-6)
        assert exact.bound >= exact.objective
    with (
        pytest.MonkeyPatch.context() as patch
    ):  # as `short_local_search`, not once for all examples
        patch.setattr("solvers.utility.offline._MOST_MOVES", 100)
        assert solve_offline(ins, time_limit=None).bound >= solver
    found = columns(ins)
    if unit > 1e-9:  # the rows of (14) are in the instance's units
        lp = solve_model(schedule_ilp(ins, found, relaxed=True))
        assert lp.result.objective >= solver
        duals = lp.duals(lp.model.constraint_15), lp.duals(lp.model.constraint_16)
        assert price_bound(ins, resource_prices(ins, *duals)).value >= least


@pytest.mark.parametrize("unit", [1e9, 1.0, 1e-9])
def test_packings_of_the_scorer_stay_below_best_packing(unit: float) -> None:
    # Many items and a search over thousands of nodes: round-off must not add up.
    rng = np.random.default_rng(0)
    for _ in range(30):
        demand = np.round(rng.random((4, 3)) * 9 + 1) / 7 * unit
        counts = rng.integers(0, 4, 4)
        capacity = counts @ demand / (1 + 9.9e-7)  # just within the tolerance
        worth, limit = rng.random(4), np.full(4, 4)
        _, upper, _ = best_packing(tolerant(capacity), demand, worth, limit, 10**6)
        room = capacity + SCORER * np.maximum(1.0, capacity)
        best = max(
            float(worth @ np.array(y))
            for y in itertools.product(range(5), repeat=4)
            if (np.array(y) @ demand <= room).all()
        )
        assert upper >= best * (1 - 1e-15)
        if unit >= 1.0:
            assert upper <= best * (1 + 1e-9) or best < worth @ counts


def test_a_worker_that_needs_hardly_any_bandwidth_needs_no_parameter_server() -> None:
    # (6) lets 1e-9 Gbps pass without a parameter server; there is room for none.
    ins = instance(
        [job("a", worker=[1e-9], ps=[1.0], utility=constant(3.0))],
        slots=1,
        ps_servers=[[0.0]],
    )
    assert optimum(ins) == 3.0
    assert solve_exactly(ins).objective == 3.0
    assert solve_offline(ins, time_limit=None).bound == pytest.approx(3.0)


@pytest.mark.usefixtures("short_local_search")
@pytest.mark.parametrize("unit", [1e11, 1.0, 1e-5])
def test_ratio_does_not_depend_on_the_units(
    unit: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Two Gbps for three jobs in two slots, all of them in other units.
    jobs = [job(f"j{i}", work=2, utility=constant(1.0 + i)) for i in range(3)]
    ins = in_units(instance(jobs, slots=2, worker_servers=[[2.0]], ps_servers=[[2.0]]), unit, 0.0)
    path = tmp_path / "units.json"
    ins.write(path)
    assert main(["--instance", str(path), "--out", str(tmp_path / "out"), "--format", "json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["offline_status"] for row in rows} == {"optimal"}
    assert {row["offline_lower"] for row in rows} == {5.0}
    assert all(row["objective"] > 0.0 for row in rows)
