"""The world of the `colocated` problem: Fact 1 slot by slot, completions, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from models.colocated import score
from online.policy import Arrival, Decision, Event, SlotStart
from online.run import InfeasibleDecision, run
from online.segments import plan_from_column
from solvers.colocated.oracle import best_schedule
from solvers.colocated.placement_greedy import GreedyPlacement
from tests.models.colocated.small import instance, job, random_instance
from tests.online.colocated.scripted import Scripted, fast, rows, segment, simulate


def told(policy: Scripted) -> list[tuple[int, tuple[int, ...], dict[int, int]]]:
    """Slot, completed and remaining of every start of a slot."""
    return [
        (e.slot, e.completed, dict(e.remaining)) for e in policy.events if isinstance(e, SlotStart)
    ]


def test_the_rate_follows_from_the_placement_in_each_slot() -> None:
    # 6 samples are 9 external worker-slots. Two workers on server 0 with the PS on server 1 do 2 in
    # each of slots 0 and 1; with the PS beside them 3: 5 are left, so 2 slots, the last one whole.
    ins = instance([fast("a", samples=6)], servers=[[4.0], [4.0]], slots=9)
    plan = (segment(0, {0: 2}, {1: 1}, 2), segment(2, {0: 2}, {0: 1}))

    def answer(event: Event) -> Decision | None:
        begin = isinstance(event, SlotStart) and event.slot == 0
        return Decision({0: plan}, wake_at=2) if begin else None

    policy = Scripted(answer)
    trace = simulate(ins, policy)
    assert told(policy) == [(0, (), {0: 9}), (2, (), {0: 5}), (4, (0,), {})]
    assert rows(trace, 0)[1] == [(0, 1, 1), (1, 1, 1), (2, 0, 1), (3, 0, 1)]
    assert score(ins, trace.schedule).completion.tolist() == [3]


@pytest.mark.parametrize(
    ("workers", "ps", "slots"),
    [
        ({0: 2}, {0: 1}, 1),  # all on one server
        ({0: 1, 1: 1}, {0: 1}, 2),  # split workers
        ({0: 2}, {1: 1}, 2),  # one server each, but two
        ({0: 2}, {0: 1, 1: 1}, 2),  # a parameter server more than needed, elsewhere
        ({0: 2}, {0: 2}, 1),  # the same, beside the others
    ],
)
def test_internal_if_and_only_if_all_is_on_one_server(
    workers: dict[int, int], ps: dict[int, int], slots: int
) -> None:
    # 2 samples are 3 worker-slots: two internal workers do them in a slot, external ones in 2.
    ins = instance([fast("a", samples=2)], servers=[[4.0], [4.0]], slots=5)
    plan = (segment(0, workers, ps),)
    trace = simulate(ins, Scripted(lambda e: Decision({0: plan}) if e.slot == 0 else None))
    assert trace.schedule.admitted.tolist() == [True]
    assert score(ins, trace.schedule).completion.tolist() == [slots - 1]


def test_what_is_left_is_rounded_up_and_an_unfinished_job_earns_nothing() -> None:
    # 3 samples are 4.5 worker-slots; one worker alone trains one a slot, and there are 2 slots.
    ins = instance([fast("a", samples=3)], slots=2)

    def answer(event: Event) -> Decision | None:
        plan = {0: (segment(0, {0: 1}, {0: 1}),)}
        return (
            Decision(plan, wake_at=1) if isinstance(event, SlotStart) and not event.slot else None
        )

    policy = Scripted(answer)
    trace = simulate(ins, policy)
    assert told(policy) == [(0, (), {0: 5}), (1, (), {0: 3})]
    assert score(ins, trace.schedule).objective == 0.0 and len(trace.schedule.workers) == 2


@pytest.mark.parametrize(
    ("plans", "message"),
    [
        ({0: (segment(0, {0: 2, 1: 1}, {0: 1}),)}, r"\(4\) 3 workers, more than F = 2"),
        ({0: (segment(0, {0: 1}, {}),)}, r"\(gamma\) 0 parameter servers, 1 are needed for 1"),
        ({0: (segment(0, {2: 1}, {0: 1}),)}, "no server 2"),
        ({0: (segment(0, {0: 1}, {-1: 1}),)}, "no server -1"),
        ({0: (segment(0, {0: 1}, {0: -1}),)}, "count is not positive"),
        # Workers and parameter servers of both jobs count: 2 + 1 + 1 + 1 CPUs.
        (
            {0: (segment(0, {0: 2}, {0: 1}),), 1: (segment(0, {0: 1}, {0: 1}),)},
            r"\(5\) server 0 would use 5 of 4 cpu in slot 0",
        ),
        ({0: (segment(0, {0: 2}, {0: 3}),)}, r"\(5\) server 0 would use 5 of 4 cpu"),
    ],
)
def test_refusals(plans: dict[int, Any], message: str) -> None:
    ins = instance([fast("a"), fast("b")], servers=[[4.0], [4.0]])
    policy = Scripted(lambda event: Decision(plans) if isinstance(event, SlotStart) else None)
    with pytest.raises(InfeasibleDecision, match=rf"'scripted' on 'small', slot 0.*{message}"):
        run(ins, policy, np.random.default_rng(0))


@pytest.mark.parametrize("seed", range(20))
def test_columns_of_the_oracle_do_what_they_promise(seed: int) -> None:
    # Units are rounded down: a job ends when its column says, or earlier.
    ins = random_instance(np.random.default_rng(seed), jobs=1, slots=5, samples=9)
    free = np.repeat(ins.cluster.servers[None], 5, axis=0)
    column = best_schedule(ins.jobs[0], np.zeros_like(free), free, GreedyPlacement())
    if column is None:
        return

    def answer(event: Event) -> Decision | None:
        plan = {0: plan_from_column(column)}
        return Decision(plan) if isinstance(event, Arrival) else None

    trace = simulate(ins, Scripted(answer))
    assert 0 <= score(ins, trace.schedule).completion[0] <= column.completion


def test_round_off_of_the_work_costs_no_slot() -> None:
    # 20 samples of 0.65 slots are 13.000000000000002 worker-slots.
    ins = instance([job("a", samples=20, sample_slots=0.65)], slots=13)
    plan = (segment(0, {0: 1}, {0: 1}),)
    trace = simulate(ins, Scripted(lambda e: Decision({0: plan}) if e.slot == 0 else None))
    assert trace.schedule.admitted.tolist() == [True]
