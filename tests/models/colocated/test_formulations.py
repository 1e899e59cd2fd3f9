"""Formulations of `colocated` against hand-worked answers, exhaustive search and SCIP."""

from __future__ import annotations

from pathlib import Path

import highspy
import numpy as np
import pytest
from msgspec.structs import replace

from benchmarks.export import main
from models.colocated import ColocatedInstance, score
from models.colocated.cluster import most_on_one
from models.colocated.formulations import FORMULATIONS
from models.colocated.formulations.compact import compact, schedule_from_values
from models.colocated.formulations.limits import job_limits
from models.colocated.formulations.schedule_ilp import schedule_dual, schedule_ilp
from models.colocated.schedule import ColocatedSchedule
from models.sigmoid import Sigmoid
from models.slot_column import Column
from solvers.highs import HighsOptions
from solvers.pyomo_bridge import solve_model
from tests.models.colocated.brute_force import is_done, optimum, options
from tests.models.colocated.small import NOTHING, constant, instance, job, random_instance

EXACT = HighsOptions(mip_rel_gap=0.0)
# LPs may use the tolerant capacities, 1e-6 more, in full (models.tolerance).
LP = {"rel": 1e-5}


def best(ins: ColocatedInstance) -> float:
    """Optimum by the MILP; its schedule is feasible and worth it, and the LP is a bound."""
    found = solve_model(compact(ins), EXACT)
    assert found.result.objective is not None
    model = found.model
    values = (found.values(part) for part in (model.d, model.v, model.u, model.w, model.s))
    result = score(ins, schedule_from_values(ins, *values))
    assert result.violations == ()
    assert result.objective == pytest.approx(found.result.objective, abs=1e-9)
    relaxed = solve_model(compact(ins, relaxed=True)).result.objective
    assert relaxed is not None and relaxed >= result.objective * (1 - 1e-9)
    return result.objective


def tiny(seed: int) -> ColocatedInstance:
    rng = np.random.default_rng(seed)
    size = {"jobs": int(rng.integers(2, 4)), "servers": int(rng.integers(1, 4))}
    return random_instance(rng, slots=int(rng.integers(2, 4)), **size)


def without_fact_1(ins: ColocatedInstance) -> ColocatedInstance:
    """The same with the bandwidth between servers everywhere."""
    jobs = [replace(one, internal_gbps=one.external_gbps) for one in ins.file.jobs]
    return ColocatedInstance.from_file(replace(ins.file, jobs=jobs))


def test_optimum_is_that_of_brute_force() -> None:
    faster = 0
    for seed in range(30):
        ins = tiny(seed)
        value = optimum(ins)
        assert best(ins) == pytest.approx(value, abs=1e-9)
        faster += optimum(without_fact_1(ins)) < value - 1e-6
    assert faster >= 8  # instances whose optimum rests on Fact 1


def test_scip_agrees() -> None:
    pytest.importorskip("pyscipopt")
    from tests.models.colocated.scip import scip_optimum

    for seed in range(100, 120):
        ins = tiny(seed)
        assert best(ins) == pytest.approx(scip_optimum(ins), rel=1e-6, abs=1e-6)


def urgent(value: float) -> Sigmoid:
    """Worth `value` in the slot of arrival, next to nothing later."""
    return Sigmoid(priority=value, decay=100.0, target=0.5)


def test_co_location_by_hand() -> None:
    # Ext. 1 + 4 slots, int. 1 + 0.4: two workers in one slot are 2 / 5 or 2 / 1.4 of one sample.
    # Only one of the two jobs fits on the server that holds two workers with their PS.
    two = {"gradient_mb": 8.0, "gamma": 2.0, "max_workers": 2, "sample_slots": 0.5}
    sizes = {"internal_gbps": 16.0}  # 0.5 + 0.5 and 0.5 + 8
    jobs = [job(name, utility=urgent(v), **two, **sizes) for name, v in (("a", 3.0), ("b", 2.0))]
    assert best(instance(jobs, servers=[[3.0], [3.0]], slots=1)) == pytest.approx(5.0)
    assert best(instance(jobs, servers=[[2.0], [2.0]], slots=1)) == pytest.approx(5.0)
    assert best(instance(jobs, servers=[[2.0], [1.0]], slots=1)) == pytest.approx(3.0)
    assert best(instance(jobs, servers=[[1.0], [1.0], [1.0]], slots=1)) == 0.0
    # On several servers it takes 8.5 worker-slots: five slots of two workers.
    slow = [replace(one, utility=constant(1.0)) for one in jobs[:1]]
    assert best(instance(slow, servers=[[1.0]] * 3, slots=4)) == 0.0
    assert best(instance(slow, servers=[[1.0]] * 3, slots=5)) == pytest.approx(1.0)


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_to_do(name: str) -> None:
    assert best(NOTHING[name]) == optimum(NOTHING[name]) == pytest.approx(0.0, abs=1e-300)


def test_extreme_gamma() -> None:
    # At 1e12 one PS serves all; at 1e-3 a worker needs a thousand.
    for gamma, room, value in ((1e12, 4.0, 1.0), (1e12, 3.0, 0.0), (1e-3, 1001.0, 1.0)):
        # Three workers are the least that do it in one slot, or one.
        workers = 3 if gamma > 1 else 1
        one = job("a", samples=workers, max_workers=workers, gamma=gamma)
        assert best(instance([one], servers=[[room]], slots=1)) == value
    one = job("a", gamma=1e-3)
    assert best(instance([one], servers=[[1000.0]], slots=1)) == 0.0


