"""Placement in one slot against every placement there is."""

from __future__ import annotations

import math

import numpy as np
import pytest

from models.colocated import Job
from models.errors import InputError
from solvers.colocated.kernels import fill_up, room_beside
from solvers.colocated.placement import SlotOptions
from solvers.colocated.placement_exact import ExactPlacement
from solvers.colocated.placement_greedy import GreedyPlacement, SplitPlacement
from tests.models.colocated.small import instance, job
from tests.solvers.colocated.brute_force import cheapest, cost_of


def check_rows(
    job_: Job, price: np.ndarray, free: np.ndarray, options: SlotOptions, internal: bool
) -> None:
    """What a placement says it costs is what its rows cost, and they fit."""
    costs = options.internal_cost if internal else options.external_cost
    for workers in np.flatnonzero(np.isfinite(costs[1:])) + 1:
        counts = np.zeros((len(free), 2), dtype=np.int64)
        for side, rows in enumerate(options.rows(int(workers), internal)):
            assert (rows[:, 1] > 0).all()
            assert (np.diff(rows[:, 0]) > 0).all()
            counts[rows[:, 0], side] = rows[:, 1]
        assert counts.sum(axis=0).tolist() == [workers, job_.ps_needed(int(workers))]
        used = counts[:, :1] * job_.worker + counts[:, 1:] * job_.ps
        assert (used <= free + 1e-9)[counts.any(axis=1)].all()
        assert cost_of(job_, price, counts) == pytest.approx(costs[workers])
        if internal:
            assert counts.any(axis=1).sum() == 1


def tight_case(seed: int) -> tuple[Job, np.ndarray, np.ndarray]:
    """A job whose sides want the same machines, and prices and free capacities of few."""
    rng = np.random.default_rng(seed)
    machines = int(rng.integers(2, 4))
    record = job(
        "a",
        max_workers=int(rng.integers(2, 7 if machines == 2 else 4)),
        gamma=float(rng.choice([0.5, 1.0, 1.5, 3.0])),
        worker=[float(rng.integers(0, 2)), float(rng.integers(1, 4))],
        ps=[0.0, float(rng.integers(1, 5))],
    )
    ins = instance([record], resources=["gpu", "cpu"], servers=np.ones((3, 2)).tolist())
    price = rng.exponential(1.0, (machines, 2))
    most = 11 if machines == 2 else 7
    return ins.jobs[0], price, rng.integers(1, most, price.shape) + rng.choice([0.0, 0.5])


def test_exact_equals_brute_force_and_greedy_costs_no_less() -> None:
    worse = 0
    for seed in range(200):
        job_, price, free = tight_case(seed)
        found = cheapest(job_, price, free)
        most = job_.max_workers
        exact = ExactPlacement().options(job_, price, free, most)
        greedy = GreedyPlacement().options(job_, price, free, most)
        for inside in (True, False):
            expected = [found.get((w, inside), math.inf) for w in range(1, most + 1)]
            costs = exact.internal_cost if inside else exact.external_cost
            padded = np.append(costs[1:], [math.inf] * (most + 1 - len(costs)))
            assert padded.tolist() == pytest.approx(expected), seed
            check_rows(job_, price, free, exact, inside)
        assert (greedy.external_cost >= exact.external_cost - 1e-9).all()
        check_rows(job_, price, free, greedy, False)
        worse += bool((greedy.external_cost > exact.external_cost + 1e-9).any())
    assert worse >= 3  # or the programme was not put to the test


def test_many_machines_at_once() -> None:
    """Greedy and exact on sizes that cannot be enumerated; tight, so that sides collide."""
    rng = np.random.default_rng(5)
    servers = rng.integers(2, 9, (30, 2)).astype(float)
    record = job("a", max_workers=40, gamma=1.5, worker=[1.0, 2.0], ps=[0.0, 3.0])
    ins = instance([record], resources=["gpu", "cpu"], servers=servers.tolist())
    price = rng.exponential(1.0, servers.shape)
    exact = ExactPlacement().options(ins.jobs[0], price, servers, 40)
    greedy = GreedyPlacement().options(ins.jobs[0], price, servers, 40)
    both = np.isfinite(greedy.external_cost)
    assert (greedy.external_cost >= exact.external_cost - 1e-9).all()
    assert (greedy.external_cost[both] > exact.external_cost[both] + 1e-6).any()
    assert (np.diff(exact.external_cost[np.isfinite(exact.external_cost)]) >= -1e-9).all()
    check_rows(ins.jobs[0], price, servers, exact, False)
    check_rows(ins.jobs[0], price, servers, greedy, False)


