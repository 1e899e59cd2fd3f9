"""Formulations of `utility` on instances solved by hand, and their files."""

from __future__ import annotations

import math
from pathlib import Path

import highspy
import numpy as np
import pytest

from models.errors import InputError
from models.export import write_model
from models.sigmoid import Sigmoid
from models.utility import UtilityInstance, UtilitySchedule, score
from models.utility.formulations import (
    FORMULATIONS,
    compact,
    job_limits,
    schedule_dual,
    schedule_ilp,
    set_values,
    without_idle,
)
from solvers.pyomo_bridge import solve_model
from solvers.utility.compact_ilp import relaxation
from solvers.utility.exact import solve
from tests.models.utility.small import constant, instance, job
from tests.solvers.utility.brute_force import columns, optimum

# LPs may use the tolerant capacities, 1e-6 more, in full (models.tolerance).
LP = {"rel": 5e-6}


def competing() -> UtilityInstance:
    """Two jobs want the one place of the one slot; the better one wins: 5 (3 is left)."""
    jobs = [job("low", utility=constant(3.0)), job("high", utility=constant(5.0))]
    return instance(jobs, slots=1)


def gap() -> UtilityInstance:
    """Two jobs of 2 Gbps on a server of 3 Gbps.

    One fits, worth 1. The LP of (14) runs each with x: 2 x_1 + 2 x_2 <= 3, worth 3 / 2. That
    no two workers fit on the server, y_1 + y_2 <= 1, is what the LP does not see.
    """
    jobs = [job(name, worker=[2.0], ps=[2.0]) for name in ("a", "b")]
    return instance(jobs, slots=1, worker_servers=[[3.0]], ps_servers=[[4.0]])


def sharing() -> UtilityInstance:
    """Two places per slot, two slots.

    "fast" needs 2 worker-slots and earns 2 / (1 + 3^delay): 1 after slot 0, 1/2 after slot 1.
    "steady" needs 2, one worker at a time, and earns 1. Alone each earns 1. Together, steady
    takes one place in both slots and fast the other: 1 + 1/2. The LP of (14) runs half of
    fast in slot 0 (2 places x 1/2, worth 1/2) and half in slot 1 (worth 1/4): 1.75.
    """
    fast = Sigmoid(priority=2.0, decay=math.log(3.0), target=0.0)
    jobs = [
        job("fast", chunks=2, work=2, utility=fast),
        job("steady", chunks=1, work=2, utility=constant(1.0)),
    ]
    return instance(jobs, slots=2, worker_servers=[[2.0]], ps_servers=[[2.0]])


def impossible() -> UtilityInstance:
    """One worker at a time for 5 worker-slots in 4 slots: worth nothing."""
    return instance([job("long", work=5)], slots=4)


def flat() -> UtilityInstance:
    """Constant utility 5: any slot will do, and the deadline of the model need not be tight."""
    return instance([job("any", utility=constant(5.0))], slots=3)


def rounding() -> UtilityInstance:
    """(6) in whole numbers: 2 workers of 1 Gbps need ceil(2 / 1.5) = 2 parameter servers.

    Only one fits, so one worker runs per slot: 2 worker-slots take both slots, worth 4.
    """
    jobs = [job("a", chunks=2, work=2, ps=[1.5], utility=constant(4.0))]
    return instance(jobs, slots=2, worker_servers=[[2.0]], ps_servers=[[2.0]])


