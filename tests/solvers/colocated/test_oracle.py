"""The oracle against every schedule there is."""

from __future__ import annotations

import math

import numpy as np
import pytest

from models.colocated import Cluster, Job, score
from models.colocated.schedule import ColocatedSchedule
from models.errors import InputError
from models.slot_column import Column
from solvers.colocated.oracle import best_schedule
from solvers.colocated.placement import SlotOptions
from solvers.colocated.placement_exact import ExactPlacement
from solvers.colocated.placement_greedy import GreedyPlacement
from solvers.colocated.pool_bound import PoolOracle
from solvers.colocated.progress import progress, units_needed
from tests.models.colocated.small import instance, job
from tests.solvers.colocated.brute_force import Case, best_payoff, random_case


def check_column(case: Case, column: Column) -> None:
    """A column runs alone in what is free, does all of the work, and costs what it says."""
    ins, prices, free = case
    result = score(ins, ColocatedSchedule.of_columns(ins, [column]))
    assert result.violations == ()
    assert result.objective == pytest.approx(column.value)
    assert result.completion[column.job] == column.completion
    used = np.zeros_like(free)
    job_ = ins.jobs[column.job]
    for rows, demand in ((column.workers, job_.worker), (column.ps, job_.ps)):
        np.add.at(used, (rows[:, 0], rows[:, 1]), rows[:, 2:] * demand)
    assert (used <= np.maximum(free, 0.0) + 1e-9).all()
    assert (used * prices).sum() == pytest.approx(column.cost)


def test_more_units_converge_to_the_best_schedule() -> None:
    """With k units, what is lost is less than one in each slot and one in the sum."""
    exact = [0, 0, 0]
    cases = 0
    for seed in range(60):
        case = random_case(seed, jobs=2)
        ins, prices, free = case
        for job_ in ins.jobs:
            slots = len(prices) - job_.arrival
            most = best_payoff(job_, prices, free, job_.work)
            cases += math.isfinite(most)
            for place, units in enumerate((1.0, 10.0, 1000.0)):
                column = best_schedule(job_, prices, free, ExactPlacement(), units=units)
                payoff = -math.inf if column is None else column.payoff
                least = best_payoff(job_, prices, free, job_.work + (slots + 1) / units)
                assert least - 1e-9 <= payoff <= most + 1e-9, seed
                exact[place] += math.isfinite(most) and payoff >= most - 1e-9
                if column is not None:
                    check_column(case, column)
            greedy = best_schedule(job_, prices, free, GreedyPlacement())
            if greedy is not None:
                assert greedy.payoff <= most + 1e-9
                check_column(case, greedy)
    assert exact[0] <= exact[1] <= exact[2]
    assert exact[2] >= 0.9 * cases > 10


def test_without_faster_machines_whole_units_are_exact() -> None:
    for seed in range(40):
        ins, prices, free = random_case(seed, jobs=1)
        record = ins.file.jobs[0]
        plain = instance(
            [job("a", record.arrival, samples=record.samples, sample_slots=0.7, max_workers=2,
                 gamma=record.gamma, worker=record.worker, ps=record.ps)],
            slots=3, resources=["gpu", "cpu"], servers=ins.file.servers,
        )  # fmt: skip
        expected = best_payoff(plain.jobs[0], prices, free, plain.jobs[0].work)
        column = best_schedule(plain.jobs[0], prices, free, ExactPlacement(), units=1.0)
        payoff = -math.inf if column is None else column.payoff
        assert payoff == pytest.approx(expected), seed


def test_ten_worker_slots_in_four_units() -> None:
    """One worker-slot is 0.4 of a unit: nothing online; a bound counts no units."""
    (job_,) = instance([job("a", samples=10, max_workers=4)], slots=12, servers=[[2.0]]).jobs
    assert job_.work == pytest.approx(10.0)
    assert [progress(job_, np.array([1]), inside, 0.4).tolist() for inside in (True, False)] == [
        [0],
        [0],
    ]
    assert units_needed(job_, 0.4) == 4
    free = np.full((12, 1, 1), 2.0)  # room for one worker and its parameter server
    assert best_schedule(job_, 0.0 * free, free, ExactPlacement(), units=0.4) is None
    column = best_schedule(job_, 0.0 * free, free, ExactPlacement(), units=1.0)
    assert column is not None
    assert column.completion == 9
    cluster = Cluster(12, 1.0, ("cpu",), np.array([[2.0]]))
    relaxed = PoolOracle(job_, cluster).best(np.zeros(12), np.zeros(12))
    assert relaxed is not None
    assert relaxed.completion == 9  # rounded up to whole units, four worker-slots would do


def test_rounding_is_on_the_safe_side() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        (job_,) = instance([job(
            "a", samples=int(rng.integers(1, 30)), gradient_mb=float(rng.uniform(0.0, 3.0)),
            sample_slots=float(rng.uniform(0.1, 1.0)), gamma=float(rng.uniform(0.3, 3.0)),
        )]).jobs  # fmt: skip
        workers, units = np.arange(9), float(rng.choice([0.3, 1.0, 10.0]))
        gap = progress(job_, workers, True, units) / units - workers * job_.speedup
        assert (gap <= 1e-6).all() and (gap > -1.0 / units - 1e-6).all()
        assert job_.work - 1e-6 <= units_needed(job_, units) / units < job_.work + 1.0 / units


def test_internal_placement_is_faster_and_preferred() -> None:
    """Fact 1 by hand: 2 g gamma / (F b) is 1 slot between machines and 0.1 on one; tau = 1."""
    record = job("a", samples=4, gradient_mb=2.0, max_workers=2)
    (job_,) = instance([record], servers=[[4.0], [4.0]]).jobs
    assert job_.external_slots == pytest.approx(2.0)
    assert job_.internal_slots == pytest.approx(1.1)
    free, prices = np.full((4, 2, 1), 4.0), np.ones((4, 2, 1))
    column = best_schedule(job_, prices, free, ExactPlacement())
    assert column is not None  # 2 workers of 1 / 1.1 for 3 slots, where external ones need 4
    assert column.completion == 2
    assert (column.workers[:, 1] == column.ps[:, 1]).all()
    split = best_schedule(job_, prices, np.full((4, 2, 1), 3.0), ExactPlacement())
    assert split is not None
    assert split.completion == 3


def test_equal_slots_are_placed_once() -> None:
    calls = []

    class Spy:
        def options(self, job: Job, price: np.ndarray, free: np.ndarray, most: int) -> SlotOptions:
            calls.append(most)
            return ExactPlacement().options(job, price, free, most)

    (job_,) = instance([job("a", 1, samples=3)], slots=9).jobs
    free, prices = np.full((9, 1, 1), 2.0), np.zeros((9, 1, 1))
    prices[4] = 1.0
    column = best_schedule(job_, prices, free, Spy())
    assert calls == [1, 1]
    assert column is not None
    assert (column.completion, column.cost) == (3, 0.0)
    with pytest.raises(InputError, match=r"job 'a': with 1e\+12 units .* want fewer units"):
        best_schedule(job_, prices, free, Spy(), units=1e12)
    (hopeless,) = instance([job("a", samples=10**12, max_workers=10**5)], slots=9).jobs
    assert best_schedule(hopeless, prices, free, Spy()) is None
    assert calls == [1, 1]
