"""The offline side of `jct`: intervals that contain the optimum, at every scale."""

from __future__ import annotations

import numpy as np
import pytest

from models.jct import JctInstance, JctSchedule, score
from models.jct.files import JctFile, JobRecord, ServerRecord
from solvers.jct.list_schedule import list_schedule, orders, placements
from solvers.jct.offline import solve
from solvers.jct.pool import Pool
from solvers.jct.timetable import Timetable
from tests.models.jct.small import instance, job, server
from tests.seeds import seeds
from tests.solvers.jct.search import NO_SCHEDULE, contended, exhaustive


def large(jobs: int, servers: int, *, cloud: bool = True, seed: int = 0) -> JctInstance:
    """Two types of workers, 1 to 4 a server, and far more work than they can do at once."""
    rng = np.random.default_rng(seed)
    fleet = [
        ServerRecord(rng.choice(["a", "b"], rng.integers(1, 5)).tolist(), ["ps"] * 2)
        for _ in range(servers)
    ]
    records = []
    for j in range(jobs):
        p = int(rng.integers(2, 20))
        records.append(
            JobRecord(
                id=f"j{j}",
                arrival=int(rng.integers(0, 100)),
                chunks=int(rng.integers(1, 20)),
                worker_type=str(rng.choice(["a", "b"])),
                ps_type="ps",
                upload_slots=rng.integers(1, 5, servers).tolist(),
                requested_workers=1,
                chunk_slots=p,
                cloud_chunk_slots=p - 1,
                cloud_upload_slots=int(rng.integers(10, 16)) if cloud else None,
            )
        )
    return JctInstance.from_file(
        JctFile(
            format="1",
            problem="jct",
            name="large",
            slots=5000,
            servers=fleet,
            cloud=cloud,
            jobs=records,
        )
    )


@pytest.mark.usefixtures("highs_here")
@pytest.mark.parametrize("seed", seeds(12, quick=6))
def test_small_instances_are_solved(seed: int) -> None:
    ins = contended(seed, most_slots=3)
    result, best = solve(ins, time_limit=20.0), exhaustive(ins)
    if best == NO_SCHEDULE:
        assert result.status == "infeasible"
        return
    assert result.status == "optimal"
    assert result.objective == result.bound == best
    assert score(ins, result.schedule).objective == best


@pytest.mark.slow
@pytest.mark.parametrize("cloud", [True, False])
def test_large_instances_get_an_interval(cloud: bool) -> None:
    ins = large(60, 20, cloud=cloud)
    result = solve(ins, time_limit=10.0)
    assert result.status in ("optimal", "feasible")
    judged = score(ins, result.schedule)
    assert judged.feasible
    assert judged.objective == result.objective
    assert 0.7 * result.objective < result.bound <= result.objective
    again = solve(ins, time_limit=10.0, start=result.schedule)
    assert again.objective <= result.objective
    assert result.seconds < 15


def test_time_that_does_not_last_still_gives_a_bound() -> None:
    ins = large(60, 20)
    result = solve(ins, time_limit=1e-3)
    assert result.bound > 0
    assert result.objective >= result.bound
    assert score(ins, result.schedule).feasible


def test_a_start_beyond_what_lists_look_at_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    # Two chunks of 4 slots on one worker, done at 8; the timetable knows 5 slots.
    ins = instance([job("j", upload=[0], chunks=2, chunk_slots=4)], [server(1)])
    start = JctSchedule.build(ins, [False], [(0, 0, 0, 0, 8)], [(0, 0, 0, 0, 8)])
    monkeypatch.setattr("solvers.jct.timetable._MOST_CELLS", 5)
    assert list_schedule(
        ins, Pool.of(ins), np.zeros((1, 1)), [[0]], np.random.default_rng(0), start=None,
        iterations=5, deadline=np.inf,
    ) is None  # fmt: skip
    assert solve(ins, time_limit=5.0, start=start).objective == 8
    monkeypatch.setattr("solvers.jct.list_schedule._MOST_SLOTS", 5)
    assert solve(ins, time_limit=5.0, start=start).objective == 8


def test_a_start_that_migrates_is_left_aside() -> None:
    # Three chunks of two slots on two workers: 3 slots if the third may move, 4 else.
    ins = instance([job("j", upload=[0], chunks=3, chunk_slots=2)], [server(2)])
    rows = [(0, 0, 0, 0, 3), (0, 0, 1, 0, 3)]
    start = JctSchedule.build(ins, [False], rows, [(0, 0, 0, 0, 3)], migration=True)
    assert score(ins, start).feasible
    assert score(ins, start).objective == 3
    plain = solve(ins, time_limit=5.0)
    assert (plain.objective, plain.bound, plain.bound_source) == (4, 4, "milp")
    result = solve(ins, time_limit=5.0, start=start)
    assert (result.objective, result.bound, result.bound_source) == (4, 3, "prices")