# instance, optimum, LP of (14) over all schedules that fit alone
GOLDEN = {
    "competing": (competing, 5.0, 5.0),
    "gap": (gap, 1.0, 1.5),
    "sharing": (sharing, 1.5, 1.75),
    "impossible": (impossible, 0.0, 0.0),
    "flat": (flat, 5.0, 5.0),
    "rounding": (rounding, 4.0, 4.0),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_every_way_finds_the_optimum(name: str) -> None:
    make, best, _ = GOLDEN[name]
    ins = make()
    assert optimum(ins) == pytest.approx(best)
    result = solve(ins, mip_rel_gap=0.0)
    assert result.status == "optimal"
    assert result.objective == pytest.approx(best)
    assert result.bound == pytest.approx(best)
    assert result.schedule is not None
    assert score(ins, result.schedule).objective == result.objective
    plain = solve_model(compact(ins, strengthen=False)).result
    assert plain.objective == pytest.approx(best)
    by_schedules = solve_model(schedule_ilp(ins, columns(ins))).result
    assert by_schedules.objective == pytest.approx(best)


@pytest.mark.parametrize("name", GOLDEN)
def test_schedule_lp_and_its_dual(name: str) -> None:
    make, _, best = GOLDEN[name]
    ins = make()
    found = columns(ins)
    primal = solve_model(schedule_ilp(ins, found, relaxed=True))
    dual = solve_model(schedule_dual(ins, found))
    assert primal.result.objective == pytest.approx(best, **LP)
    assert dual.result.objective == pytest.approx(best, **LP)


def test_a_schedule_is_worth_its_point() -> None:
    # flat(): every deadline from the completion on is worth 5 in the model.
    ins = flat()
    model = compact(ins)
    late = UtilitySchedule.build(ins, [True], [[0, 1, 0, 1]], [[0, 1, 0, 1]])
    set_values(model, ins, late)
    assert [model.d[0, t].value for t in range(3)] == [0, 1, 1]
    assert [model.n[0, t].value for t in range(3)] == [0, 1, 0]
    assert model.utility() == pytest.approx(5.0)


def test_only_what_can_be_nonzero_is_made() -> None:
    model = compact(impossible())
    assert model.nvariables() == 0
    # Arrival in slot 1, two slots of work: deadlines 2 and 3; a server of 0.5 Gbps has no room.
    ins = instance([job("a", 1, work=2)], slots=4, worker_servers=[[1.0], [0.5]])
    model = compact(ins)
    assert list(model.d) == [(0, 2), (0, 3)]
    assert list(model.y) == [(0, 0, 1), (0, 0, 2), (0, 0, 3)]
    # Nobody demands the second resource: no row for it.
    ins = instance(
        [job("a", worker=[1.0, 0.0], ps=[1.0, 0.0])],
        slots=1,
        resources=["bandwidth_gbps", "gpu"],
        worker_servers=[[1.0, 8.0]],
        ps_servers=[[1.0, 8.0]],
    )
    assert list(compact(ins).constraint_4) == [(0, 0, 0)]


def test_staircase_is_the_hull_of_workers_over_parameter_servers() -> None:
    # b = 1, B = 2.5, 6 workers at most: m = 1, 2, 3 serve 2, 5, 6. From (0, 0) to (2, 5) the
    # line passes above (1, 2); then (2, 5) to (3, 6).
    ins = instance(
        [job("a", chunks=6, work=20, ps=[2.5])], worker_servers=[[9.0]], ps_servers=[[9.0]]
    )
    (limits,) = job_limits(ins)
    assert limits.most == 6
    assert limits.most_ps == 3
    assert limits.staircase() == [(2.5, 0.0), (1.0, 3.0)]


@pytest.mark.parametrize("ps", [1.0, 1.3, 2.5, 7.2, 1e8])
@pytest.mark.parametrize("unit", [1.0, 1e-7])
@pytest.mark.parametrize("chunks", [1, 5, 50])
def test_the_staircase_implies_the_line_of_6_and_that_7_is_not_needed(
    ps: float, unit: float, chunks: int
) -> None:
    big = {"worker_servers": [[99.0]], "ps_servers": [[99e8]]}
    record = job("a", chunks=chunks, work=99, worker=[unit], ps=[unit * ps])
    (limits,) = job_limits(instance([record], slots=99, **big))
    slope, level = limits.slope_of_6()
    for m in np.linspace(0.0, limits.most_ps, 50):
        served = min((edge * m + height for edge, height in limits.staircase()), default=math.inf)
        served = min(served, limits.most)  # (3)
        assert served <= slope * m + level + 1e-9
        assert served >= min(m, limits.most) - 1e-9  # m = n will do
        if limits.most_ps == 0:
            assert level >= limits.most


def test_the_staircase_sees_that_parameter_servers_are_whole() -> None:
    # One slot, one place for a parameter server, of 1.6 Gbps. "a" needs 2 worker-slots of 1
    # Gbps in the slot, so 2 parameter servers: alone it cannot run, n_max = 1, and it is left
    # out. "b" and "c" need one each: one of them runs, worth 1. The LP without the hull shares
    # the 1.6 Gbps, 1.6 workers; the hull says n <= m.
    jobs = [job("a", chunks=2, work=2, ps=[1.6])]
    jobs += [job(name, ps=[1.6]) for name in ("b", "c")]
    ins = instance(jobs, slots=1, worker_servers=[[2.0]], ps_servers=[[1.6]])
    assert [limits.job.id for limits in job_limits(ins)] == ["b", "c"]
    weak = solve_model(compact(ins, relaxed=True, strengthen=False)).result.objective
    strong = solve_model(compact(ins, relaxed=True)).result.objective
    assert (weak, strong) == (pytest.approx(1.6, **LP), pytest.approx(1.0, **LP))
    assert optimum(ins) == 1.0


def test_work_by_deadline_sees_how_much_is_done_in_time() -> None:
    # Server of 3 Gbps. "block" needs 2 places in slots 0 and 1 for 100 (2e-20 later). "late"
    # needs 4 worker-slots, 3 a slot at most, for 1 by slot 1; one place is left in slots 0 and
    # 1 each, so it earns next to nothing: 100. In the LP 2 of its 4 worker-slots are done by
    # slot 1, so half of its value is earned: 100.5. Without the rows only (3) tells: one worker
    # each in slots 2 and 3 is at most 3 (x - d), so d <= 2/3.
    def by_slot_1(value: float) -> Sigmoid:
        return Sigmoid(priority=2 * value, decay=50.0, target=1.0)

    jobs = [
        job("block", chunks=2, work=4, utility=by_slot_1(100.0)),
        job("late", chunks=3, work=4, utility=by_slot_1(1.0)),
    ]
    ins = instance(jobs, slots=4, worker_servers=[[3.0]], ps_servers=[[3.0]])
    weak = solve_model(compact(ins, relaxed=True, strengthen=False)).result.objective
    strong = solve_model(compact(ins, relaxed=True)).result.objective
    assert (weak, strong) == (pytest.approx(100 + 2 / 3, **LP), pytest.approx(100.5, **LP))
    assert optimum(ins) == pytest.approx(100.0)


def test_prices_are_the_worth_of_more_capacity() -> None:
    # 1.5 places for jobs worth 5 and 3: 5 + 3/2, and each further Gbps is worth 3. There is
    # room enough for parameter servers.
    jobs = [job("low", utility=constant(3.0)), job("high", utility=constant(5.0))]
    ins = instance(jobs, slots=1, worker_servers=[[1.5]], ps_servers=[[9.0]])
    result = relaxation(ins)
    assert result.status == "bounded"
    assert result.bound == pytest.approx(6.5, **LP)
    assert result.duals.worker.tolist() == [[[pytest.approx(3.0)]]]
    assert result.duals.ps.tolist() == [[[0.0]]]


def test_idle_workers_are_left_out() -> None:
    # Needs 2 worker-slots, has 2 + 2: the second slot goes, and with it its parameter server;
    # in slot 0 one parameter server of 2 Gbps serves both workers.
    ins = instance(
        [job("a", chunks=2, work=2, ps=[2.0]), job("b")],
        slots=2,
        worker_servers=[[3.0]],
        ps_servers=[[4.0]],
    )
    table = [[0, 0, 0, 2], [0, 1, 0, 2], [1, 0, 0, 1]]
    full = UtilitySchedule.build(ins, [True, False], table, [[0, 0, 0, 2], [0, 1, 0, 1]])
    lean = without_idle(ins, full)
    assert lean.workers.tolist() == [[0, 0, 0, 2]]
    assert lean.ps.tolist() == [[0, 0, 0, 1]]
    assert score(ins, lean).feasible
    assert score(ins, lean).completion.tolist() == [0, -1]


def test_columns_make_a_schedule_once_per_job() -> None:
    ins = competing()
    low, high = columns(ins)
    assert score(ins, UtilitySchedule.of_columns(ins, [high])).objective == 5.0
    with pytest.raises(ValueError, match="two columns of job 0"):
        UtilitySchedule.of_columns(ins, [low, low])


def test_an_infeasible_start_is_refused() -> None:
    ins = competing()
    both = UtilitySchedule.build(
        ins, [True, True], [[0, 0, 0, 1], [1, 0, 0, 1]], [[0, 0, 0, 1], [1, 0, 0, 1]]
    )
    with pytest.raises(InputError, match=r"start is no feasible schedule: \(4\)"):
        set_values(compact(ins), ins, both)


def read_and_solve(path: Path) -> float:
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return float(solver.getInfo().objective_function_value)


@pytest.mark.parametrize("ending", ["lp", "mps", "mps.gz"])
def test_files_read_back_have_the_same_optimum(tmp_path: Path, ending: str) -> None:
    ins = sharing()
    path = tmp_path / f"model.{ending}"
    for name, build in FORMULATIONS.items():
        write_model(build(ins), path)
        expected = solve_model(build(ins)).result.objective
        assert read_and_solve(path) == pytest.approx(expected), name
    write_model(schedule_ilp(ins, columns(ins)), path)
    assert read_and_solve(path) == pytest.approx(1.5)
    write_model(schedule_dual(ins, columns(ins)), path)
    assert read_and_solve(path) == pytest.approx(1.75, **LP)


def test_files_have_readable_names_and_known_endings(tmp_path: Path) -> None:
    write_model(compact(competing()), tmp_path / "model.lp")
    text = (tmp_path / "model.lp").read_text()
    assert "y(0_0_0)" in text
    assert "constraint_4(0_0_0)" in text
    with pytest.raises(InputError, match=r"the ending is not \.lp or \.mps"):
        write_model(compact(competing()), tmp_path / "model.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["model.lp"]
