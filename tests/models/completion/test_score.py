"""The scorer of `completion`: examples by hand, and each constraint broken on purpose."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from models.completion import CompletionInstance, CompletionSchedule, score
from models.completion.cluster import NO_TYPE
from models.completion.rates import ROUND_OFF, least_duration, least_ps
from models.errors import InputError
from models.tolerance import SCORER
from tests.models.completion.small import (
    instance,
    job,
    papers_example,
    random_instance,
    ring_job,
)


def schedule(ins: CompletionInstance, rows: list[Any], **changes: Any) -> CompletionSchedule:
    """Everything of type 0 unless told otherwise."""
    none = NO_TYPE if ins.cluster.allreduce else 0
    types: dict[str, Any] = {"worker_type": [0] * len(ins.jobs), "ps_type": [none] * len(ins.jobs)}
    return CompletionSchedule.build(ins, rows=rows, **{**types, **changes})


def equations(ins: CompletionInstance, rows: list[Any], **changes: Any) -> list[str]:
    return [found.equation for found in score(ins, schedule(ins, rows, **changes)).violations]


def worked() -> CompletionInstance:
    """Two servers of 8 Gbps for `wide` (w = 2, D = 3, E D K = 12, v + U = 1, 2 pi / b = 1).

    And `late`, which arrives in slot 1: one worker, one slot. Workers of 1 Gbps, PSs of 1.5.
    """
    wide = job(
        "wide",
        weight=2.0,
        chunks=3,
        minibatches=4,
        minibatch_slots=[0.75],
        update_slots=[0.25],
        gradient_mb=1.0,
    )
    return instance([wide, job("late", 1)], servers=[[8.0], [8.0]], ps_types=[[1.5]])


# Three workers train 3 / 2 mini-batches a slot when spread: 8 slots. One of them is beside two PSs.
SPREAD = [(0, 0, 8, 0, 1, 2), (0, 0, 8, 1, 2, 0)]
LATE = (1, 1, 2, 1, 1, 1)


def test_worked_example() -> None:
    result = score(worked(), schedule(worked(), [*SPREAD, LATE]))
    assert result.violations == ()
    assert result.completion.tolist() == [8, 2]
    assert result.value.tolist() == [16.0, 2.0]
    assert result.objective == 18.0
    # On one server nothing is transferred: twice as fast.
    result = score(worked(), schedule(worked(), [(0, 0, 4, 0, 3, 1), LATE]))
    assert result.feasible and result.objective == 10.0
    # The slots in which jobs arrive are no horizon.
    result = score(worked(), schedule(worked(), [(0, 90, 94, 0, 3, 1), LATE]))
    assert result.feasible and result.objective == 190.0


@pytest.mark.parametrize(
    ("equation", "rows", "message"),
    [
        ("(2a)", [LATE], "job 'wide' does not run"),
        ("(2a)", [LATE, (0, 0, 2, 0, 3, 1), (0, 3, 5, 0, 3, 1)], "pauses, or its placement"),
        ("(2a)", [LATE, (0, 0, 8, 0, 3, 1), (0, 0, 4, 1, 0, 2)], "pauses, or its placement"),
        ("(2f)", [LATE, (0, 0, 3, 0, 3, 1)], "job 'wide' trains 9 of 12 mini-batches"),
        ("(2f)", [LATE, (0, 0, 7, 0, 1, 2), (0, 0, 7, 1, 2, 0)], "trains 10.5 of 12"),
        ("(2g)", [LATE, (0, 0, 4, 0, 4, 1)], "has 4 workers, more than D = 3, in slot 0"),
        ("(2h)", [LATE, (0, 0, 4, 0, 3, 4)], "server 0 uses 9 of 8 bandwidth_gbps in slot 0"),
        (
            "(2i)",
            [LATE, (0, 0, 8, 0, 1, 1), (0, 0, 8, 1, 2, 0)],
            "1.5 Gbps of PSs on server 0 for 2 Gbps",
        ),
        # Server 1 has PSs, too: they serve the two workers on server 0.
        (
            "(2i)",
            [LATE, (0, 0, 8, 0, 2, 1), (0, 0, 8, 1, 1, 1)],
            "1.5 Gbps of PSs on server 1 for 2 Gbps",
        ),
        ("(2j)", [*SPREAD, (1, 0, 1, 1, 1, 1)], "job 'late' runs before its arrival 1 in slot 0"),
        ("(2k)", [LATE, (0, 0, 12, 0, 3, 1), (0, 0, 12, 1, -1, 4)], "-1 workers on server 1"),
        ("(2l)", [LATE, (0, 0, 8, 0, 2, 2), (0, 0, 8, 1, 1, -1)], "-1 PSs on server 1 in slot 0"),
    ],
)
def test_a_broken_constraint_is_named(equation: str, rows: list[Any], message: str) -> None:
    (violation,) = score(worked(), schedule(worked(), rows)).violations
    assert violation.equation == equation
    assert message in violation.message


def test_nothing_runs_without_workers_or_ps() -> None:
    assert equations(worked(), [LATE, (0, 0, 4, 0, 0, 1)]) == ["(2b)", "(2f)"]
    assert equations(worked(), [LATE, (0, 0, 4, 0, 3, 0)]) == ["(2e)", "(2f)"]


def test_what_is_not_done_is_worth_nothing() -> None:
    result = score(worked(), schedule(worked(), [(0, 0, 3, 0, 3, 1)]))
    assert result.completion.tolist() == [-1, -1]
    assert result.objective == 0.0


def test_jobs_share_a_server_in_their_common_slots_only() -> None:
    ins = instance([job("a"), job("b"), job("c")])
    assert equations(ins, [(0, 0, 1, 0, 1, 1), (1, 1, 2, 0, 1, 1), (2, 2, 3, 0, 1, 1)]) == []
    found = score(
        ins, schedule(ins, [(0, 0, 2, 0, 1, 1), (1, 1, 4, 0, 1, 1), (2, 90, 91, 0, 2, 1)])
    )
    over = [(one.equation, one.slot, one.server) for one in found.violations if not one.job]
    assert over == [("(2h)", 1, 0), ("(2h)", 90, 0)]  # also past the last slot of arrivals


def test_elastic_schedules_add_up_their_slots() -> None:
    # Two slots of three workers on one server, 6; one slot of two that are spread, 1; a pause;
    # then two slots of two workers and one of one on one server, 4 + 1: 12 in all.
    rows = [
        (0, 0, 2, 0, 3, 1),
        (0, 2, 3, 0, 1, 1),
        (0, 2, 3, 1, 1, 0),
        (0, 5, 7, 1, 2, 1),
        (0, 7, 8, 1, 1, 1),
        LATE,
    ]
    result = score(worked(), schedule(worked(), rows, elastic=True))
    assert result.violations == ()
    assert result.completion.tolist() == [8, 2]
    assert equations(worked(), rows) == ["(2a)"]
    assert equations(worked(), [*rows[:-2], LATE], elastic=True) == ["(2f)"]
    # The rest holds in every slot.
    more = [*rows, (0, 8, 9, 0, 4, 2), (0, 9, 10, 0, 1, 0), (0, 10, 11, 1, 0, 1)]
    assert equations(worked(), more, elastic=True) == ["(2g)", "(2e)", "(2b)"]
    more = [*rows, (0, 8, 9, 0, 1, 1), (0, 8, 9, 1, 2, 0)]
    assert equations(worked(), more, elastic=True) == ["(2i)"]


def ring(**changes: Any) -> CompletionInstance:
    """E5: v = 1, U + 2 pi / b = 3, E D K = 12; two servers of 3 Gbps."""
    e5 = {"chunks": 6, "minibatches": 2, "update_slots": 2.0, "gradient_mb": 1.0}
    fields = {"architecture": "allreduce", "servers": [[3.0], [3.0]], **changes}
    return instance([ring_job("a", **e5)], **fields)


@pytest.mark.parametrize(
    ("rows", "slots"),
    [
        ([(1, 0)], 12),
        ([(1, 1)], 15),
        ([(2, 0)], 12),
        ([(2, 1)], 12),
        ([(3, 0)], 10),
        ([(3, 2)], 9),
        ([(3, 3)], 7),
    ],
)
def test_all_reduce(rows: list[tuple[int, int]], slots: int) -> None:
    ((first, second),) = rows
    for duration, broken in ((slots, []), (slots - 1, ["(2f)"])):
        placed = [(0, 0, duration, 0, first, 0), (0, 0, duration, 1, second, 0)]
        assert equations(ring(), placed) == broken


def test_constraints_of_all_reduce() -> None:
    assert equations(ring(), [(0, 0, 12, 0, 3, 0), (0, 0, 12, 1, 4, 0)]) == ["(2g)", "(15b)"]
    assert equations(ring(), []) == ["(2a)"]


def test_the_papers_example() -> None:
    # Sec. 1: one job on one GPU in 15 ms, the other on two in 10: 12.5 ms in the mean. Both on two
    # GPUs, one after the other: 10 and 20, 15 in the mean.
    ins = papers_example()
    together = CompletionSchedule.build(
        ins, [0, 1], [0, 0], [(0, 0, 15, 0, 1, 1), (1, 0, 10, 0, 1, 1)]
    )
    assert score(ins, together).objective / 2 == 12.5
    in_turn = CompletionSchedule.build(
        ins, [1, 1], [0, 0], [(0, 0, 10, 0, 1, 1), (1, 10, 20, 0, 1, 1)]
    )
    assert score(ins, in_turn).objective / 2 == 15.0
    assert score(ins, together).feasible and score(ins, in_turn).feasible


@pytest.mark.parametrize(("work", "v", "slots"), [(20, 0.65, 13), (25, 0.28, 7)])
def test_2f_forgives_round_off(work: int, v: float, slots: int) -> None:
    # E6.
    ins = instance([job("a", epochs=work, minibatch_slots=[v])])
    assert equations(ins, [(0, 0, slots, 0, 1, 1)]) == []
    assert equations(ins, [(0, 0, slots - 1, 0, 1, 1)]) == ["(2f)"]


def test_2i_is_rounded_up() -> None:
    # E8: three workers of 2 Gbps, one beside the PSs of 3 Gbps: two PSs for the 4 Gbps elsewhere.
    ins = instance(
        [job("a", chunks=3)], servers=[[9.0], [9.0]], worker_types=[[2.0]], ps_types=[[3.0]]
    )
    assert equations(ins, [(0, 0, 1, 0, 1, 2), (0, 0, 1, 1, 2, 0)]) == []
    assert equations(ins, [(0, 0, 1, 0, 1, 1), (0, 0, 1, 1, 2, 0)]) == ["(2i)"]


def test_the_rules_agree_with_the_scorer() -> None:
    module = importlib.import_module("models.completion.score")
    assert (module._TOLERANCE, module._ROUND_OFF) == (SCORER, ROUND_OFF)


@pytest.mark.parametrize("allreduce", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_least_durations_and_least_ps_are_those_of_the_scorer(seed: int, allreduce: bool) -> None:
    # Written twice, once for who decides and once for who judges.
    rng = np.random.default_rng(seed)
    ins = random_instance(rng, allreduce=allreduce)
    for one in ins.jobs:
        for m in range(2):
            for p in ins.cluster.ps_choices:
                n = int(rng.integers(1, one.chunks + 1))
                beside = int(rng.integers(0, n + 1))
                if allreduce:
                    ps, placed = 0, [(0, beside), (1, n - beside)]
                else:
                    b, big_b = ins.cluster.worker_gbps[m], ins.cluster.ps_gbps[p]
                    ps, placed = least_ps(n - beside, b, big_b), [(0, beside), (1, n - beside)]
                internal = beside == n or (allreduce and beside == 0)
                d = least_duration(one, m, p, n, internal)
                for slots, count, broken in (
                    (d, ps, set()),
                    (d - 1, ps, {"(2f)"}),
                    (d, ps - 1, {"(2i)", "(2e)", "(2f)"}),
                ):
                    if slots < 1 or count < 0:
                        continue
                    rows = [(one.index, 3, 3 + slots, h, y, count * (h == 0)) for h, y in placed]
                    types = [m] * len(ins.jobs), [p] * len(ins.jobs)
                    found = score(ins, CompletionSchedule.build(ins, *types, rows)).violations
                    mine = {v.equation for v in found if v.job == one.id}
                    assert mine <= broken and bool(mine) == bool(broken)


def test_a_schedule_of_another_instance_is_refused() -> None:
    with pytest.raises(InputError, match="made for another instance"):
        score(instance([job("b")]), schedule(worked(), [LATE]))
