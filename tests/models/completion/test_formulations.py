"""Formulations of `completion` against hand-worked answers and exhaustive search."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from models.completion import CompletionInstance, score
from models.completion.column import schedule_of
from models.completion.formulations import FORMULATIONS
from models.completion.formulations.schedule_ilp import schedule_dual, schedule_ilp
from models.completion.formulations.time_indexed import (
    horizon,
    max_weight,
    modes,
    schedule_from_values,
    time_indexed,
)
from models.export import write_model
from solvers.highs import HighsOptions
from solvers.pyomo_bridge import PyomoResult, solve_model
from tests.models.completion.brute_force import best_choice, columns
from tests.models.completion.small import instance, job, papers_example, random_instance, ring_job

EXACT = HighsOptions(mip_rel_gap=0.0)
# LPs may use the tolerant capacities, 1e-6 more, in full (models.tolerance).
LP = {"rel": 1e-5}
SEEDS = [pytest.param(n, marks=() if n % 10 == 0 else pytest.mark.slow) for n in range(30)]


def values(found: PyomoResult) -> tuple[dict, dict, dict]:
    return tuple(found.values(part) for part in (found.model.x, found.model.home, found.model.y))


def optimum(ins: CompletionInstance) -> float:
    """Optimum of (2) by the MILP; its schedule is feasible and worth it."""
    found = solve_model(time_indexed(ins), EXACT)
    if found.result.x is None:
        raise AssertionError(found.result.message)
    result = score(ins, schedule_from_values(ins, found.model, *values(found)))
    assert result.violations == ()
    assert result.objective == pytest.approx(found.result.objective)
    return result.objective


def e1() -> CompletionInstance:
    """E1: a = 1 and d = 2; prices or not, it completes at 3."""
    return instance([job("a", 1, minibatches=2)], slots=2)


def in_turn() -> CompletionInstance:
    """One slot for arrivals, room for one of two jobs at a time: 1 + 2."""
    return instance([job("a"), job("b")], slots=1)


def apart() -> CompletionInstance:
    """E4's servers: none holds a worker and a PS, so that the transfer takes a slot, too: 2."""
    one = job("a", gradient_mb=1.0)
    return instance([one], servers=[[1.0], [1.0]])


def e8() -> CompletionInstance:
    """E8: b = 2, B = 3; servers of 8 and 4 Gbps hold three workers, one beside two PSs, or two
    beside one. E D K = 3, one slot each, all at once.
    """
    one = job("a", chunks=3)
    return instance([one], servers=[[8.0], [4.0]], worker_types=[[2.0]], ps_types=[[3.0]])


def beside() -> CompletionInstance:
    """(2i) asks for two workers of `a` beside its PS, and no room for `b` is left: 1 + 2.

    As E8 for `a`; 3 + 2 * 2 = 7 Gbps. `b` needs the GPU, which is there. With only one worker of
    `a` beside its PS, and two elsewhere, both would run at once: 1 + 1.
    """
    jobs = [
        job("a", chunks=3, minibatch_slots=[1.0, 9.0], update_slots=[0.0, 9.0]),
        job("b", minibatch_slots=[9.0, 1.0], update_slots=[9.0, 0.0]),
    ]
    return instance(
        jobs,
        resources=["gpu", "bandwidth_gbps"],
        servers=[[1.0, 7.0], [0.0, 4.0]],
        worker_types=[[0.0, 2.0], [1.0, 1.0]],
        ps_types=[[0.0, 3.0], [0.0, 1.0]],
    )


def e5() -> CompletionInstance:
    """E5: six workers, three on either server: 7 slots."""
    one = ring_job("a", chunks=6, minibatches=2, update_slots=2.0, gradient_mb=1.0)
    return instance([one], architecture="allreduce", servers=[[3.0], [3.0]])


def slow_ring() -> CompletionInstance:
    """E5 with room for one worker on either server: one alone takes 12 slots, both 15."""
    one = ring_job("a", chunks=6, minibatches=2, update_slots=2.0, gradient_mb=1.0)
    return instance([one], architecture="allreduce", servers=[[1.0], [1.0]])


