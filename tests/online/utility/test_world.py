"""The world of the `utility` problem: plans, pauses, completions and events, by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from models.utility import UtilityInstance, score
from online.policy import Arrival, Decision, Event, Policy, SlotStart
from online.run import Trace, run
from online.segments import Plan, Segment
from tests.models.utility.small import instance, job

Answer = Callable[[Event], Decision | None]


class Scripted(Policy):
    """Answers events by a function and remembers them."""

    name = "scripted"

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def reset(self, public: Any, rng: np.random.Generator) -> None:
        self.events: list[Event] = []

    def step(self, event: Event) -> Decision:
        self.events.append(event)
        return self._answer(event) or Decision()


def segment(start: int, stop: int | None, workers: int = 1) -> Segment:
    """So many workers on server 0, with as many parameter servers."""
    rows = np.array([[0, workers]])
    return Segment(start, stop, rows, rows)


def play(ins: UtilityInstance, answer: Answer) -> tuple[Scripted, Trace]:
    policy = Scripted(answer)
    return policy, run(ins, policy, np.random.default_rng(0))


def slots_of(trace: Trace, index: int) -> list[int]:
    return [int(row[1]) for row in trace.schedule.workers if row[0] == index]


def test_open_plan_runs_until_done_and_wakes_the_policy_once() -> None:
    # W = 3, one worker from slot 2 on: slots 2, 3, 4; the completion is seen in slot 5.
    ins = instance([job("a", arrival=2, work=3)], slots=50)

    def answer(event: Event) -> Decision | None:
        return Decision({0: (segment(2, None),)}) if isinstance(event, Arrival) else None

    policy, trace = play(ins, answer)
    assert slots_of(trace, 0) == [2, 3, 4]
    assert [(type(e).__name__, e.slot) for e in policy.events] == [
        ("Arrival", 2),
        ("SlotStart", 2),
        ("SlotStart", 5),
    ]
    last = policy.events[-1]
    assert isinstance(last, SlotStart)
    assert last.completed == (0,)
    assert dict(last.remaining) == {}
    assert score(ins, trace.schedule).completion.tolist() == [4]


def test_pause_and_resume_keep_the_work_done() -> None:
    # a (W = 3) runs in slot 0, pauses while b (W = 1) runs in slot 1, resumes in slots 2, 3.
    ins = instance([job("a", work=3), job("b", arrival=1, work=1)], slots=9)

    def answer(event: Event) -> Decision | None:
        if not isinstance(event, SlotStart):
            return None
        if event.slot == 0:
            return Decision({0: (segment(0, None),)})
        if event.slot == 1:
            assert dict(event.remaining) == {0: 2, 1: 1}
            return Decision({0: (), 1: (segment(1, None),)})
        if event.completed == (1,):
            return Decision({0: (segment(2, None),)})
        return None

    _, trace = play(ins, answer)
    assert slots_of(trace, 0) == [0, 2, 3]
    assert slots_of(trace, 1) == [1]
    assert score(ins, trace.schedule).objective == 2.0


def test_a_plan_is_cut_at_the_completion_and_frees_the_server() -> None:
    # a needs 2 of the 5 slots it plans; b may take the server from slot 2 on.
    ins = instance([job("a", work=2), job("b", work=2)], slots=6)

    def answer(event: Event) -> Decision | None:
        if isinstance(event, Arrival):
            start = 0 if event.job.index == 0 else 2
            return Decision({event.job.index: (segment(start, start + 4),)})
        return None

    _, trace = play(ins, answer)
    assert slots_of(trace, 0) == [0, 1]
    assert slots_of(trace, 1) == [2, 3]


def test_the_last_slot_is_kept_whole() -> None:
    # W = 3 with 2 workers: slots 0 and 1, both with 2 workers; (2) holds with room to spare.
    ins = instance(
        [job("a", work=3, chunks=2)], slots=4, worker_servers=[[2.0]], ps_servers=[[2.0]]
    )

    def answer(event: Event) -> Decision | None:
        return Decision({0: (segment(0, None, 2),)}) if isinstance(event, Arrival) else None

    _, trace = play(ins, answer)
    assert trace.schedule.workers[:, 3].tolist() == [2, 2]
    assert trace.schedule.admitted.tolist() == [True]


def test_an_unfinished_job_is_not_admitted_and_breaks_nothing() -> None:
    ins = instance([job("a", work=9)], slots=3)

    def answer(event: Event) -> Decision | None:
        return Decision({0: (segment(0, None),)}) if isinstance(event, Arrival) else None

    _, trace = play(ins, answer)
    result = score(ins, trace.schedule)
    assert (result.objective, result.violations) == (0.0, ())
    assert slots_of(trace, 0) == [0, 1, 2]


def test_completion_in_the_last_slot_counts() -> None:
    ins = instance([job("a", arrival=2, work=2)], slots=4)

    def answer(event: Event) -> Decision | None:
        return Decision({0: (segment(2, None),)}) if isinstance(event, Arrival) else None

    _, trace = play(ins, answer)
    assert score(ins, trace.schedule).completion.tolist() == [3]


def test_wake_up_is_sent_once_at_the_slot_asked_for() -> None:
    ins = instance([job("a")], slots=1000)

    def answer(event: Event) -> Decision | None:
        if isinstance(event, SlotStart) and event.slot == 0:
            return Decision(wake_at=700)
        return None

    policy, _ = play(ins, answer)
    assert [e.slot for e in policy.events] == [0, 0, 700]


def test_jobs_are_known_by_their_rank_of_arrival() -> None:
    # In the file the late job stands first: the policy must not learn that from an index.
    ins = instance([job("late", arrival=3), job("a"), job("b")], slots=5)
    plans: dict[str, Plan] = {}

    def answer(event: Event) -> Decision | None:
        if isinstance(event, Arrival):
            plans[event.job.id] = ()
            assert event.job.index == len(plans) - 1
            if event.job.id == "late":
                return Decision({event.job.index: (segment(3, None),)})
        return None

    _, trace = play(ins, answer)
    assert list(plans) == ["a", "b", "late"]
    assert trace.schedule.admitted.tolist() == [True, False, False]


def test_a_plan_may_be_replaced_in_the_slot_it_would_complete_in() -> None:
    # a (W = 3) runs in slots 0 and 1 and would complete in slot 2. b arrives there and takes the
    # server; a has 1 left and runs in slot 3.
    ins = instance([job("a", work=3), job("b", arrival=2, work=1)], slots=6)

    def answer(event: Event) -> Decision | None:
        if isinstance(event, Arrival):
            if event.job.index == 0:
                return Decision({0: (segment(0, None),)})
            return Decision({0: (segment(3, None),), 1: (segment(2, None),)})
        if event.slot == 2:
            assert event.completed == ()
            assert dict(event.remaining) == {0: 1, 1: 1}
        return None

    policy, trace = play(ins, answer)
    assert slots_of(trace, 0) == [0, 1, 3]
    assert slots_of(trace, 1) == [2]
    assert score(ins, trace.schedule).completion.tolist() == [3, 2]
    told = [(e.slot, e.completed) for e in policy.events if isinstance(e, SlotStart)]
    assert told == [(0, ()), (2, ()), (3, (1,)), (4, (0,))]


def test_a_plan_with_gaps_frees_the_server_in_between() -> None:
    # a (W = 3): slots 0, 3 and 4, the rest of its plan is void. b (W = 2): slots 1 and 2.
    ins = instance([job("a", work=3), job("b", work=2)], slots=8)

    def answer(event: Event) -> Decision | None:
        if not isinstance(event, Arrival):
            return None
        if event.job.index == 0:
            return Decision({0: (segment(0, 1), segment(3, 5), segment(6, None))})
        return Decision({1: (segment(1, None),)})

    policy, trace = play(ins, answer)
    assert slots_of(trace, 0) == [0, 3, 4]
    assert slots_of(trace, 1) == [1, 2]
    told = [(e.slot, e.completed) for e in policy.events if isinstance(e, SlotStart)]
    assert told == [(0, ()), (3, (1,)), (5, (0,))]


def test_a_plan_replaced_in_its_gap_keeps_the_work_done() -> None:
    # a (W = 3) runs in slot 0 and pauses; in slot 2 it is planned anew with 2 workers: slot 2.
    ins = instance(
        [job("a", work=3, chunks=2)], slots=8, worker_servers=[[2.0]], ps_servers=[[2.0]]
    )

    def answer(event: Event) -> Decision | None:
        if isinstance(event, Arrival):
            return Decision({0: (segment(0, 1), segment(5, None))}, wake_at=2)
        if event.slot == 2:
            assert dict(event.remaining) == {0: 2}
            return Decision({0: (segment(2, None, 2),)})
        return None

    _, trace = play(ins, answer)
    assert trace.schedule.workers.tolist() == [[0, 0, 0, 1], [0, 2, 0, 2]]
    assert score(ins, trace.schedule).completion.tolist() == [2]


def test_an_accepted_plan_is_out_of_reach() -> None:
    # The policy turns 1 worker into 9, and lengthens its list of segments, after the answer.
    ins = instance([job("a", work=2)], slots=4)
    rows = np.array([[0, 1]])
    plan = [Segment(0, None, rows, rows)]

    def answer(event: Event) -> Decision | None:
        if isinstance(event, Arrival):
            return Decision({0: plan})  # type: ignore[dict-item]
        rows[0, 1] = 9
        plan.append(plan[0])
        return None

    _, trace = play(ins, answer)
    assert trace.schedule.workers[:, 3].tolist() == [1, 1]
    assert score(ins, trace.schedule).feasible
