"""FIFO, DRF and Dorm on shared servers, against hand-solved cases and brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from models.colocated import ColocatedInstance, score
from online.colocated.dorm import Dorm
from online.colocated.drf import DRF
from online.colocated.fifo import FIFO
from online.colocated.pools import RULES, first_fit
from online.dorm_model import DormJob, DormModel
from online.dorm_places import GroupPlaces
from online.pools import Pools
from online.server_groups import ServerGroups
from solvers.highs import HighsOptions, solve
from tests.models.colocated.small import NOTHING, instance, job, random_instance
from tests.online.colocated.scripted import fast, rows, simulate


def uneven() -> ColocatedInstance:
    """12 CPUs. A worker of a, with its PS, takes 2 of them, one of b takes 3."""
    fields = {"samples": 99, "max_workers": 9}
    jobs = [job("a", **fields), job("b", worker=[2.0], **fields)]
    return instance(jobs, servers=[[12.0]], slots=1)


def test_first_fit_prefers_one_server() -> None:
    # 2 workers and a PS: 3 CPUs. Server 0 has 2, server 1 has 3.
    ins = instance([fast("a")], servers=[[2.0], [3.0], [3.0]])
    count, placement = first_fit(ins.jobs[0], ins.cluster.servers, 2)
    assert count == 2 and placement is not None
    assert (placement.workers.tolist(), placement.ps.tolist()) == ([[1, 2]], [[1, 1]])
    split, placement = first_fit(ins.jobs[0], ins.cluster.servers[:1].repeat(2, axis=0), 2)
    assert split == 2 and placement is not None
    assert placement.workers[:, 1].sum() == 2 and placement.ps[:, 1].sum() == 1
    assert first_fit(ins.jobs[0], np.array([[1.0]]), 2) == (0, None)


def test_fifo_runs_what_was_requested_and_the_head_of_the_queue_makes_others_wait() -> None:
    # 4 + 4 CPUs. a wants 2 workers with 2 PSs: server 0. b wants 3 with 3: they do not fit beside
    # it. c would fit, and waits behind b, which needs 2 slots for 6 samples.
    ins = instance(
        [
            job("a", samples=4, max_workers=2, requested_workers=2),
            job("b", samples=6, max_workers=9, requested_workers=3),
            job("c"),
        ],
        servers=[[4.0], [4.0]],
        slots=6,
    )
    trace = simulate(ins, FIFO())
    assert rows(trace, 0) == ([(0, 0, 2), (1, 0, 2)], [(0, 0, 2), (1, 0, 2)])
    assert {(t, n) for t, _, n in rows(trace, 0)[0]} == {(0, 2), (1, 2)}
    assert score(ins, trace.schedule).completion.tolist() == [1, 3, 2]


def test_fifo_without_a_request_takes_30_or_what_fits() -> None:
    for servers, workers in (([[99.0]], 30), ([[7.0]], 3), ([[1.0]], 0)):
        ins = instance([job("a", samples=60, max_workers=40)], servers=servers, slots=1)
        trace = simulate(ins, FIFO())
        assert [row["workers"] for row in trace.decisions if row["event"] == "arrival"] == [workers]
        assert trace.schedule.workers[:, 3].sum() == workers


def test_drf_adds_up_what_workers_and_parameter_servers_take() -> None:
    # Shares in twelfths: a 2, b 3, a 4, b 6, a 6: a has 3 workers, b has 2, and all is used.
    trace = simulate(uneven(), DRF())
    assert rows(trace, 0) == ([(0, 0, 3)], [(0, 0, 3)])
    assert rows(trace, 1) == ([(0, 0, 2)], [(0, 0, 2)])


def test_drf_keeps_a_job_on_its_server_while_there_is_room() -> None:
    # Each job takes 3 CPUs for 2 workers and a PS, so both are internal: 2 samples in one slot.
    ins = instance([fast("a", samples=2), fast("b", samples=2)], servers=[[3.0], [3.0]], slots=1)
    assert score(ins, simulate(ins, DRF()).schedule).objective == 2.0


def test_drf_places_all_parameter_servers_of_a_worker_or_none() -> None:
    # gamma = 1/2: a worker needs 2 PSs. 5 CPUs hold one worker with them, not two.
    ins = instance([job("a", samples=9, gamma=0.5, max_workers=9)], servers=[[3.0], [2.0]], slots=1)
    assert rows(simulate(ins, DRF()), 0) == ([(0, 0, 1)], [(0, 0, 2)])


def test_drf_shares_out_anew_when_a_job_is_complete() -> None:
    # 4 CPUs: one worker each; a is complete after slot 0, then b has two.
    ins = instance([job("a", max_workers=2), job("b", samples=3, max_workers=2)], servers=[[4.0]])
    trace = simulate(ins, DRF())
    assert rows(trace, 1)[0] == [(0, 0, 1), (1, 0, 2)]


def test_dorm_with_no_unfairness_is_drf_and_with_any_it_fills_the_server() -> None:
    trace = simulate(uneven(), Dorm(theta1=0.0, gap=0.0, node_limit=100))
    assert (rows(trace, 0)[0], rows(trace, 1)[0]) == ([(0, 0, 3)], [(0, 0, 2)])
    # Any other way to use all 12 CPUs, 2 a and 3 b, is as good.
    trace = simulate(uneven(), Dorm(theta1=1.0, gap=0.0, node_limit=100))
    a, b = (sum(n for _, _, n in rows(trace, index)[0]) for index in (0, 1))
    assert 2 * a + 3 * b == 12


def random_programme(seed: int) -> tuple[Pools, list[DormJob], float, int]:
    """Two jobs on one shared server; one of them may run; random limits."""
    rng = np.random.default_rng(seed)
    ins = random_instance(rng, jobs=2, servers=1, max_workers=4)
    pools, jobs = RULES.pools(ins.cluster), []
    for record in ins.jobs:
        now = first_fit(record, ins.cluster.servers, 1)[0] * (not jobs) * int(rng.integers(0, 2))
        jobs.append(
            DormJob(
                job=record,
                limit=int(rng.integers(1, record.max_workers + 1)),
                ratio=1.0 / record.gamma,
                share=float(rng.uniform(0.1, 0.4)),
                gain=float(rng.uniform(0.1, 0.4)),
                fair=int(rng.integers(0, 3)),
                x=np.array([now]),
                z=np.array([record.ps_needed(now)]),
            )
        )
    return pools, jobs, float(rng.uniform(0.0, 1.0)), int(rng.integers(0, 2))


def best_by_enumeration(
    pools: Pools, jobs: list[DormJob], fairness: float, adjustments: int
) -> float:
    best = -math.inf
    now = [int(j.x[0]) for j in jobs]
    for n in itertools.product(*(range(max(j.limit, int(j.x[0])) + 1) for j in jobs)):
        changed = [k != old for k, old in zip(n, now, strict=True)]
        moved = sum(c and old > 0 for c, old in zip(changed, now, strict=True))
        pairs = list(zip(n, jobs, strict=True))
        used = sum(k * j.job.worker + j.job.ps_needed(k) * j.job.ps for k, j in pairs)
        if (
            moved <= adjustments
            and all(k <= j.limit or not c for (k, j), c in zip(pairs, changed, strict=True))
            and sum(j.share * abs(k - j.fair) for k, j in pairs) <= fairness + 1e-9
            and (used <= pools.workers[0] + 1e-9).all()
        ):
            best = max(best, sum(j.gain * k for k, j in pairs))
    return best


def test_dorms_programme_on_a_shared_server_equals_brute_force() -> None:
    solved = 0
    for seed in range(60):
        pools, jobs, fairness, adjustments = random_programme(seed)
        groups = ServerGroups(pools.workers)
        model = DormModel(jobs, groups, groups, fairness=fairness, adjustments=adjustments)
        result = solve(model.program, HighsOptions(mip_rel_gap=0.0), start=model.standing())
        best = best_by_enumeration(pools, jobs, fairness, adjustments)
        if best == -math.inf:
            assert result.status == "infeasible"
            continue
        solved += 1
        assert result.objective == pytest.approx(best, abs=1e-6)
        places = GroupPlaces(pools, groups, groups, fairness=fairness)
        before = {j.job.index: first_fit(j.job, pools.workers, 1)[1] for j in jobs if j.runs}
        placed, unplaced = places.place(jobs, *model.read(result.x), before)
        assert unplaced == 0  # on one server nothing is cut up
        used = sum(
            n * demand
            for j in jobs
            if (p := placed.get(j.job.index)) is not None
            for side, demand in ((p.workers, j.job.worker), (p.ps, j.job.ps))
            for n in side[:, 1].tolist()
        )
        assert (used <= pools.workers[0] * (1 + 1e-9)).all()
    assert solved > 20


@pytest.mark.parametrize("name", NOTHING)
@pytest.mark.parametrize("policy", [FIFO, DRF, Dorm])
def test_nothing_can_be_earned(name: str, policy: type[FIFO | DRF | Dorm]) -> None:
    ins = NOTHING[name]
    assert score(ins, simulate(ins, policy()).schedule).objective == 0.0


@pytest.mark.parametrize(("policy", "runs"), [(FIFO, True), (DRF, True), (Dorm, False)])
def test_jobs_that_take_nothing(policy: type[FIFO | DRF | Dorm], runs: bool) -> None:
    # There is room for them on servers of nothing; they add nothing to Dorm's utilisation.
    ins = instance([job("a", worker=[0.0], ps=[0.0]), job("b")], servers=[[0.0]])
    assert simulate(ins, policy()).schedule.admitted.tolist() == [runs, False]