def test_limits_by_hand() -> None:
    # On 7 CPUs 4 workers with 2 PSs, on 3 two with one, on 1 none; apart, 11 CPUs in all.
    fields = {"samples": 40, "gradient_mb": 1.0, "gamma": 2.0, "max_workers": 5}
    ins = instance([job("a", 1, **fields)], slots=20, servers=[[7.0], [3.0], [1.0], [0.0]])
    (one,) = ins.jobs
    assert most_on_one(one, ins.cluster.servers, 5).tolist() == [4, 2, 0, 0]
    assert most_on_one(one, ins.cluster.servers, 3).tolist() == [3, 2, 0, 0]
    (limits,) = job_limits(ins).values()
    assert limits.most == 5
    assert limits.internal.tolist() == [4, 2, 0, 0]
    assert limits.workers.tolist() == [5, 3, 1, 0] and limits.ps.tolist() == [3, 3, 1, 0]
    # 1.4 slots a sample or 1.04: 56 external worker-slots, at most 4 * 1.4 / 1.04 a slot.
    assert limits.earliest == 1 + 11 - 1
    assert not job_limits(instance([job("a", samples=9)], slots=8))


def columns(ins: ColocatedInstance) -> list[Column]:
    """Schedules of each job in which only the last slot completes it."""
    found: list[Column] = []
    for one in ins.jobs:
        every, values = options(one, ins.cluster.servers), one.values(ins.cluster.slots)
        partial: list[tuple] = [((0, 0), [], [])]
        for t in range(one.arrival, ins.cluster.slots):
            after = list(partial)
            for option in every[1:]:
                for state, workers, ps in partial:
                    rows = [(t, h, n) for h, n in enumerate(option.workers)]
                    more = [(t, h, n) for h, n in enumerate(option.ps)]
                    then = (option.after(state), [*workers, *rows], [*ps, *more])
                    if is_done(one, then[0]):
                        found.append(Column.build(one, float(values[t]), *then[1:]))
                    else:
                        after.append(then)
            partial = after
    return found


def test_r_dmlrs_is_the_compact_milp_and_its_duals_are_those_of_10() -> None:
    for seed in range(6):
        ins = random_instance(np.random.default_rng(seed), slots=2, max_workers=2)
        found = columns(ins)
        by_columns = solve_model(schedule_ilp(ins, found), EXACT)
        assert by_columns.result.objective == pytest.approx(optimum(ins), abs=1e-9)
        x = by_columns.values(by_columns.model.x)
        chosen = ColocatedSchedule.of_columns(
            ins, [one for k, one in enumerate(found) if x[k] > 0.5]
        )
        assert score(ins, chosen).feasible
        assert score(ins, chosen).objective == pytest.approx(by_columns.result.objective)
        primal = solve_model(schedule_ilp(ins, found, relaxed=True))
        dual = solve_model(schedule_dual(ins, found))
        assert dual.result.objective == pytest.approx(primal.result.objective, **LP)
        # The duals of (8) and (9) are a solution of (10), (11) of the same value.
        prices = primal.duals(primal.model.constraint_8)
        payoffs = primal.duals(primal.model.constraint_9)
        room = ins.cluster.tolerant.servers
        total = sum(payoffs.values()) + sum(room[h, r] * p for (h, _, r), p in prices.items())
        assert total == pytest.approx(primal.result.objective, abs=1e-7)
        for column in found:
            one = ins.jobs[column.job]
            cost = sum(
                count * float(demand[r]) * prices.get((h, t, r), 0.0)
                for demand, table in ((one.worker, column.workers), (one.ps, column.ps))
                for t, h, count in table.tolist()
                for r in range(len(demand))
            )
            assert payoffs[column.job] >= column.value - cost - 1e-7


def test_dual_by_hand() -> None:
    # Worker and PS fill the server: of two unit jobs one runs, worth 3, not the other, worth 2.
    # At price 1 of each of the two CPUs, (10) is 1 + 0 + 2 = 3.
    ins = instance([job("a", utility=constant(3.0)), job("b", utility=constant(2.0))], slots=1)
    found = [
        Column.build(one, v, [(0, 0, 1)], [(0, 0, 1)])
        for one, v in zip(ins.jobs, (3.0, 2.0), strict=True)
    ]
    assert solve_model(schedule_ilp(ins, found, relaxed=True)).result.objective == pytest.approx(
        3.0, **LP
    )
    dual = schedule_dual(ins, found)
    dual.payoff.set_values({0: 1.0, 1: 0.0})
    dual.p.set_values({(0, 0, 0): 1.0})
    assert dual.payoffs_and_prices() == pytest.approx(3.0, **LP)
    assert all(row.body() <= row.upper() + 1e-12 for row in dual.constraint_11.values())


@pytest.mark.parametrize("name", FORMULATIONS)
@pytest.mark.parametrize("ending", ["lp", "mps"])
def test_export(name: str, ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jobs = [job(one, gradient_mb=1.0, utility=constant(v)) for one, v in (("a", 3.0), ("b", 2.0))]
    instance(jobs, slots=2).write(tmp_path / "one.json")
    path = tmp_path / f"one.{ending}"
    assert main([str(tmp_path / "one.json"), "--formulation", name, "--out", str(path)]) == 0
    assert f"{name} of small, " in capsys.readouterr().out
    assert "constraint_5(0_0_0)" in path.read_text()
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    solver.run()
    # One of the two runs on one server, 1.1 slots. In the LP the other has the rest, 0.9 of 1.1.
    best = 3.0 if name == "compact" else 3.0 + 2.0 * 0.9 / 1.1
    assert solver.getInfo().objective_function_value == pytest.approx(best, **LP)
