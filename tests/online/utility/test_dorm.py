"""Dorm: its programme against brute force, its constraints on hand-solved cases."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import InputError
from models.utility import UtilityInstance
from online.dorm_model import DormJob, DormModel
from online.placements import Free
from online.server_groups import ServerGroups
from online.utility.dorm import Dorm
from online.utility.pools import pools_of
from solvers.highs import HighsOptions, solve
from tests.models.utility.small import instance, job, random_instance
from tests.online.utility.test_baselines import numbers, simulate

EXACT = {"gap": 0.0, "node_limit": 1000}


# ---- groups of servers --------------------------------------------------------------------


def test_groups_are_types_without_bandwidth() -> None:
    capacity = np.array([[4.0, 20.0], [8.0, 30.0], [4.0, 25.0]])
    groups = ServerGroups(capacity, bandwidth=1)
    assert groups.group.tolist() == [0, 1, 0]
    assert groups.total.tolist() == [[8.0, 45.0], [8.0, 30.0]]
    # 3 units and 10 Gbps: one on each small server, two on the large one (not 8 // 3 + 8 // 3).
    assert groups.room(np.array([3.0, 10.0])).tolist() == [2, 2]
    assert groups.counts(np.array([[0, 2], [1, 5], [2, 1]])).tolist() == [3, 5]


def test_packing_fills_the_fullest_server_of_the_group_then_goes_elsewhere() -> None:
    # Group 0: servers 0 and 1 (2 units, server 1 half full); group 1: server 2 (3 units).
    # Four copies for group 0: one on server 1, the fuller one, two on server 0; the fourth
    # has no place in its group and goes to server 2.
    groups = ServerGroups(np.array([[2.0, 9.0], [2.0, 9.0], [3.0, 9.0]]), bandwidth=1)
    free = np.array([[2.0, 9.0], [1.0, 9.0], [3.0, 9.0]])
    counts = groups.pack(free, np.array([1.0, 0.1]), 4, np.array([4, 0]))
    assert counts.tolist() == [2, 1, 1]
    assert free[:, 0].tolist() == [0.0, 0.0, 2.0]
    assert groups.pack(free, np.array([1.0, 0.1]), 9, np.array([0, 9])).tolist() == [0, 0, 2]


# ---- the programme ------------------------------------------------------------------------


def random_programme(
    seed: int,
) -> tuple[UtilityInstance, list[DormJob], float, int]:
    """Two jobs on one server a side; a random state that fits, random limits."""
    rng = np.random.default_rng(seed)
    ins = random_instance(rng, jobs=2, servers=1, ps_servers=1, chunks=4)
    free = Free(pools_of(ins.cluster))
    jobs = []
    for record in ins.jobs:
        n = int(rng.integers(0, 3))
        m = record.ps_needed(n)
        fits = (free.workers[0] >= n * record.worker).all() and (free.ps[0] >= m * record.ps).all()
        if not fits:
            n = m = 0
        free.workers[0] -= n * record.worker
        free.ps[0] -= m * record.ps
        jobs.append(
            DormJob(
                job=record,
                limit=int(rng.integers(1, record.chunks + 1)),
                ratio=record.worker_gbps / record.ps_gbps,
                share=float(rng.uniform(0.1, 0.4)),
                gain=float(rng.uniform(0.1, 0.4)),
                fair=int(rng.integers(0, 3)),
                x=np.array([n]),
                z=np.array([m]),
            )
        )
    return ins, jobs, float(rng.uniform(0.0, 1.0)), int(rng.integers(0, 3))


def best_by_enumeration(
    ins: UtilityInstance, jobs: list[DormJob], fairness: float, adjustments: int
) -> float:
    best = -math.inf
    now = [int(j.x[0]) for j in jobs]
    for n in itertools.product(*(range(max(j.limit, int(j.x[0])) + 1) for j in jobs)):
        if any(k > j.limit and k != old for k, j, old in zip(n, jobs, now, strict=True)):
            continue
        moved = sum(k != old and old > 0 for k, old in zip(n, now, strict=True))
        loss = sum(j.share * abs(k - j.fair) for k, j in zip(n, jobs, strict=True))
        used = sum(k * j.job.worker for k, j in zip(n, jobs, strict=True))
        ps_used = sum(j.job.ps_needed(k) * j.job.ps for k, j in zip(n, jobs, strict=True))
        if (
            moved <= adjustments
            and loss <= fairness + 1e-9
            and (used <= ins.cluster.worker_servers[0] + 1e-9).all()
            and (ps_used <= ins.cluster.ps_servers[0] + 1e-9).all()
        ):
            best = max(best, sum(j.gain * k for k, j in zip(n, jobs, strict=True)))
    return best


def test_programme_equals_brute_force() -> None:
    solved = 0
    for seed in range(150):
        ins, jobs, fairness, adjustments = random_programme(seed)
        workers = ServerGroups(ins.cluster.worker_servers, ins.cluster.bandwidth)
        ps = ServerGroups(ins.cluster.ps_servers, ins.cluster.bandwidth)
        model = DormModel(jobs, workers, ps, fairness=fairness, adjustments=adjustments)
        result = solve(model.program, HighsOptions(mip_rel_gap=0.0), start=model.standing())
        best = best_by_enumeration(ins, jobs, fairness, adjustments)
        if best == -math.inf:
            assert result.status == "infeasible"
            continue
        solved += 1
        assert result.objective == pytest.approx(best, abs=1e-6)
        x, z = model.read(result.x)
        assert float(x[:, 0] @ [j.gain for j in jobs]) == pytest.approx(best, abs=1e-6)
        for j, n, m in zip(jobs, x[:, 0], z[:, 0], strict=True):
            assert m >= j.job.ps_needed(int(n))
    assert 75 <= solved < 150  # both outcomes occur


# ---- the policy ---------------------------------------------------------------------------


def two_kinds(extra: list | None = None, slots: int = 1) -> UtilityInstance:
    """Room for ten workers; one of a also takes one of ten gpus, so it utilises more."""
    return instance(
        [
            job("a", chunks=10, work=90, worker=[1.0, 1.0], ps=[0.0, 1.0]),
            job("b", chunks=10, work=90, worker=[0.0, 1.0], ps=[0.0, 1.0]),
            *(extra or []),
        ],
        resources=["gpu", "bandwidth_gbps"],
        worker_servers=[[10.0, 10.0]],
        ps_servers=[[0.0, 1000.0]],
        slots=slots,
    )


@pytest.mark.parametrize(
    ("theta1", "expected"),
    [
        # DRF gives 5 and 5. Utilisation favours a. Each worker moved from b to a costs
        # 0.1 + 0.1 of fairness; m = 3 resources exist, so theta1 = 0.1 allows 0.6: 3 workers.
        (0.0, [5, 5]),
        (0.1, [8, 2]),
        (0.2, [10, 0]),
    ],
)
def test_dorm_fairness_binds(theta1: float, expected: list[int]) -> None:
    ins = two_kinds()
    trace = simulate(Dorm(theta1=theta1, **EXACT), ins)
    assert numbers(ins, trace.schedule)[:, 0].tolist() == expected
    row = trace.decisions[-1]
    assert row["fairness_loss"] == pytest.approx(0.2 * (expected[0] - 5))
    assert (row["kept"], row["unplaced"], row["adjusted"]) == (False, 0, 0)


def test_dorm_adjustment_binds() -> None:
    # Slot 0: a and b get 5 each. Slot 1: c arrives; DRF now gives 4, 3, 3. With theta2 = 0
    # nobody may be adjusted and c finds no room: a loss of 0.1 + 0.2 + 0.3, above theta1 = 0.
    # No solution: all keep what they have.
    c = job("c", arrival=1, chunks=10, work=90, worker=[0.0, 1.0], ps=[0.0, 1.0])
    ins = two_kinds([c], slots=2)
    trace = simulate(Dorm(theta1=0.0, theta2=0.0, **EXACT), ins)
    assert numbers(ins, trace.schedule).tolist() == [[5, 5], [5, 5], [0, 0]]
    assert [row["kept"] for row in trace.decisions if row["event"] == "slot"] == [False, True]

    # theta1 = 0.1 allows a loss of 0.6: 8 and 2 in slot 0, as above. Leaving them so in slot 1
    # loses 0.4 + 0.1 + 0.3 = 0.8: no solution again.
    trace = simulate(Dorm(theta1=0.1, theta2=0.0, **EXACT), ins)
    assert numbers(ins, trace.schedule).tolist() == [[8, 8], [2, 2], [0, 0]]
    assert trace.decisions[-1]["kept"]

    # theta2 = 0.5: one of the two. If b moves, a's 8 leave 2 for b and c: 0.4 + 0.4 at least.
    # If a moves, b's 2 lose 0.1; 7 and 1 for a and c lose 0.3 + 0.2: together 0.6, allowed.
    trace = simulate(Dorm(theta1=0.1, theta2=0.5, **EXACT), ins)
    assert numbers(ins, trace.schedule).tolist() == [[8, 7], [2, 2], [0, 1]]
    row = trace.decisions[-1]
    assert (row["adjusted"], row["kept"]) == (1, False)
    assert row["fairness_loss"] == pytest.approx(0.6)

    # theta2 = 1 and theta1 = 0: everybody gets the shares of DRF.
    trace = simulate(Dorm(theta1=0.0, theta2=1.0, **EXACT), ins)
    assert numbers(ins, trace.schedule)[:, 1].tolist() == [4, 3, 3]


def test_dorm_counts_what_the_cut_up_room_does_not_hold() -> None:
    # Two servers of 3 cpus, one type: 6 cpus together hold three workers of 2 cpus, the
    # servers hold one each. The programme knows that of each job alone, not of both.
    ins = instance(
        [job(name, chunks=2, work=9, worker=[2.0, 1.0], ps=[0.0, 1.0]) for name in ("a", "b")],
        resources=["cpu", "bandwidth_gbps"],
        worker_servers=[[3.0, 10.0], [3.0, 12.0]],
        ps_servers=[[0.0, 99.0]],
        slots=1,
    )
    trace = simulate(Dorm(theta1=1.0, **EXACT), ins)
    assert trace.decisions[-1]["unplaced"] == 1
    assert numbers(ins, trace.schedule).sum() == 2


def test_dorm_stays_put_when_nothing_is_gained() -> None:
    ins = instance(
        [job("a", chunks=2, work=20), job("b", arrival=1, chunks=2, work=2)],
        worker_servers=[[2.0], [2.0]],
        ps_servers=[[9.0]],
        slots=4,
    )
    trace = simulate(Dorm(**EXACT), ins)
    assert [row["adjusted"] for row in trace.decisions if row["event"] == "slot"] == [0, 0, 0]
    assert numbers(ins, trace.schedule).tolist() == [[2, 2, 2, 2], [0, 2, 0, 0]]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"theta1": -0.1}, r"dorm: theta1 -0.1 is not in \[0, 1\]"),
        ({"theta2": math.nan}, r"dorm: theta2 nan is not in \[0, 1\]"),
    ],
)
def test_dorm_refuses_bad_parameters(parameters: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Dorm(**parameters)


@given(
    seed=st.integers(0, 2**32 - 1),
    theta1=st.sampled_from([0.0, 0.05, 0.2]),
    theta2=st.sampled_from([0.0, 0.4, 1.0]),
)
@settings(max_examples=40)
def test_dorm_keeps_its_limits(seed: int, theta1: float, theta2: float) -> None:
    ins = random_instance(np.random.default_rng(seed), jobs=6, slots=8, servers=3, ps_servers=3)
    resources = (ins.cluster.worker_servers.sum(axis=0) > 0).sum()
    resources += (ins.cluster.ps_servers.sum(axis=0) > 0).sum()
    was_running = 0
    for row in simulate(Dorm(theta1=theta1, theta2=theta2), ins).decisions:
        if row["event"] != "slot":
            continue
        assert row["adjusted"] <= math.ceil(theta2 * was_running - 1e-9)
        if not row["unplaced"] and not row["kept"]:
            assert row["fairness_loss"] <= theta1 * 2 * resources + 1e-6
        was_running = row["running"]


def test_demands_beyond_any_coefficient() -> None:
    # b / B of 1e-24 is round-off: the job runs without parameter servers, which fit nowhere.
    ins = instance([job("a", worker=[1e-12], ps=[1e12])], ps_servers=[[1e-6]])
    trace = simulate(Dorm(), ins)
    assert numbers(ins, trace.schedule)[0].sum() == 1
