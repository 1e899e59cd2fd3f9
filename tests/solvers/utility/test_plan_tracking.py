"""Plans in fractions of workers become whole workers that the servers hold."""

from __future__ import annotations

import numpy as np
import pytest

from models.utility import UtilityInstance, score
from solvers.highs import solve as run_highs
from solvers.utility.deadlines.plan_tracking import Followed, Plan, PlanTracker
from solvers.utility.occupancy import repaired
from solvers.utility.oracle import zero_prices
from solvers.utility.totals_program import TotalsProgram
from tests.models.utility.small import instance, job
from tests.solvers.utility.test_exact import SEEDS, contended
from tests.solvers.utility.test_time_grid import shared_of


def followed(ins: UtilityInstance, plan: Plan, urgency: np.ndarray | None = None) -> Followed:
    tracker = PlanTracker(shared_of(ins, 1.0))
    return tracker.follow(plan, urgency)


def two_jobs(capacity: float) -> UtilityInstance:
    """Two jobs of one worker-slot; a worker takes 2 of what the one server has."""
    jobs = [job(name, chunks=1, work=1, worker=[1.0, 2.0], ps=[1.0, 0.0]) for name in ("a", "b")]
    return instance(
        jobs,
        resources=["bandwidth_gbps", "gpu"],
        worker_servers=[[10.0, capacity]],
        ps_servers=[[10.0, 0.0]],
    )


def test_fractions_add_up_to_whole_workers() -> None:
    # Half a worker of each job in slots 0 and 1. The server holds one worker: one job in slot 0,
    # the other, which the plan has run since then, in slot 1.
    plan = Plan(np.array([[0.5, 0.5], [0.5, 0.5], [0, 0], [0, 0]]), {0: 1, 1: 1})
    found = followed(two_jobs(3.0), plan)
    assert found.workers.sum(axis=0).tolist() == [1, 1]
    assert found.workers.sum(axis=1).tolist() == [1, 1, 0, 0]
    assert not found.lacking


def test_workers_run_ahead_of_the_plan_where_there_is_room() -> None:
    plan = Plan(np.array([[0.25, 0.5], [0.75, 0.5], [0, 0], [0, 0]]), {0: 1, 1: 1})
    found = followed(two_jobs(4.0), plan)
    assert found.workers.tolist() == [[1, 1], [0, 0], [0, 0], [0, 0]]


def test_what_a_plan_asks_beyond_the_servers_is_lacking_and_made_up_late() -> None:
    # Both in slot 0, where one fits: the other is late by its one worker-slot, in slot 1.
    plan = Plan(np.array([[1.0, 1.0], [0, 0], [0, 0], [0, 0]]), {0: 0, 1: 0})
    found = followed(two_jobs(3.0), plan)
    assert found.workers.sum(axis=1).tolist() == [1, 1, 0, 0]
    late = int(np.flatnonzero(found.workers[1])[0])
    assert found.lacking == {late: 1}


@pytest.mark.parametrize("first", [0, 1])
def test_of_two_jobs_the_one_without_slack_and_the_urgent_one_come_first(first: int) -> None:
    # Both want slot 0, where one fits.
    wanted = np.array([[1.0, 1.0], [0, 0], [0, 0], [0, 0]])
    found = followed(two_jobs(3.0), Plan(wanted, {first: 0, 1 - first: 1}))
    assert found.workers[0, first] == 1
    assert not found.lacking
    urgency = np.ones(2)
    urgency[first] = 2.0
    found = followed(two_jobs(3.0), Plan(wanted, {0: 0, 1: 0}), urgency)
    assert found.lacking == {1 - first: 1}


def test_jobs_without_an_end_do_not_run() -> None:
    plan = Plan(np.array([[1.0, 0.0], [0, 0], [0, 0], [0, 0]]), {0: 0})
    assert followed(two_jobs(10.0), plan).workers.sum(axis=0).tolist() == [1, 0]


@pytest.mark.parametrize("seed", SEEDS[:8])
def test_whatever_is_followed_can_be_scheduled_as_it_is(seed: int) -> None:
    # Work of the deadlines' optimum in fractions: the workers that follow it, placed as they
    # were, are a feasible schedule in which all jobs that lack nothing complete in time.
    ins = contended(seed)
    program = TotalsProgram(ins)
    if not program.limits:
        return  # no job can complete
    x = run_highs(program.program(whole=False)).x
    assert x is not None
    plan = Plan(program.loads(x, 0), program.ends(x))
    found = followed(ins, plan)
    assert (found.workers.sum(axis=0) <= [job.work for job in ins.jobs]).all()
    schedule = repaired(
        ins,
        found.workers,
        lambda side, slot: found.places[side, slot],
        zero_prices(ins.cluster),
    ).schedule()
    judged = score(ins, schedule)
    assert judged.feasible
    for i, end in plan.ends.items():
        if i not in found.lacking:
            assert 0 <= judged.completion[i] <= end
