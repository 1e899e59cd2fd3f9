"""The scorer of `colocated`: E9 and others by hand, each constraint broken on purpose."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from models.colocated import ColocatedInstance, ColocatedSchedule, Job, score
from models.colocated.cluster import ROUND_OFF
from models.errors import InputError
from models.sigmoid import Sigmoid
from models.tolerance import SCORER
from tests.models.colocated.small import NOTHING, instance, job, random_instance

Rows = list[tuple[int, int, int, int]]


def worked(**changes: Any) -> ColocatedInstance:
    """E9: tau = 1e-5, 2 g gamma / F = 1e-4, 10 Gbps on a server, 1 Gbps between two of 3 CPUs.

    Two workers train 2 / 2e-5 = 100,000 samples a slot on one server, else 2 / 1.1e-4 = 18,182.
    The utility of `e9` is 2 / (1 + 3^(delay - 2)); `late` arrives in slot 1, is done in one slot,
    and worth 1.
    """
    e9 = {
        "epochs": 5,
        "samples": 20_000,
        "sample_slots": 1e-5,
        "gradient_mb": 1e-4,
        "gamma": 2.0,
        "max_workers": 2,
        "utility": Sigmoid(priority=2.0, decay=math.log(3.0), target=2.0),
    }
    jobs = [job("e9", **{**e9, **changes}), job("late", 1)]
    return instance(jobs, slots=8, servers=[[3.0], [3.0]])


def result_of(ins: ColocatedInstance, workers: Rows, ps: Rows, admitted: Any = (True, True)):
    return score(ins, ColocatedSchedule.build(ins, np.array(admitted), workers, ps))


def test_e9_times() -> None:
    e9 = worked().jobs[0]
    assert e9.internal_slots == pytest.approx(2e-5)
    assert e9.external_slots == pytest.approx(1.1e-4)
    assert e9.speedup == pytest.approx(5.5)
    assert e9.work == pytest.approx(11.0)
    # An hour of 10 Gbps moves 4.5 million MB: gradients of 45 MB both ways are 2e-5 of that.
    hour = replace(e9, slot_seconds=3600.0, gradient_mb=45.0, gamma=1.0, max_workers=1)
    assert hour.internal_slots == pytest.approx(1e-5 + 2e-5)


LATE = (1, 1, 1, 1)


def test_one_server_is_internal() -> None:
    result = result_of(worked(), [(0, 0, 0, 2), LATE], [(0, 0, 0, 1), LATE])
    assert result.violations == ()
    assert result.completion.tolist() == [0, 1]
    assert result.value.tolist() == pytest.approx([2.0 / (1.0 + 1.0 / 9.0), 1.0])
    assert result.objective == pytest.approx(2.8)


# (server, workers, parameter servers): two workers, and at least the one that they need.
SPLIT = {
    "workers apart": [(0, 1, 1), (1, 1, 0)],
    "parameter server apart": [(0, 2, 0), (1, 0, 1)],
    "another parameter server apart": [(0, 2, 1), (1, 0, 1)],
}


@pytest.mark.parametrize("name", SPLIT)
def test_what_is_split_is_external(name: str) -> None:
    places = SPLIT[name]

    def run(slots: int):
        workers = [(0, t, h, w) for t in range(slots) for h, w, _ in places if w]
        ps = [(0, t, h, s) for t in range(slots) for h, _, s in places if s]
        return result_of(worked(), workers, ps, (True, False))

    (violation,) = run(5).violations
    assert str(violation) == "(3) job 'e9' trains 90909.0909091 of 100000 samples"
    assert run(6).violations == ()
    assert run(6).completion.tolist() == [5, -1]


def test_modes_differ_from_slot_to_slot() -> None:
    # One internal worker, 50,000 samples; then 18,182 a slot on two servers: three slots.
    workers = [(0, 0, 0, 1)] + [(0, t, h, 1) for t in (2, 3, 4) for h in (0, 1)]
    ps = [(0, t, 0, 1) for t in (0, 2, 3, 4)]
    assert result_of(worked(), workers, ps, (True, False)).feasible
    broken = result_of(worked(), workers[:-2], ps[:-1], (True, False)).violations
    assert [one.equation for one in broken] == ["(3)"]


BROKEN: list[tuple[str, Rows, Rows, str]] = [
    ("(3)", [(0, 0, 0, 1), LATE], [(0, 0, 0, 1), LATE], "job 'e9' trains 50000 of 100000 samples"),
    ("(3)", [LATE], [LATE], "job 'e9' trains 0 of 100000 samples"),
    (
        "(4)",
        [(0, 0, 0, 2), (0, 2, 0, 2), (0, 2, 1, 1), LATE],
        [(0, 0, 0, 1), (0, 2, 1, 2), LATE],
        "job 'e9' runs 3 workers in slot 2, more than F = 2",
    ),
    (
        "(5)",
        [(0, 1, 1, 2), LATE],
        [(0, 1, 1, 1), LATE],
        "server 1 uses 5 of 3 cpu in slot 1",
    ),
    (
        "(7)",
        [(0, 0, 0, 2), LATE, (1, 0, 1, 1)],
        [(0, 0, 0, 1), LATE, (1, 0, 1, 1)],
        "job 'late' runs a worker in slot 0, before its arrival 1",
    ),
    (
        "(7)",
        [(0, 0, 0, 2), LATE],
        [(0, 0, 0, 1), LATE, (1, 0, 1, 1)],
        "job 'late' runs a parameter server in slot 0, before its arrival 1",
    ),
    (
        "gamma",
        [(0, 0, 0, 2), LATE],
        [(0, 0, 0, 1)],
        "job 'late' has 1 workers but 0 parameter servers in slot 1, with gamma = 1",
    ),
    (
        ">= 0",
        [(0, 0, 0, 2), LATE, (1, 2, 0, -1)],
        [(0, 0, 0, 1), LATE],
        "job 'late' has -1 workers on server 0 in slot 2",
    ),
    (
        ">= 0",
        [(0, 0, 0, 2), LATE],
        [(0, 0, 0, 1), LATE, (0, 2, 0, -1)],
        "job 'e9' has -1 parameter servers on server 0 in slot 2",
    ),
]


@pytest.mark.parametrize(("equation", "workers", "ps", "message"), BROKEN)
def test_a_broken_constraint_is_named(equation: str, workers: Rows, ps: Rows, message: str) -> None:
    found = [one for one in result_of(worked(), workers, ps).violations if one.equation == equation]
    assert message in [one.message for one in found]
    others = {one.equation for one in result_of(worked(), workers, ps).violations} - {equation}
    assert others <= ({"(3)", "gamma"} if equation == ">= 0" else set())


def test_gamma_is_not_rounded_up_for_free() -> None:
    # Three workers at gamma = 2 need two parameter servers, wherever they are.
    ins = worked(max_workers=4)
    workers: Rows = [(0, 0, 0, 2), (0, 0, 1, 1)]
    few = result_of(ins, workers, [(0, 0, 0, 1)], (False, False)).violations
    assert [(one.equation, one.job, one.slot) for one in few] == [("gamma", "e9", 0)]
    for enough in ([(0, 0, 0, 1), (0, 0, 1, 1)], [(0, 0, 1, 2)]):
        assert result_of(ins, workers, enough, (False, False)).feasible


def test_completion_is_the_last_slot_with_a_worker() -> None:
    # (6): an idle worker later delays the completion; parameter servers alone do not.
    late = result_of(
        worked(), [(0, 0, 0, 2), (0, 3, 0, 1)], [(0, 0, 0, 1), (0, 3, 0, 1)], (True, False)
    )
    assert late.completion.tolist() == [3, -1]
    only = result_of(worked(), [(0, 0, 0, 2)], [(0, 0, 0, 1), (0, 3, 0, 1)], (True, False))
    assert only.feasible and only.completion.tolist() == [0, -1]


def test_a_job_that_is_not_admitted_earns_nothing_but_obeys_the_rest() -> None:
    result = result_of(worked(), [(0, 0, 0, 2)], [(0, 0, 0, 1)], (False, False))
    assert result.feasible and result.objective == 0.0
    assert result.completion.tolist() == [-1, -1]
    over = result_of(worked(), [(0, 0, 0, 3)], [(0, 0, 0, 2)], (False, False))
    assert [one.equation for one in over.violations] == ["(4)", "(5)"]


def test_tolerance_of_capacities() -> None:
    for capacity in (0.5, 2.0, 3e4):
        most = capacity + SCORER * max(1.0, capacity)
        for demand, feasible in ((most * (1 - 1e-12), True), (most * (1 + 1e-9), False)):
            ins = instance([job("a", worker=[demand], ps=[0.0])], servers=[[capacity]])
            assert result_of(ins, [(0, 0, 0, 1)], [(0, 0, 0, 1)], (True,)).feasible is feasible


def test_tolerance_of_3() -> None:
    # 0.1 + 0.2 slots a sample: ten samples of 0.30000000000000004 are three slots, not four.
    sizes = {"samples": 10, "sample_slots": 0.1, "gradient_mb": 0.2}
    rows: Rows = [(0, t, 0, 1) for t in range(3)]
    for extra, feasible in ((0.0, True), (0.5e-9, True), (2e-9, False)):
        tau = 0.1 + 0.3 * extra
        ins = instance(
            [job("a", **{**sizes, "sample_slots": tau, "internal_gbps": 1.0})], servers=[[2.0]]
        )
        assert result_of(ins, rows, rows, (True,)).feasible is feasible
        # What formulations ask for is never more.
        assert (ins.jobs[0].tolerant_work <= 3.0) or not feasible


def test_least_ps_is_the_scorers() -> None:
    rng = np.random.default_rng(0)
    numbers = np.concatenate([rng.uniform(0.05, 12.0, 30), [1e-3, 0.1, 0.3 / 0.1, 1 / 3, 7.0, 1e9]])
    for gamma in [*numbers.tolist(), 3.0 * (1 - 0.5 * ROUND_OFF), 3.0 * (1 - 2.0 * ROUND_OFF)]:
        one = random_one(gamma)
        table = one.ps_needed_table(40)
        assert table.tolist() == [one.ps_needed(w) for w in range(41)]
        ins = instance([job("a", gamma=gamma, max_workers=40)], servers=[[1e6]], slots=1)
        for w in (1, 3, 6, 40):
            for ps, enough in ((int(table[w]), True), (int(table[w]) - 1, False)):
                found = result_of(ins, [(0, 0, 0, w)], [(0, 0, 0, ps)], (False,)).violations
                assert ("gamma" not in [one.equation for one in found]) is enough
    assert random_one(3.0 * (1 - 0.5 * ROUND_OFF)).ps_needed(3) == 1
    assert random_one(3.0 * (1 - 2.0 * ROUND_OFF)).ps_needed(3) == 2


def random_one(gamma: float) -> Job:
    return instance([job("a", gamma=gamma, max_workers=40)]).jobs[0]


@pytest.mark.parametrize("name", NOTHING)
def test_the_empty_schedule_is_feasible(name: str) -> None:
    ins = NOTHING[name]
    result = score(ins, ColocatedSchedule.build(ins, np.zeros(len(ins.jobs)), [], []))
    assert result.feasible and result.objective == 0.0


def test_schedules_of_others_are_refused() -> None:
    ins, other = (random_instance(np.random.default_rng(seed)) for seed in (0, 1))
    with pytest.raises(InputError, match="another instance"):
        score(other, ColocatedSchedule.build(ins, [False] * 3, [], []))
