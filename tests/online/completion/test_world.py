"""The world of the `completion` problem: plans, completions and events by hand, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from models.completion import CompletionInstance, score
from models.completion.cluster import NO_TYPE
from online.completion.plan import PAUSED, Run, Share, run_of
from online.policy import Arrival, Decision, Event, Policy, SlotStart
from online.run import InfeasibleDecision, Trace, run
from solvers.completion.oracle import best_schedule
from tests.models.completion.small import instance, job
from tests.online.completion.small import ring, rows, work

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


def play(ins: CompletionInstance, answer: Answer) -> tuple[Scripted, Trace]:
    policy = Scripted(answer)
    return policy, run(ins, policy, np.random.default_rng(0))


def array(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int64)


def share(workers: int, server: int = 0) -> Share:
    """Workers on one server, with all-reduce."""
    return Share(0, NO_TYPE, array(server), array(workers), array(0))


def constant(start: int, duration: int, workers: int = 1, server: int = 0) -> Run:
    return Run(0, NO_TYPE, array(server), array(workers), array(0), start, duration)


def told(policy: Scripted) -> list[tuple[int, tuple[int, ...], dict[int, int]]]:
    """Slot, completed and remaining of every start of a slot."""
    return [
        (e.slot, e.completed, dict(e.remaining)) for e in policy.events if isinstance(e, SlotStart)
    ]


def test_a_run_starts_as_planned_and_may_end_after_the_last_slot() -> None:
    # T = 2: the job arrives in 1 and runs from 3 on for 4 slots.
    ins = ring([work("a", 1, slots=4)], 1, slots=2)

    def answer(event: Event) -> Decision | None:
        return Decision({0: constant(3, 4)}) if isinstance(event, Arrival) else None

    policy, trace = play(ins, answer)
    assert rows(trace, 0) == [(3, 7, 0, 1)] and not trace.schedule.elastic
    assert told(policy) == [(1, (), {0: 4}), (7, (0,), {})]
    assert score(ins, trace.schedule).completion.tolist() == [7]


def test_shares_change_pause_and_move_and_the_work_done_counts() -> None:
    # 12 mini-batches: 2 workers in 0 and 1 (4), a pause in 2, 3 on server 1 from 3 on (8 left): 3
    # slots, the last of them whole. Done at 6.
    ins = ring([work("a", chunks=3, slots=4)], 2, 3)
    plans = {0: share(2), 2: PAUSED, 3: share(3, 1)}

    def answer(event: Event) -> Decision | None:
        if isinstance(event, Arrival):
            return None
        wake = min((slot for slot in plans if slot > event.slot), default=None)
        return Decision({0: plans[event.slot]} if event.slot in plans else {}, wake)

    policy, trace = play(ins, answer)
    assert rows(trace, 0) == [(0, 2, 0, 2), (3, 6, 1, 3)] and trace.schedule.elastic
    assert told(policy) == [(0, (), {0: 12}), (2, (), {0: 8}), (3, (), {0: 8}), (6, (0,), {})]
    assert score(ins, trace.schedule).feasible


def test_remaining_work_is_rounded_up() -> None:
    # A mini-batch takes 0.65 slots (E6): 20 of them 13 slots; after 5, 5 / 0.65 = 7.69 are done.
    ins = ring([work("a", slots=20, minibatch_slots=[0.65])], 1)

    def answer(event: Event) -> Decision | None:
        return Decision({0: share(1)}, wake_at=5) if event.slot == 0 else None

    policy, _ = play(ins, answer)
    assert told(policy) == [(0, (), {0: 20}), (5, (), {0: 13}), (13, (0,), {})]


def test_a_run_can_be_replaced_before_its_start() -> None:
    ins = ring([work("a", slots=2), work("b", 1)], 1)

    def answer(event: Event) -> Decision | None:
        if isinstance(event, Arrival):
            start = 1 if event.job.index == 0 else 3
            return Decision({event.job.index: constant(start, 2 - event.job.index)})
        return Decision({0: constant(4, 2)}) if event.slot == 1 else None

    _, trace = play(ins, answer)
    assert (rows(trace, 0), rows(trace, 1)) == ([(4, 6, 0, 1)], [(3, 4, 0, 1)])


def test_jobs_are_known_by_their_rank_of_arrival() -> None:
    ins = ring([work("late", 3), work("a")], 1)

    def answer(event: Event) -> Decision | None:
        if isinstance(event, Arrival):
            assert event.job.id == ("a", "late")[event.job.index]
            return Decision({event.job.index: constant(event.slot, 1)})
        return None

    _, trace = play(ins, answer)
    assert trace.schedule.start.tolist() == [3, 0]


def test_a_job_that_never_runs_makes_the_schedule_infeasible() -> None:
    ins = ring([work("a")], 1)
    _, trace = play(ins, lambda event: None)
    assert [v.equation for v in score(ins, trace.schedule).violations] == ["(2a)"]


def test_an_accepted_plan_is_out_of_reach() -> None:
    plan = share(1)

    def answer(event: Event) -> Decision | None:
        if isinstance(event, SlotStart) and event.slot == 0:
            return Decision({0: plan}, wake_at=1)
        plan.workers[0] = 9
        return None

    ins = ring([work("a", slots=2)], 1)
    plan.workers[0] = 1
    policy = Scripted(lambda event: answer(event) if isinstance(event, SlotStart) else None)
    trace = run(ins, policy, np.random.default_rng(0))
    assert rows(trace, 0) == [(0, 2, 0, 1)]


def test_a_column_is_carried_out_as_it_is() -> None:
    # One worker and a PS fit only apart: the rate of q = 0, 1 + 1 slots.
    ins = instance([job("a", gradient_mb=1.0)], servers=[[1.0], [1.0]])
    nothing = np.zeros((4, 2, 1))
    full = np.ones((4, 2, 1))

    def answer(event: Event) -> Decision | None:
        if not isinstance(event, Arrival):
            return None
        column = best_schedule(event.job, ins.cluster, nothing, full, np.ones(5))
        assert column is not None
        return Decision({0: run_of(column)})

    _, trace = play(ins, answer)
    assert len(trace.schedule.rows) == 2 and trace.schedule.end.tolist() == [2]
    assert score(ins, trace.schedule).feasible


# ---- refusals -----------------------------------------------------------------------------


FINE = Run(0, 0, array(0), array(1), array(1), 0, 3)
"""With parameter servers: three slots of one worker, (1 + 0) 3 mini-batches."""


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("nothing", "a plan is a Run or a Share, not of type str"),
        (replace(FINE, start=0.5), "start is not a whole number"),
        (replace(FINE, workers=array(1, 2)), "workers are not one integer per server"),
        (replace(FINE, ps=np.array([1.0])), "ps are not one integer per server"),
        (replace(FINE, worker_type=1), r"\(2b\) no worker type 1"),
        (replace(FINE, ps_type=NO_TYPE), r"\(2c\) no PS type -1"),
        (replace(FINE, workers=array(0)), r"\(2b\), \(2g\) 0 workers"),
        (replace(FINE, ps=array(0)), r"\(2e\) 0 parameter servers with architecture 'ps'"),
        (replace(FINE, workers=array(4)), r"\(2b\), \(2g\) 4 workers, not 1 to D = 3"),
        (replace(FINE, duration=2), r"\(2f\) 2 slots, it takes 3"),
        (replace(FINE, start=-1), "starts in slot -1 < 0"),
        (replace(FINE, servers=array(2)), "no server 2"),
        (replace(FINE, servers=array(-1)), "no server -1"),
        (
            replace(FINE, servers=array(0, 0), workers=array(1, 1), ps=array(1, 1)),
            "a server stands twice",
        ),
        (
            replace(FINE, servers=array(0, 1), workers=array(2, -1), ps=array(1, 1)),
            r"\(2k\), \(2l\) a number is negative",
        ),
        (
            replace(FINE, servers=array(0, 1), workers=array(1, 0), ps=array(1, 0)),
            r"both are 0",
        ),
        (
            replace(FINE, servers=array(0, 1), workers=array(0, 3), ps=array(2, 0)),
            r"\(2i\) 2 parameter servers on server 0, 3 are needed",
        ),
        (
            replace(FINE, workers=array(3), duration=1),
            r"\(2h\) server 0 would use 4 of 3 bandwidth_gbps in slot 0",
        ),
        (replace(FINE, duration=10**9 + 1), "would run until slot 1e\\+09"),
    ],
)
def test_what_breaks_a_rule_is_refused(plan: Any, message: str) -> None:
    ins = instance([job("a", chunks=3)], servers=[[3.0], [3.0]])
    with pytest.raises(InfeasibleDecision, match=f"job 'a'.*{message}|{message}"):
        play(ins, lambda event: Decision({0: plan}) if isinstance(event, Arrival) else None)


def test_capacity_is_checked_in_later_slots_too() -> None:
    ins = ring([work("a", slots=4), work("b", slots=2)], 1)
    plans = [constant(0, 4), constant(3, 2)]
    with pytest.raises(InfeasibleDecision, match=r"\(15b\) server 0 would use 2 of 1 .* slot 3"):
        play(
            ins,
            lambda event: (
                Decision({event.job.index: plans[event.job.index]})
                if isinstance(event, Arrival)
                else None
            ),
        )


@pytest.mark.parametrize(
    ("first", "then", "message"),
    [
        (constant(0, 3), constant(2, 3), "its Run has started and is final"),
        (constant(0, 3), PAUSED, "its Run has started and is final"),
        (share(1), constant(1, 3), "a Run, but it has run before"),
        (share(1), replace(share(1), worker_type=1), r"\(2b\), \(2c\) it has run with other types"),
        (
            share(1),
            replace(share(1), ps=array(1)),
            "1 parameter servers with architecture 'allreduce'",
        ),
    ],
)
def test_what_has_started_binds(first: Share, then: Share, message: str) -> None:
    ins = ring([work("a", slots=3, minibatch_slots=[1.0, 1.0])], 1, worker_types=[[1.0], [1.0]])

    def answer(event: Event) -> Decision | None:
        if isinstance(event, Arrival):
            return Decision({0: first}, wake_at=1)
        return Decision({0: then}) if event.slot == 1 else None

    with pytest.raises(InfeasibleDecision, match=message):
        play(ins, answer)


def test_types_bind_across_a_pause() -> None:
    ins = ring([work("a", slots=3, minibatch_slots=[1.0, 1.0])], 1, worker_types=[[1.0], [1.0]])
    plans = [share(1), PAUSED, replace(share(1), worker_type=1)]

    def answer(event: Event) -> Decision | None:
        if isinstance(event, Arrival):
            return None
        return Decision({0: plans[event.slot]}, wake_at=event.slot + 1)

    with pytest.raises(InfeasibleDecision, match=r"slot 2 .* it has run with other types"):
        play(ins, answer)


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        (Decision({1: share(1)}), "job 1 has not arrived or is complete"),
        (Decision({"a": share(1)}), "job is not a whole number"),  # type: ignore[dict-item]
        (Decision(wake_at=0), "wake_at 0 is not after slot 0"),
        # One job of 3 slots: 20 (0 + 3) + 1.
        (Decision(wake_at=61), "before the horizon of 61 slots"),
        (Decision(allocation=1), "`allocation` is not for this problem"),
    ],
)
def test_decisions_are_refused(decision: Decision, message: str) -> None:
    with pytest.raises(InfeasibleDecision, match=message):
        play(ring([work("a", slots=3)], 1), lambda event: decision)


def test_a_policy_that_waits_for_ever_is_stopped() -> None:
    ins = ring([work("a", slots=3)], 1)
    with pytest.raises(InfeasibleDecision, match="before the horizon"):
        play(ins, lambda event: Decision(wake_at=event.slot + 1))


def test_two_workers_may_take_longest() -> None:
    # One takes 3 slots, two with an exchange of 8 slots 3 (1 + 8/2) / 2 = 7.5, three 6 1/3.
    ins = ring([work("a", slots=1, chunks=3, update_slots=8.0)], 3)
    with pytest.raises(InfeasibleDecision, match="before the horizon of 161 slots"):
        play(ins, lambda event: Decision(wake_at=161))