def test_a_start_split_between_edge_and_cloud_is_kept() -> None:
    # One chunk on the edge in slots 0-1, one in the cloud in 1-2: JCT 3. All in the cloud is no
    # later: 1 + 2 = 3.
    ins = instance(
        [
            job("j", upload=[0], chunks=2, chunk_slots=2, cloud_chunk_slots=2,
                cloud_upload_slots=1)
        ],
        [server(1)],
        cloud=True,
    )  # fmt: skip
    rows = [(0, 0, 0, 0, 2), (0, -1, 0, 1, 3)]
    start = JctSchedule.build(ins, [False], rows, [(0, -1, 0, 0, 3)])
    assert score(ins, start).feasible
    assert placements(ins, Pool.of(ins), start) is None
    assert solve(ins, time_limit=5.0, start=start).objective == 3


def test_schedules_become_placements_and_come_back() -> None:
    ins = contended(6, jobs=5)
    result = solve(ins, time_limit=10.0)
    placed = placements(ins, Pool.of(ins), result.schedule)
    assert placed is not None
    assert sum(placement.jct for placement in placed) == result.objective


def test_a_job_runs_late_where_its_completion_allows() -> None:
    # Delays 0 and 3, four chunks of two slots: before 6, worker 0 has 6 slots and trains three,
    # worker 1 has 3 and trains one, in the last two of them. Before 5 they train 2 + 1.
    ins = instance([job("j", upload=[0, 3], chunks=4, chunk_slots=2)], [server(1), server(1)])
    placement = Timetable(ins, Pool.of(ins), np.zeros((1, 1))).best(0)
    assert placement is not None
    assert placement.jct == 6
    assert placement.runs[0].tolist() == [0, 1, 2, 3, 4, 5]
    assert placement.runs[1].tolist() == [4, 5]


def test_taking_out_undoes_putting_in() -> None:
    ins = contended(13, jobs=4)  # limited parameter servers
    pool = Pool.of(ins)
    table = Timetable(ins, pool, np.zeros((len(pool.workers), 1)))
    first = table.insert([0, 1, 2, 3])
    assert first is not None
    for j, placement in enumerate(first):
        table.take_out(j, placement)
    again = table.insert([0, 1, 2, 3])
    assert [p.jct for p in again] == [p.jct for p in first]


def test_local_search_is_no_worse_than_its_start() -> None:
    ins = large(20, 4)
    pool = Pool.of(ins)
    free = np.zeros((len(pool.workers), 1))

    def found(iterations: int, start: list | None) -> list:
        placed = list_schedule(
            ins,
            pool,
            free,
            orders(pool, None),
            np.random.default_rng(0),
            start=start,
            iterations=iterations,
            deadline=np.inf,
        )
        assert placed is not None
        return placed

    def total(placed: list) -> int:
        return sum(placement.jct for placement in placed)

    plain = found(0, None)
    assert total(found(200, plain)) <= total(plain)


@pytest.mark.parametrize(
    ("ins", "objective"),
    [
        (instance([], [server(1)]), 0),
        (instance([], [], cloud=True), 0),
        (instance([job("j", upload=[], cloud_upload_slots=3)], [], cloud=True), 4),
        # Three chunks of three slots on one worker from slot 2 on end with the horizon.
        (instance([job("j", upload=[2], chunks=3, chunk_slots=3)], [server(1)], slots=11), 11),
    ],
)
def test_edges(ins: JctInstance, objective: int) -> None:
    result = solve(ins, time_limit=5.0)
    assert (result.status, result.objective, result.bound) == ("optimal", objective, objective)


def test_jobs_that_do_not_fit_together() -> None:
    # Each needs 2 + 9 slots of 15, both 18.
    jobs = [job(name, upload=[2], chunks=3, chunk_slots=3) for name in "jk"]
    result = solve(instance(jobs, [server(1)], slots=15), time_limit=5.0)
    assert (result.status, result.objective, result.bound) == ("infeasible", None, None)


@pytest.mark.slow
def test_the_bound_at_full_scale() -> None:
    result = solve(large(300, 100), time_limit=60.0)
    assert result.seconds < 90
    assert result.bound > 0.8 * result.objective