GOLDEN: dict[str, tuple[Callable[[], CompletionInstance], float]] = {
    "the paper's example": (papers_example, 25.0),
    "E1": (e1, 3.0),
    "in turn": (in_turn, 3.0),
    "apart": (apart, 2.0),
    "E8": (e8, 1.0),
    "beside": (beside, 3.0),
    "E5": (e5, 7.0),
    "slow ring": (slow_ring, 12.0),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_known_answers(name: str) -> None:
    make, best = GOLDEN[name]
    ins = make()
    assert optimum(ins) == best
    assert best_choice(ins, columns(ins, end=horizon(ins)), all_jobs=True)[0] == -best


def test_signs_by_hand() -> None:
    # E1: of two unit jobs one completes at 1, the other at 2. At price 1 of the two Gbps of slot 0
    # (half for each Gbps), and none later, a job costs min(1 + 1, 2) = 2: 2 + 2 - 1 = 3.
    ins = in_turn()
    found = columns(ins, end=2)
    lp = solve_model(schedule_ilp(ins, found, all_jobs=True, relaxed=True)).result
    assert lp.objective == pytest.approx(-3.0, **LP)
    dual = schedule_dual(ins, found, all_jobs=True)
    dual.payoff.set_values({0: -2.0, 1: -2.0})
    dual.delta.set_values({(0, 0, 0): 0.5, (0, 1, 0): 0.0})
    assert all(row.body() <= row.upper() + 1e-12 for row in dual.constraint_9a.values())
    assert dual.payoffs_and_prices() == pytest.approx(-3.0, **LP)


def test_no_jobs() -> None:
    ins = instance([])
    assert horizon(ins) == 0
    assert optimum(ins) == 0.0


@pytest.mark.parametrize("allreduce", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_optimum_is_that_of_brute_force(seed: int, allreduce: bool) -> None:
    ins = tiny(seed, allreduce)
    found = columns(ins, end=horizon(ins))
    value, chosen = best_choice(ins, found, all_jobs=True)
    assert score(ins, schedule_of(ins, chosen)).objective == pytest.approx(-value)
    assert optimum(ins) == pytest.approx(-value)
    # A later end changes nothing, and the LP is a bound.
    late = solve_model(time_indexed(ins, end=horizon(ins) + 2), EXACT).result
    assert late.objective == pytest.approx(-value)
    assert solve_model(time_indexed(ins, relaxed=True)).result.objective <= -value * (1 + 1e-9)
    by_columns = solve_model(schedule_ilp(ins, found, all_jobs=True), EXACT).result
    assert by_columns.objective == pytest.approx(value)


@pytest.mark.parametrize("allreduce", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_8_is_7_and_the_duals_are_those_of_9(seed: int, allreduce: bool) -> None:
    ins = tiny(seed, allreduce)
    deadline = int(np.random.default_rng(seed).integers(1, 5))
    found = columns(ins, deadline=deadline)
    best, _ = best_choice(ins, found, all_jobs=False)
    by_starts = solve_model(max_weight(ins, deadline, range(len(ins.jobs))), EXACT)
    assert by_starts.result.objective == pytest.approx(best)
    chosen = schedule_from_values(ins, by_starts.model, *values(by_starts))
    weight = sum(one.weight for one in ins.jobs if chosen.end[one.index] >= 0)
    assert weight == pytest.approx(best)
    assert chosen.end.max() <= deadline
    faults = {violation.equation for violation in score(ins, chosen).violations}
    assert faults <= {"(2a)", "(2j)"}  # jobs that are left out; starts of a block are its own
    assert solve_model(schedule_ilp(ins, found), EXACT).result.objective == pytest.approx(best)
    for all_jobs in (False, True):
        if all_jobs:
            found = columns(ins, end=horizon(ins))
        primal = solve_model(schedule_ilp(ins, found, all_jobs=all_jobs, relaxed=True))
        dual = solve_model(schedule_dual(ins, found, all_jobs=all_jobs))
        assert dual.result.objective == pytest.approx(primal.result.objective)
        # The duals of (8a) and (8b), by the bridge, are a solution of (9) of the same value.
        prices = primal.duals(primal.model.constraint_8a)
        payoffs = primal.duals(primal.model.constraint_8b)
        room = ins.cluster.tolerant.servers
        total = sum(payoffs.values()) + sum(room[h, r] * p for (h, _, r), p in prices.items())
        assert total == pytest.approx(primal.result.objective, abs=1e-7)
        for column in found:
            servers, amounts = column.servers, column.amounts(ins.cluster)
            cost = sum(
                amounts[k, r] * prices.get((h, t, r), 0.0)
                for k, h in enumerate(servers.tolist())
                for r in range(amounts.shape[1])
                for t in range(column.start, column.completion)
            )
            assert payoffs[column.job] >= column.value - cost - 1e-7
        if not all_jobs:
            relaxed = solve_model(
                max_weight(ins, deadline, range(len(ins.jobs)), relaxed=True)
            ).result.objective
            assert relaxed >= best * (1 - 1e-9)


def tiny(seed: int, allreduce: bool) -> CompletionInstance:
    rng = np.random.default_rng(seed)
    size = {"jobs": int(rng.integers(2, 4)), "servers": int(rng.integers(1, 4))}
    return random_instance(rng, allreduce=allreduce, **size)


def test_a_batch_of_some_jobs() -> None:
    # In (7) all jobs of the batch are there at the start of the block.
    ins = instance([job("a", weight=3.0), job("b", 2, weight=2.0), job("c", 3, weight=4.0)])
    assert solve_model(max_weight(ins, 2, range(3)), EXACT).result.objective == 7.0
    assert solve_model(max_weight(ins, 1, [0, 1]), EXACT).result.objective == 3.0
    assert solve_model(max_weight(ins, 0, range(3)), EXACT).result.objective == 0.0


def test_all_jobs_as_one_batch_can_be_exported() -> None:
    # One server, one at a time, until T = 2: the two heaviest.
    jobs = [job("a", weight=3.0), job("b", weight=2.0), job("c", 1, weight=4.0)]
    ins = instance(jobs, slots=2)
    assert solve_model(FORMULATIONS["max-weight"](ins), EXACT).result.objective == 7.0


def test_starts_may_be_left_out() -> None:
    ins = in_turn()
    late = time_indexed(ins, end=3, allowed=lambda j, mode: range(j + 1, 3))
    assert solve_model(late, EXACT).result.objective == 2 + 3
    none = time_indexed(ins, allowed=lambda j, mode: () if j else range(9))
    assert solve_model(none, EXACT).result.status == "infeasible"
    assert solve_model(time_indexed(ins, end=1), EXACT).result.status == "infeasible"


def test_modes_by_hand() -> None:
    # E5: on one server 12, 12, 10 slots for 1 to 3 workers; spread, 4 to 6 are faster than fewer.
    (one,) = e5().jobs
    found = [(k.internal, k.workers, k.duration) for k in modes(one, e5().cluster)]
    assert found == [(True, 1, 12), (True, 3, 10), (False, 4, 10), (False, 5, 9), (False, 6, 7)]
    # E8: one PS serves one worker elsewhere, two serve two or three; three workers and a PS are
    # more than a server holds.
    (one,) = e8().jobs
    found = [(k.internal, k.workers, k.ps, k.beside, k.homes) for k in modes(one, e8().cluster)]
    assert found == [
        (True, 1, 1, 0, (0,)),
        (True, 2, 1, 0, (0,)),
        (False, 1, 1, 0, (0, 1)),
        (False, 2, 1, 1, (0,)),
        (False, 2, 2, 0, (0,)),
        (False, 3, 1, 2, (0,)),
        (False, 3, 2, 0, (0,)),
    ]


@pytest.mark.parametrize("name", FORMULATIONS)
@pytest.mark.parametrize("ending", ["lp", "mps"])
def test_export(name: str, ending: str, tmp_path: Path) -> None:
    model = FORMULATIONS[name](instance([job("a"), job("b")]))
    path = tmp_path / f"model.{ending}"
    write_model(model, path)
    text = path.read_text()
    assert "constraint_2h" in text and "x(0_" in text