def test_split_machines_hold_one_side_each() -> None:
    for seed in range(60):
        job_, price, free = tight_case(seed)
        sides = np.arange(0, len(free), 2), np.array([1])
        options = SplitPlacement(*sides).options(job_, price, free, job_.max_workers)
        assert np.isinf(options.internal_cost).all()
        check_rows(job_, price, free, options, False)
        room = [sum((n * job_.worker <= f).all() for n in range(1, 9)) for f in free]
        ps_room = sum((n * job_.ps <= free[1]).all() for n in range(1, 9))
        unit = sorted(float(price[h] @ job_.worker) for h in sides[0] for _ in range(room[h]))
        for w in range(1, job_.max_workers + 1):
            s = job_.ps_needed(w)
            fits = w <= len(unit) and s <= ps_room
            expected = sum(unit[:w]) + s * float(price[1] @ job_.ps) if fits else math.inf
            cost = options.external_cost[w] if w < len(options.external_cost) else math.inf
            assert cost == pytest.approx(expected), seed
    with pytest.raises(ValueError, match="both sides"):
        SplitPlacement(np.array([0]), np.array([0, 1]))


def test_a_machine_of_nothing_and_a_job_larger_than_any() -> None:
    ins = instance([job("a", worker=[3.0])], servers=[[0.0], [2.0]])
    for way in (ExactPlacement(), GreedyPlacement()):
        options = way.options(ins.jobs[0], np.ones((2, 1)), ins.cluster.servers, 5)
        assert np.isinf(options.internal_cost).all()
        assert np.isinf(options.external_cost[1:]).all()


def test_very_many_parameter_servers_are_refused_and_not_waited_for() -> None:
    """20 workers need 20,000 PSs, of which the cheapest machines hold too few beside them."""
    (job_,) = instance([job("a", max_workers=20, gamma=1e-3, worker=[370.0])]).jobs
    free, price = np.arange(5000.5, 11000.0, 1000.0)[:, None], np.arange(1.0, 7.0)[:, None]
    with pytest.raises(InputError, match="20000 parameter servers on 6 machines takes too long"):
        ExactPlacement().options(job_, price, free, 20)
    greedy = GreedyPlacement().options(job_, price, free, 20)
    assert np.isfinite(greedy.external_cost).all()


def test_machines_are_filled_as_one_by_one() -> None:
    rng = np.random.default_rng(6)
    for _ in range(300):
        job_, _, free = tight_case(int(rng.integers(1000)))
        room = room_beside(free, job_.worker, job_.ps, 7, 9)
        order, ps_order = rng.permutation(len(free)), rng.permutation(len(free))
        most, most_ps, ps_first = *rng.integers(0, 8, 2).tolist(), bool(rng.integers(2))
        workers, ps = np.zeros((2, len(free)), dtype=np.int64)
        given = order, ps_order, room, most, most_ps, ps_first
        held = fill_up(workers, ps, *given)
        expected, full = one_by_one(*given)
        assert held == full
        assert [workers.tolist(), ps.tolist()] == expected.tolist()


def one_by_one(
    order: np.ndarray,
    ps_order: np.ndarray,
    room: np.ndarray,
    most: int,
    most_ps: int,
    ps_first: bool,
) -> tuple[np.ndarray, bool]:
    """Each worker and each parameter server on the first machine that has room."""
    counts, full = np.zeros((2, len(room)), dtype=np.int64), True
    sides = [(1, ps_order, most_ps), (0, order, most)]
    for side, machines, number in sides if ps_first else sides[::-1]:
        for _ in range(number):
            for h in machines:
                workers, ps = counts[:, h] + np.eye(2, dtype=np.int64)[side]
                if workers < room.shape[1] and ps <= room[h, workers]:
                    counts[side, h] += 1
                    break
            else:
                full = False
    return counts, full
