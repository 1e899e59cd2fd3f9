"""Randomised rounding: the factors by hand, its placements against exact ones, its frequencies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

from models.colocated import Job
from solvers.colocated.oracle import best_schedule
from solvers.colocated.placement import slot_of
from solvers.colocated.placement_exact import ExactPlacement
from solvers.colocated.placement_program import Gain, PlacementProgram, round_at_random
from solvers.colocated.placement_rounding import RoundingPlacement
from solvers.colocated.rounding_factor import covering_gain, packing_gain
from tests.models.colocated.small import instance, job
from tests.solvers.colocated.brute_force import random_case
from tests.solvers.colocated.test_placement import check_rows, tight_case

Problem = tuple[Job, np.ndarray, np.ndarray]


def many_machines(seed: int, scale: float = 1.0) -> Problem:
    """A job of up to 40 workers whose sides collide on 12 machines, larger by a scale."""
    rng = np.random.default_rng(seed)
    servers = rng.integers(4, 16, (12, 2)) * scale
    record = job("a", max_workers=40, gamma=1.5, worker=[1.0, 2.0], ps=[0.0, 3.0])
    ins = instance([record], resources=["gpu", "cpu"], servers=servers.tolist())
    return ins.jobs[0], rng.exponential(1.0, servers.shape), servers


def test_factors_by_hand() -> None:
    assert covering_gain(0.5, 4.0, rows=1) == pytest.approx(2.495, abs=5e-4)
    assert covering_gain(0.5, 4.0) == pytest.approx(2.897, abs=5e-4)
    assert packing_gain(0.5, 48.0, 400) == pytest.approx(0.505, abs=5e-4)
    assert packing_gain(1.0, 42.0, 401) < 0.5 <= packing_gain(1.0, 43.0, 401)  # type: ignore[operator]
    assert packing_gain(1.0, 7.0, 401) is None
    small = packing_gain(1.0, 7.2, 401)
    assert small is not None and 0.0 < small < 0.01


@pytest.mark.parametrize("delta", [0.1, 0.5, 1.0])
def test_factors_keep_their_promise_exactly(delta: float) -> None:
    """Binomial tails, the worst of sums of that mean, against delta / (3 rows)."""
    for width in (2, 5, 20, 60, 200):
        for rows in (1, 2, 50):
            n = 50 * width
            up = covering_gain(delta, width, rows)
            assert binom.cdf(width - 1, n, up * width / n) <= delta / (3 * rows)
            down = packing_gain(delta, width, rows)
            if down is not None:
                assert binom.sf(width, n, down * width / n) <= delta / (3 * rows)


def test_rounding_has_the_right_mean_and_spares_whole_numbers() -> None:
    x = np.array([0.0, 0.25, 1.9, 3.0, 2.9999999999])
    drawn = round_at_random(x, 4000, np.random.default_rng(0))
    assert (np.abs(drawn - x) < 1.0).all()
    assert drawn.mean(axis=0) == pytest.approx(x, abs=0.04)
    assert (drawn[:, 3:] == 3).all()


def test_programs_solved_one_after_the_other_are_solved_right() -> None:
    """(23)-(26) written out once more, every row kept, each number of workers from scratch."""
    for seed in range(4):
        job_, price, free = many_machines(seed)
        slot = slot_of(job_, price, free, 40)
        program = PlacementProgram(job_, slot, free)
        size = len(free)
        worker_sum, ps_sum = np.repeat([[1.0, 0.0], [0.0, 1.0]], size, axis=1)
        capacity = np.zeros((2 * size, 2 * size))
        for h in range(size):
            capacity[2 * h : 2 * h + 2, h] = job_.worker
            capacity[2 * h : 2 * h + 2, size + h] = job_.ps
        bounds = [(0, int(n)) for n in [*((slot.room >= 0).sum(axis=1) - 1), *slot.room[:, 0]]]
        exact = ExactPlacement().options(job_, price, free, 40).external_cost
        top = int(np.flatnonzero(np.isfinite(exact))[-1])
        for workers in (3, top, top // 2, top - 1):
            x = program.solve(workers)
            expected = linprog(
                np.concatenate([slot.worker_cost, slot.ps_cost]),
                A_ub=np.vstack([capacity, -worker_sum, -ps_sum]),
                b_ub=[*free.ravel(), -workers, -job_.ps_needed(workers)],
                bounds=bounds,
            )
            assert slot.cost((x[0], x[1])) == pytest.approx(expected.fun), (seed, workers)


@pytest.mark.parametrize("gain", [1.0, 0.8, "packing", "covering"])
def test_rounding_is_feasible_and_costs_no_less_than_exact(gain: Gain) -> None:
    way = RoundingPlacement(np.random.default_rng(0), gain=gain, tries=5)
    cases = [tight_case(seed) for seed in range(40)] + [many_machines(seed) for seed in range(3)]
    for job_, price, free in cases:
        options = way.options(job_, price, free, job_.max_workers)
        exact = ExactPlacement().options(job_, price, free, job_.max_workers)
        assert (options.external_cost >= exact.external_cost * (1.0 - 1e-9)).all()
        assert options.internal_cost.tolist() == exact.internal_cost.tolist()
        check_rows(job_, price, free, options, False)
    record = way.record
    assert (record["no gain"] > 0) == (gain == "packing")
    assert record["rounded"] + record["repaired"] + record["no gain"] > 40
    if gain == 1.0:
        assert record["rounded"] > 0 < record["repaired"]


def test_same_seed_same_schedule() -> None:
    ins, _, free = random_case(3, jobs=1, servers=4, samples=9)
    prices = np.random.default_rng(1).exponential(1.0, free.shape)
    free = np.full(free.shape, 3.0)
    columns = [
        best_schedule(ins.jobs[0], prices, free, RoundingPlacement(np.random.default_rng(seed)))
        for seed in (7, 7)
    ]
    assert columns[0] is not None and columns[1] is not None
    for side in ("workers", "ps"):
        assert np.array_equal(getattr(columns[0], side), getattr(columns[1], side))
    problem = many_machines(0)
    drawn = [
        RoundingPlacement(np.random.default_rng(7)).options(*problem, 20).external_cost.tolist()
        for _ in range(2)
    ]
    assert drawn[0] == drawn[1]


def test_bad_options_are_refused() -> None:
    rng = np.random.default_rng(0)
    bad: dict[str, Any]
    for bad in ({"delta": 0.0}, {"delta": 1.5}, {"tries": 0}):
        with pytest.raises(ValueError):
            RoundingPlacement(rng, **bad)


def test_what_the_tolerances_of_the_relaxation_hide_is_not_placed() -> None:
    """Beside a worker of 5e-7 CPUs only one server fits, where the program sees two."""
    record = job("a", gamma=0.5, worker=[2.0, 5e-7], ps=[0.0, 0.5])
    ins = instance([record], resources=["gpu", "cpu"], servers=[[2.0, 1.0], [4.0, 1.0]])
    price, free = np.array([[1.0, 3.0], [1.0, 1.0]]), ins.cluster.servers
    options = RoundingPlacement(np.random.default_rng(0)).options(ins.jobs[0], price, free, 1)
    check_rows(ins.jobs[0], price, free, options, False)
