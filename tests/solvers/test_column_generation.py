"""Column generation on a small assignment problem, as a maximisation and as a minimisation."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from benchmarks.utility import WORKLOAD
from models.sigmoid import Sigmoid
from solvers.column_generation import ColumnGeneration, Round
from solvers.highs import LinearProgram, solve
from solvers.highs.engine import HighsError
from solvers.highs.growing import GrowingProgram
from solvers.utility.offline import solve as solve_offline
from solvers.utility.pool_bound import pool_bound
from solvers.utility.pooled import PooledProblem
from solvers.utility.separation import PackingSeparator
from tests.models.utility.small import instance, job


@dataclass(frozen=True)
class Choice:
    """A job on a machine."""

    job: int
    machine: int
    value: float
    payoff: float


class Assignment:
    """Each job on at most (or exactly) one machine; machines have capacities.

    The best objective is the largest value, or minus the least cost.
    """

    def __init__(
        self, value: np.ndarray, size: np.ndarray, capacity: np.ndarray, must_run: bool
    ) -> None:
        self.value = value  # [J, M], -inf where impossible
        self.size = size  # [J]
        self.capacity = capacity
        self.must_run = must_run
        self.jobs = len(value)
        self.separated = 0

    def capacities(self) -> np.ndarray:
        return self.capacity

    def price(self, duals: np.ndarray, deadline: float) -> Sequence[Choice | None]:
        payoffs = self.value - self.size[:, None] * duals
        best = payoffs.argmax(axis=1)
        return [
            Choice(j, int(m), float(self.value[j, m]), float(payoffs[j, m]))
            if math.isfinite(payoffs[j, m])
            else None
            for j, m in enumerate(best)
        ]

    def usage(self, column: Choice, first_row: int) -> tuple[np.ndarray, np.ndarray]:
        if column.machine < first_row:
            return np.zeros(0, dtype=int), np.zeros(0)
        return np.array([column.machine]), self.size[[column.job]]

    def separate(self, columns: Sequence[Choice], weights: np.ndarray, deadline: float) -> int:
        self.separated += 1
        return 0

    def optimum(self) -> float:
        """Best whole assignment, all of them tried; -inf if there is none."""
        machines = len(self.capacity)
        best = -math.inf
        outside = [] if self.must_run else [machines]
        for chosen in itertools.product([*range(machines), *outside], repeat=self.jobs):
            load = np.zeros(machines + 1)
            np.add.at(load, list(chosen), self.size)
            if (load[:machines] <= self.capacity + 1e-9).all():
                total = sum(self.value[j, m] for j, m in enumerate(chosen) if m < machines)
                best = max(best, float(total))
        return best

    def lp(self) -> float | None:
        """Value of the LP over all columns."""
        pairs = [(j, m) for j, m in np.ndindex(*self.value.shape) if np.isfinite(self.value[j, m])]
        matrix = np.zeros((self.jobs + len(self.capacity), len(pairs)))
        for k, (j, m) in enumerate(pairs):
            matrix[j, k], matrix[self.jobs + m, k] = 1.0, self.size[j]
        low = np.full(len(matrix), -np.inf)
        low[: self.jobs] = 1.0 if self.must_run else -np.inf
        program = LinearProgram(
            sense="max",
            cost=[self.value[pair] for pair in pairs],
            matrix=matrix,
            row_lower=low,
            row_upper=np.concatenate([np.ones(self.jobs), self.capacity]),
        )
        return solve(program).objective


def drawn(seed: int, must_run: bool, *, slack: float = 1.0) -> Assignment:
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 5, 5).astype(float)
    value = rng.integers(1, 100, (5, 3)).astype(float)
    capacity = rng.dirichlet(np.ones(3)) * size.sum() * (slack + rng.random() * 0.5)
    return Assignment(-value if must_run else value, size, capacity, must_run)


@pytest.mark.parametrize("must_run", [False, True])
def test_converges_to_the_lp_from_above(must_run: bool) -> None:
    fractional, impossible = 0, 0
    for seed in range(60):
        problem = drawn(seed, must_run)
        value, best = problem.lp(), problem.optimum()
        result = ColumnGeneration(problem, gap=1e-9).run()
        assert result.converged, result.message
        assert result.feasible == (value is not None)
        assert result.bound >= best - 1e-9
        if value is None:
            assert result.message == "the jobs do not fit together"
            assert best == -math.inf
            impossible += 1
            continue
        assert result.bound == pytest.approx(value, abs=1e-4)
        # The last master's solution is one of the LP.
        load = np.zeros(3)
        done = np.zeros(problem.jobs)
        for column, weight in zip(result.columns, result.weights, strict=True):
            load[column.machine] += weight * problem.size[column.job]
            done[column.job] += weight
        assert (load <= problem.capacity + 1e-6).all()
        assert (done <= 1 + 1e-6).all()
        assert not must_run or done == pytest.approx(np.ones(problem.jobs))
        fractional += value > best + 1e-6
    assert fractional > 10
    assert must_run or impossible == 0


def test_a_minimisation_by_hand() -> None:
    # Both jobs like machine 0 (cost 1, 2), which holds one; on machine 1 they cost 10 and 5.
    # 1 + 5 = 6 beats 10 + 2. Priced one by one, both come on machine 0: the first master has no
    # solution but to leave a job out.
    value = -np.array([[1.0, 10.0], [2.0, 5.0]])
    problem = Assignment(value, np.ones(2), np.array([1.0, 2.0]), must_run=True)
    assert problem.optimum() == -6.0
    result = ColumnGeneration(problem).run()
    assert result.feasible
    assert result.bound == pytest.approx(-6.0)
    assert result.log[-1].value == pytest.approx(-6.0)


def test_a_job_without_any_schedule_is_found_out() -> None:
    value = np.array([[-1.0], [-np.inf]])
    problem = Assignment(value, np.ones(2), np.array([9.0]), must_run=True)
    result = ColumnGeneration(problem).run()
    assert (result.bound, result.feasible) == (-math.inf, False)
    assert result.message == "a job has no schedule"


def test_jobs_that_do_not_fit_together_are_found_out() -> None:
    problem = Assignment(-np.ones((3, 1)), np.ones(3), np.array([2.0]), must_run=True)
    result = ColumnGeneration(problem).run()
    assert result.converged and not result.feasible
    assert result.message == "the jobs do not fit together"


def test_nothing_to_schedule() -> None:
    problem = Assignment(np.zeros((0, 2)), np.zeros(0), np.ones(2), must_run=False)
    result = ColumnGeneration(problem).run()
    assert (result.bound, result.message) == (0.0, "nothing to schedule")


class Rows(Assignment):
    """Adds rows for ever that do nothing, or that lower the master each time."""

    def __init__(self, *, useful: bool) -> None:
        super().__init__(np.array([[100.0]]), np.ones(1), np.array([1.0]), must_run=False)
        self.useful = useful

    def price(self, duals: np.ndarray, deadline: float) -> Sequence[Choice | None]:
        return [Choice(0, 0, 100.0, 100.0 - float(duals.sum()))]

    def usage(self, column: Choice, first_row: int) -> tuple[np.ndarray, np.ndarray]:
        rows = np.arange(first_row, len(self.capacity))
        return rows, np.ones(len(rows))

    def separate(self, columns: Sequence[Choice], weights: np.ndarray, deadline: float) -> int:
        self.separated += 1
        if self.separated > 20:
            return 0
        last = self.capacity[-1]
        self.capacity = np.append(self.capacity, 0.99 * last if self.useful else last)
        return 1


def test_rows_that_do_not_move_the_master_end_the_run() -> None:
    idle, useful = Rows(useful=False), Rows(useful=True)
    result = ColumnGeneration(idle).run()
    assert idle.separated == 3
    assert result.message == "further rows do not move the bound"
    assert result.bound == pytest.approx(100.0)
    # Rows that do are added to the end: 100 x 0.99^20.
    result = ColumnGeneration(useful).run()
    assert result.message == "converged"
    assert result.bound == pytest.approx(100 * 0.99**20)


def test_options_are_recorded() -> None:
    result = ColumnGeneration(drawn(0, False), smoothing=0.3, gap=0.01).run()
    assert result.options == {"smoothing": 0.3, "gap": 0.01}
    offline = solve_offline(instance([job("a")]), time_limit=9.0)
    assert offline.options["column_generation"] == {"smoothing": 0.6, "gap": 1e-3}
    assert offline.options["time_limit"] == 9.0  # of all, not what was left for the ILP


@pytest.mark.parametrize("wrong", [{"smoothing": -1.0}, {"smoothing": 1.0}, {"gap": -1e-3}])
def test_options_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ColumnGeneration(drawn(0, False), **wrong)


@pytest.mark.parametrize("in_kernel", [False, True])
def test_what_is_known_outlives_an_interruption(in_kernel: bool) -> None:
    problem = drawn(0, False)
    generation = ColumnGeneration(problem, gap=1e-9)

    def stop(entry: Round) -> None:
        if entry.number == 1 and in_kernel:  # what Numba makes of it
            raise SystemError from KeyboardInterrupt()
        if entry.number == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generation.run(stop)
    result = generation.result()
    assert result.message == "interrupted"
    assert not result.converged
    assert [entry.number for entry in result.log] == [0, 1]
    assert result.bound == result.log[-1].bound >= problem.lp()
    assert len(result.weights) == len(result.columns) > 0
    with pytest.raises(RuntimeError, match="runs once"):
        generation.run()


@pytest.mark.parametrize(
    "call",
    [pytest.param(n, marks=() if n % 9 == 1 else pytest.mark.slow) for n in range(1, 40, 3)],
)
@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (PackingSeparator, "cut"),
        (PackingSeparator, "_worth"),
        (GrowingProgram, "add_row"),
        (GrowingProgram, "add_column"),
        (GrowingProgram, "solve"),
        (PooledProblem, "usage"),
        (PooledProblem, "_rebuild"),
    ],
)
@pytest.mark.parametrize("after", [False, True])
def test_wherever_it_is_interrupted_the_bound_is_proven(
    owner: type, name: str, call: int, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ins = WORKLOAD.draw(jobs=6, slots=6, servers=(3, 3), seed=1)[0]
    problem = PooledProblem(ins)
    generation = ColumnGeneration(problem)
    real, calls = getattr(owner, name), itertools.count(1)

    def interrupted(*arguments: Any) -> Any:
        stop = next(calls) == call
        if stop and not after:
            raise KeyboardInterrupt
        done = real(*arguments)
        if stop:
            raise KeyboardInterrupt
        return done

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, interrupted)
        with suppress(KeyboardInterrupt):
            generation.run()
    result = generation.result()
    assert len(result.weights) == len(result.columns)
    if result.bound < math.inf:
        proven = pool_bound(ins, problem.pool_prices(result.duals))
        assert proven == pytest.approx(result.bound, rel=1e-8)
        totals = problem.totals(result.columns, result.weights)
        assert all(load.shape == (6, 6) for load in totals)


def test_a_result_is_of_its_moment() -> None:
    generation, taken = ColumnGeneration(drawn(0, False), gap=1e-9), []
    generation.run(lambda _: taken.append(generation.result()))
    assert [len(result.log) for result in taken] == list(range(1, len(taken) + 1))
    assert all(len(result.weights) == len(result.columns) for result in taken)


def test_separation_without_an_answer_is_no_convergence(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise HighsError("no answer")

    ins = WORKLOAD.draw(jobs=6, slots=6, servers=(3, 3), seed=1)[0]
    monkeypatch.setattr(PackingSeparator, "cut", fail)
    result = ColumnGeneration(PooledProblem(ins)).run()
    assert not result.converged
    assert result.message == "no answer"
    assert result.bound < math.inf


def test_a_deadline_leaves_a_bound() -> None:
    problem = drawn(0, False)
    result = ColumnGeneration(problem, deadline=time.monotonic()).run()
    assert not result.converged
    assert result.message == "time limit"
    assert problem.lp() <= result.bound < math.inf
    assert len(result.weights) == len(result.columns)


def test_separation_keeps_the_time_limit() -> None:
    # Loads of many jobs on many kinds of server: without a deadline a round takes far longer.
    rng = np.random.default_rng(0)
    jobs = [
        job(
            f"j{i}",
            chunks=50,
            work=100,
            worker=rng.uniform(1, 4, 3).tolist(),
            ps=rng.uniform(4, 9, 3).tolist(),
            utility=Sigmoid(priority=float(rng.uniform(1, 100)), decay=0.0, target=1.0),
        )
        for i in range(30)
    ]
    ins = instance(
        jobs,
        slots=10,
        resources=["gpu", "cpu", "bandwidth_gbps"],
        worker_servers=rng.uniform(8, 32, (30, 3)).tolist(),
        ps_servers=rng.uniform(8, 64, (30, 3)).tolist(),
    )
    solve_offline(instance([job("a"), job("b")]), time_limit=None)  # compiles the kernels
    began = time.monotonic()
    ColumnGeneration(PooledProblem(ins), deadline=began + 1.0).run()
    assert time.monotonic() - began < 4.0


def test_a_minimisation_whose_costs_are_all_0_ends() -> None:
    # 2.4 to place in 2: infeasible, and no value sets the scale of reduced costs.
    problem = Assignment(
        np.zeros((4, 2)), np.array([0.3, 0.7, 0.5, 0.9]), np.array([1.0, 1.0]), must_run=True
    )
    result = ColumnGeneration(problem, gap=1e-6, deadline=time.monotonic() + 5).run()
    assert result.converged
    assert not result.feasible
