"""Plans in fractions of workers become whole workers that the servers hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from models.sigmoid import Sigmoid
from models.utility import UtilityInstance, score
from models.utility.formulations.schedules import without_idle
from solvers.highs import solve as run_highs
from solvers.utility.deadlines import DeadlineOptions
from solvers.utility.deadlines.plan_program import PlanProgram
from solvers.utility.deadlines.relax_and_fix import Placed, relax_and_fix
from solvers.utility.deadlines.state import DeadlineState
from solvers.utility.exact import solve as solve_exactly
from solvers.utility.occupancy import repaired
from solvers.utility.oracle import zero_prices
from tests.models.utility.small import instance, job
from tests.solvers.utility.test_exact import SEEDS, best, contended
from tests.solvers.utility.test_time_grid import shared_of

_OPTIONS = DeadlineOptions()


def rolled(
    ins: UtilityInstance, ends: dict[int, int], options: DeadlineOptions = _OPTIONS
) -> tuple[DeadlineState, PlanProgram, Placed]:
    state = shared_of(ins, 1000.0, options)
    program = PlanProgram(state, ends, 1.0, early=True)
    program.solve()
    while program.add_broken() or program.learn():
        program.solve()
    return state, program, relax_and_fix(state, program)


def two_jobs(capacity: float, work: int = 1, chunks: int = 1) -> UtilityInstance:
    """Two jobs, worth less the later; a worker takes 2 of what the one server has."""
    utility = Sigmoid(priority=20.0, decay=1.0, target=1.0)
    one = {"chunks": chunks, "work": work, "worker": [1.0, 2.0], "ps": [1.0, 0.0]}
    jobs = [job(name, utility=utility, **one) for name in ("a", "b")]
    return instance(
        jobs,
        resources=["bandwidth_gbps", "gpu"],
        worker_servers=[[10.0, capacity]],
        ps_servers=[[10.0, 0.0]],
    )


def test_fractions_become_whole_workers() -> None:
    # The server holds one worker, and a half in fractions: one job in slot 0, the other in slot 1.
    _, program, found = rolled(two_jobs(3.0), {0: 1, 1: 1})
    assert found.workers.sum(axis=0).tolist() == [1, 1]
    assert found.workers.sum(axis=1).tolist() == [1, 1, 0, 0]
    assert found.places[0, 0].shape == (1, 2)
    assert program.mark.slot == 4


def test_work_is_done_early_where_there_is_room() -> None:
    _, _, found = rolled(two_jobs(4.0), {0: 1, 1: 1})
    assert found.workers.tolist() == [[1, 1], [0, 0], [0, 0], [0, 0]]


def test_a_job_that_cannot_be_in_time_is_late_or_left_out() -> None:
    # Both are to complete in slot 0, where one fits: the other is done by slot 1.
    _, _, found = rolled(two_jobs(3.0), {0: 0, 1: 0})
    assert found.workers.sum(axis=1).tolist() == [1, 1, 0, 0]
    # Two slots each for one worker, by slots 1 and 3 at the latest: all four slots are used.
    _, _, found = rolled(two_jobs(3.0, work=2), {0: 1, 1: 3})
    assert found.workers.sum(axis=1).tolist() == [1, 1, 1, 1]
    assert found.workers.sum(axis=0).tolist() == [2, 2]


def test_jobs_without_an_end_do_not_run() -> None:
    _, _, found = rolled(two_jobs(10.0), {0: 0})
    assert found.workers.sum(axis=0).tolist() == [1, 0]


def test_what_was_fixed_stays_and_what_was_lost_is_made_up() -> None:
    # Two workers of a in slot 0, of which one is lost: its work is done in slot 1.
    ins = two_jobs(4.0, work=2, chunks=2)
    state = shared_of(ins, 1000.0)
    program = PlanProgram(state, {0: 0}, 1.0, early=True)
    program.solve()
    start, before = program.mark, state.totals.ends(program.x)
    assert before == {0: 0}
    window = program.window(0, 0)
    result = run_highs(window.program)
    assert result.x is not None
    program.decide(window, result.x)
    assert state.totals.loads(program.x, 0)[0].tolist() == [2, 0]
    program.fix(0, np.array([[1, 0], [1, 0]]))
    for last in (1, 3):  # slot 1 alone in whole workers, or all that are left
        window = program.window(1, last)
        result = run_highs(window.program)
        assert result.x is not None
        program.decide(window, result.x)
        assert state.totals.loads(program.x, 0)[:, 0].tolist() == [1, 1, 0, 0]
        assert state.totals.ends(program.x) == {0: 1}
    program.return_to(start)
    assert (program.mark.slot, state.totals.ends(program.x)) == (0, before)


def test_no_more_is_asked_of_servers_than_they_were_found_to_hold() -> None:
    state = shared_of(two_jobs(4.0), 1000.0)
    program = PlanProgram(state, {0: 0, 1: 0}, 1.0, early=True)
    program.solve()
    assert state.totals.loads(program.x, 0)[0].sum() == pytest.approx(2.0)
    program.hold(0, 0, np.array([0.5, 0.5]), np.array([1, 0]))  # one of the two
    result = run_highs(program.window(0, 0).program)
    assert result.x is not None
    program.decide(program.window(0, 0), result.x)
    assert state.totals.loads(program.x, 0)[:2].sum(axis=1).tolist() == [1, 1]


@pytest.mark.parametrize("back", [0, 10])
@pytest.mark.parametrize("seed", SEEDS[:8])
def test_whatever_is_placed_can_be_scheduled_as_it_is(seed: int, back: int) -> None:
    # From the deadlines of an optimum: a feasible schedule, worth what the program says at least,
    # and with the last slots decided again as much as without.
    ins = contended(seed)
    schedule = solve_exactly(ins).schedule
    assert schedule is not None
    state = shared_of(ins, 1000.0)
    if not state.totals.limits:
        return  # no job can complete
    ends = state.totals.ends(state.totals.point(without_idle(ins, schedule)))
    state, program, found = rolled(ins, ends, replace(_OPTIONS, back=back))
    assert (found.workers.sum(axis=0) <= [job.work for job in ins.jobs]).all()
    judged = score(
        ins,
        repaired(
            ins,
            found.workers,
            lambda side, slot: found.places[side, slot],
            zero_prices(ins.cluster),
        ).schedule(),
    )
    assert judged.feasible
    assert judged.objective <= best(seed) * (1 + 1e-6)
    assert judged.objective * state.factor >= state.totals.worth(program.x) * (1 - 1e-6)
