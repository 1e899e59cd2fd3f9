"""The scorer of the `jct` problem: the worked example, and each constraint broken on purpose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from models.errors import InputError
from models.jct import CLOUD, JctInstance, JctSchedule, score
from models.jct.files import ServerRecord
from tests.models.jct.small import instance, job, server, worked_example, worked_schedule


def equations(example: JctInstance, schedule: JctSchedule) -> list[str]:
    return [violation.equation for violation in score(example, schedule).violations]


def test_worked_example() -> None:
    example = worked_example()
    result = score(example, worked_schedule(example))
    assert result.violations == ()
    # long: slots 1, 2, 4, 5 on server 0 and 1..4 on server 1, last slot 5: 5 + 1 - 0 = 6.
    # short: slot 3 = arrival 2 + Delta 1, 3 + 1 - 2 = 2, which nothing can beat (Delta + p).
    # wide: slots 5, 6 in the cloud, Delta_c + p_c = 2 + 2 = 4; at the edge at least 1 + 5 = 6.
    assert result.completion.tolist() == [5, 3, 6]
    assert result.value.tolist() == [6.0, 2.0, 4.0]
    assert result.objective == 12.0


def test_storage_refuses_the_preempting_chunk() -> None:
    # Server 0 holds long's chunk, 2 GB, from slot 0 to slot 5, and short's, 3 GB, from slot 2 to
    # slot 3: 2 + 3 = 5 GB. With 4.5 GB there is no room.
    example = worked_example(storage_gb=4.5)
    (violation,) = score(example, worked_schedule(example)).violations
    assert (violation.equation, violation.slot, violation.server) == ("(7b)", 2, 0)
    assert violation.message == "server 0 stores 5 of 4.5 GB in slot 2"


def changed(
    example: JctInstance, *, together: Any = None, drop: Any = (), add: Any = (), ps: Any = None
) -> JctSchedule:
    """The worked schedule without the worker rows ``drop``, with ``add``, or with other PS."""
    base = worked_schedule(example)
    workers = [row for row in map(tuple, base.workers.tolist()) if row not in drop] + list(add)
    return JctSchedule.build(
        example,
        base.together if together is None else together,
        workers,
        base.ps if ps is None else ps,
    )


PS = [(0, 0, 0, 1, 6), (1, 0, 1, 3, 4), (2, CLOUD, 0, 5, 7)]


@pytest.mark.parametrize(
    ("equation", "message", "change"),
    [
        (
            "(2b)",
            "job 'long' completes 1 of 2 chunks of 4 slots; worker 0 of server 0 trains it in 2 "
            "slots",
            {"drop": [(0, 0, 0, 4, 6)]},
        ),
        (
            "(2d)",
            "worker 0 of server 0 has jobs 'long' and 'short' in slot 4",
            {"drop": [(1, 0, 0, 3, 4)], "add": [(1, 0, 0, 4, 5)], "ps": [*PS, (1, 0, 1, 4, 5)]},
        ),
        (
            "(2e)",
            "job 'long' runs in slot 5 with 0 parameter servers of its type, not one",
            {"ps": [(0, 0, 0, 1, 5), *PS[1:]]},
        ),
        (
            "(2e)",
            "job 'long' runs in slot 4 with 2 parameter servers of its type, not one",
            {"ps": [*PS, (0, 0, 1, 4, 6)]},
        ),
        (
            "(2f)",
            "parameter server 0 of server 0 has jobs 'long' and 'short' in slot 3",
            {"ps": [PS[0], (1, 0, 0, 3, 4), PS[2]]},
        ),
        (
            "(2g)",
            "job 'wide' has zeta = 0, but all that it runs on is in the cloud",
            {
                "together": [False, False, False],
                "drop": [(2, CLOUD, chunk, 5, 7) for chunk in range(3)],
                "add": [(2, CLOUD, chunk, 5, 10) for chunk in range(3)],
                "ps": [*PS[:2], (2, CLOUD, 0, 5, 10)],
            },
        ),
        (
            "(2h)",
            "job 'wide' has zeta = 1, but not all that it runs on is in the cloud",
            {"ps": [*PS[:2], (2, 0, 1, 5, 7)]},
        ),
        (
            "(2i)",
            "job 'short' runs on worker 0 of server 1 in slot 3, but its data are there from "
            "slot 4 on",
            {
                "drop": [(1, 0, 0, 3, 4), (0, 1, 0, 1, 5)],
                "add": [(1, 1, 0, 3, 4), (0, 0, 0, 3, 4), (0, 0, 0, 6, 9)],
                "ps": [(0, 0, 0, 1, 9), *PS[1:]],
            },
        ),
        (
            "(2k)",
            "job 'wide' has worker 2 of the cloud twice in slot 6",
            {"add": [(2, CLOUD, 2, 6, 7)]},
        ),
        (
            "(7c)",
            "workers train parts of 3 chunks of job 'long', which has 2: a chunk was moved or "
            "trained for longer than it takes",
            {"add": [(0, CLOUD, 0, 10, 11)], "ps": [*PS, (0, CLOUD, 0, 10, 11)]},
        ),
    ],
)
def test_broken_constraint_is_named(equation: str, message: str, change: dict[str, Any]) -> None:
    example = worked_example()
    found = score(example, changed(example, **change)).violations
    assert (equation, message) in [(one.equation, one.message) for one in found]


def test_types_of_workers_and_parameter_servers() -> None:
    example = instance(
        [job("i", upload=[0]), job("k", upload=[0], worker_type="b", ps_type="b")],
        [ServerRecord(workers=["a", "b"], ps=["a", "b"])],
    )
    rows = [(0, 0, 0, 0, 1), (1, 0, 1, 0, 1)]
    assert equations(example, JctSchedule.build(example, [False] * 2, rows, rows)) == []
    swapped = [(0, 0, 1, 0, 1), (1, 0, 0, 0, 1)]
    assert (
        equations(example, JctSchedule.build(example, [False] * 2, swapped, rows)) == ["(2a)"] * 2
    )
    # A parameter server of another type does not serve: sum o z = 0.
    assert (
        equations(example, JctSchedule.build(example, [False] * 2, rows, swapped)) == ["(2e)"] * 2
    )


def test_more_workers_than_chunks() -> None:
    # One chunk of two slots on two workers at once: two workers > D = 1, and no whole chunk.
    example = instance([job("i", upload=[0], chunk_slots=2)], [server(workers=2)])
    rows = [(0, 0, 0, 0, 1), (0, 0, 1, 0, 1)]
    schedule = JctSchedule.build(example, [False], rows, [(0, 0, 0, 0, 1)])
    assert equations(example, schedule) == ["(2b)", "(2c)", "(7c)"]


def test_incomplete_job_earns_no_jct() -> None:
    example = worked_example()
    result = score(example, changed(example, drop=[(0, 0, 0, 4, 6)]))
    assert result.completion.tolist() == [-1, 3, 6]
    assert result.value.tolist() == [0.0, 2.0, 4.0]


@pytest.mark.parametrize("migration", [True, False])
def test_migration_needs_to_be_allowed(migration: bool) -> None:
    # A chunk of two slots, the first on one server and the second on the other.
    example = instance([job("i", upload=[0, 0], chunk_slots=2)], [server(), server()])
    rows = [(0, 0, 0, 0, 1), (0, 1, 0, 1, 2)]
    schedule = JctSchedule.build(example, [False], rows, [(0, 0, 0, 0, 2)], migration=migration)
    result = score(example, schedule)
    if migration:
        assert (result.violations, result.objective) == ((), 2.0)
    else:
        assert [one.equation for one in result.violations] == ["(2b)", "(7c)"]


def test_migration_does_not_shorten_the_work() -> None:
    example = instance([job("i", upload=[0, 0], chunk_slots=2)], [server(), server()])
    rows = [(0, 0, 0, 0, 1)]
    schedule = JctSchedule.build(example, [False], rows, [(0, 0, 0, 0, 1)], migration=True)
    (violation,) = score(example, schedule).violations
    assert str(violation) == "(2b) job 'i' gets 1 of 2 worker-slots"


def test_no_part_of_a_chunk_moves_to_the_cloud() -> None:
    # Two chunks of 4 slots; the cloud at 2. Whole, they are done at 6 in the cloud, at 8 on the
    # one worker. 5 slots here and 3 there would be done at 5, sooner than any bound allows.
    record = job("i", upload=[0], chunks=2, chunk_slots=4, cloud_upload_slots=2)
    example = instance([record], [server()], cloud=True)
    ps = [(0, 0, 0, 0, 6)]
    parts = [(0, 0, 0, 0, 5), (0, CLOUD, 0, 2, 5)]
    (violation,) = score(
        example, JctSchedule.build(example, [False], parts, ps, migration=True)
    ).violations
    assert str(violation) == (
        "(2b) worker 0 of the cloud trains job 'i' in 3 slots, no whole chunks of 4, which do not "
        "move to or from the cloud"
    )
    whole = [(0, 0, 0, 0, 4), (0, CLOUD, 0, 2, 6)]
    assert equations(example, JctSchedule.build(example, [False], whole, ps, migration=True)) == []


def test_migrating_chunks_are_stored_where_they_went() -> None:
    # "i" leaves 3 GB behind on server 0 until its last slot 3; "k" has 2 GB there in 0..1.
    example = instance(
        [
            job("i", upload=[0, 0], chunk_slots=2, chunk_gb=3.0),
            job("k", upload=[0, 0], chunk_slots=2, chunk_gb=2.0),
        ],
        [server(storage_gb=4.0), server()],
    )
    ps = [(0, 0, 0, 0, 4), (1, 0, 1, 0, 2)]
    rows = [(1, 0, 0, 0, 2), (0, 0, 0, 2, 3), (0, 1, 0, 3, 4)]
    schedule = JctSchedule.build(example, [False] * 2, rows, ps, migration=True)
    assert equations(example, schedule) == []
    # Started on server 0 before "k" ended: 3 + 2 > 4 GB in slot 1.
    rows = [(1, 0, 0, 0, 1), (1, 0, 0, 2, 3), (0, 0, 0, 1, 2), (0, 1, 0, 3, 4)]
    ps = [(0, 0, 0, 0, 4), (1, 0, 1, 0, 3)]
    schedule = JctSchedule.build(example, [False] * 2, rows, ps, migration=True)
    (violation,) = score(example, schedule).violations
    assert (violation.equation, violation.slot) == ("(7b)", 1)


def test_a_job_that_the_horizon_cuts_off_says_so() -> None:
    # One worker, 9 slots for each of two jobs: (2b) is broken as there are no 18 slots.
    jobs = [job(name, upload=[0], chunk_slots=9, cloud_chunk_slots=9) for name in "ab"]
    example = instance(jobs, [server(1)], slots=15)
    workers = [(0, 0, 0, 0, 9), (1, 0, 0, 9, 15)]
    schedule = JctSchedule.build(example, [False, False], workers, workers)
    (violation,) = score(example, schedule).violations
    assert violation.equation == "(2b)"
    assert str(violation).endswith(
        "job 'b' completes 0 of 1 chunks of 9 slots; worker 0 of server 0 trains it in 6 slots, "
        "up to the horizon: more `slots` than 15 may be enough"
    )


def test_schedule_of_another_instance_is_refused() -> None:
    schedule = worked_schedule(worked_example())
    with pytest.raises(InputError, match="made for another instance"):
        score(worked_example(storage_gb=9.0), schedule)


def test_sum_of_arrays_is_the_objective() -> None:
    example = worked_example()
    result = score(example, worked_schedule(example))
    arrival = np.array([one.arrival for one in example.jobs])
    assert result.objective == (result.completion + 1 - arrival).sum()
