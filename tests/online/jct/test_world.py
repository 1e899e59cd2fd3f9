"""The world of the `jct` problem: uploads, pauses, moves, storage and refusals, by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from models.jct import CLOUD, JctInstance, score
from models.jct.files import ServerRecord
from online.jct.events import ChunkSlot, JctEvent, Order, Plan
from online.policy import Arrival, Decision, Policy
from online.run import InfeasibleDecision, Trace, run
from tests.models.jct.small import instance, job, server

Answer = Callable[[JctEvent], Decision | None]


class Scripted(Policy):
    """Answers events by a function and remembers them."""

    name = "scripted"

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def reset(self, public: Any, rng: np.random.Generator) -> None:
        self.events: list[JctEvent] = []

    def step(self, event: JctEvent) -> Decision:
        self.events.append(event)
        return self._answer(event) or Decision()


def play(ins: JctInstance, answer: Answer) -> tuple[Scripted, Trace]:
    policy = Scripted(answer)
    return policy, run(ins, policy, np.random.default_rng(0))


def at_slots(answers: dict[int, Decision]) -> Answer:
    """Answers at the start of some slots."""
    return lambda event: answers.get(event.slot) if isinstance(event, ChunkSlot) else None


def plans(rank: int, *orders: Order, together: bool = False) -> dict[int, Plan]:
    return {rank: Plan(orders, together)}


def two_servers(**changes: Any) -> JctInstance:
    """One worker each; one job of two chunks of 3 slots, Delta 1 and 2, the cloud at 5."""
    fields: dict[str, Any] = {
        "chunks": 2,
        "chunk_slots": 3,
        "cloud_chunk_slots": 2,
        "cloud_upload_slots": 5,
        "requested_workers": 2,
        **changes,
    }
    return instance([job("a", 2, upload=[1, 2], **fields)], [server(), server()], cloud=True)


def test_uploads_then_trains_then_says_so() -> None:
    # Sent in slot 2: there in slots 3 and 4; done after 5 and 6, which is told in 6 and 7.
    ins = two_servers()
    both = Decision(plans(0, Order(0, 0, 0), Order(1, 1, 1)))
    policy, trace = play(ins, at_slots({2: both}))
    assert [(type(e).__name__, e.slot) for e in policy.events] == [
        ("Arrival", 2),
        ("ChunkSlot", 2),
        ("ChunkSlot", 6),
        ("ChunkSlot", 7),
    ]
    middle, last = policy.events[2:]
    assert isinstance(middle, ChunkSlot) and isinstance(last, ChunkSlot)
    assert (middle.finished, middle.completed) == (((0, 0),), ())
    assert (last.finished, last.completed) == (((0, 1),), (0,))
    assert trace.schedule.workers.tolist() == [[0, 0, 0, 3, 6], [0, 1, 0, 4, 7]]
    assert score(ins, trace.schedule).violations == ()
    assert score(ins, trace.schedule).objective == 5
    # From slot 2 on both workers are in use; from 6 on one; then none.
    assert [row["busy"] for row in trace.decisions] == [0, 2, 1, 0]


def test_a_pause_keeps_the_data_and_a_move_sends_it_again() -> None:
    # Chunk 0 runs in slot 3, is paused at 4, resumes at 6 at once: 6, 7. Chunk 1 runs on server 1
    # in slot 4, is moved at 5 to server 0 (there at 6) but waits for the worker until 8.
    ins = two_servers()
    answers = {
        2: Decision(plans(0, Order(0, 0, 0), Order(1, 1, 1)), wake_at=4),
        4: Decision(plans(0, Order(0, 0, None)), wake_at=5),
        5: Decision(plans(0, Order(1, 0, None)), wake_at=6),
        6: Decision(plans(0, Order(0, 0, 0))),
        8: Decision(plans(0, Order(1, 0, 0))),
    }
    _, trace = play(ins, at_slots(answers))
    assert trace.schedule.workers.tolist() == [[0, 0, 0, 3, 4], [0, 0, 0, 6, 10], [0, 1, 0, 4, 5]]
    assert trace.schedule.migration
    assert score(ins, trace.schedule).violations == ()
    assert [row["preempted"] for row in trace.decisions] == [0, 0, 1, 1, 0, 0, 0]


def test_the_cloud_together_and_the_parameter_servers() -> None:
    # zeta = 1: p_c = 2 from slot 2 + 5 on.
    ins = two_servers()
    orders = tuple(Order(chunk, CLOUD, chunk) for chunk in range(2))
    _, trace = play(ins, at_slots({2: Decision(plans(0, *orders, together=True))}))
    assert trace.schedule.workers.tolist() == [[0, -1, 0, 7, 9], [0, -1, 1, 7, 9]]
    assert trace.schedule.ps.tolist() == [[0, -1, 0, 7, 9]]
    assert score(ins, trace.schedule).violations == ()


def test_alg_5_keeps_a_parameter_server_while_a_job_runs_and_no_longer() -> None:
    # One parameter server at the edge: a has it in 1, b (from 2 on, a too) takes the cloud's.
    ins = instance(
        [
            job("a", upload=[1], chunk_slots=3, cloud_upload_slots=9),
            job("b", 1, upload=[1], chunk_slots=2, cloud_upload_slots=9),
        ],
        [server(2, ps=1)],
        cloud=True,
    )
    answers = {
        0: Decision(plans(0, Order(0, 0, 0))),
        1: Decision(plans(1, Order(0, 0, 1)), wake_at=3),
        # A break of one slot: now a's parameter server is free, and b keeps the one it has.
        3: Decision(plans(0, Order(0, 0, None))),
        4: Decision(plans(0, Order(0, 0, 0))),
    }
    _, trace = play(ins, at_slots(answers))
    assert trace.schedule.ps.tolist() == [[0, 0, 0, 1, 3], [0, 0, 0, 4, 5], [1, -1, 0, 2, 4]]
    assert score(ins, trace.schedule).violations == ()


def test_storage_is_held_until_the_job_completes() -> None:
    # Both chunks stored on server 0 in slots 2..8: chunk 0 is done in 5, but b finds room at 9.
    a = job("a", 2, upload=[1], chunks=2, chunk_slots=3, requested_workers=1, chunk_gb=1.0)
    ins = instance([a, job("b", 3, upload=[1], chunk_gb=0.5)], [server(2, storage_gb=2.0)])
    send = plans(0, Order(0, 0, 0), Order(1, 0, None))
    for slot in (3, 6):
        answers = {2: Decision(send), 6: Decision(plans(0, Order(1, 0, 0)))}
        second = {**answers.get(slot, Decision()).plans, **plans(1, Order(0, 0, 1))}
        with pytest.raises(InfeasibleDecision, match=r"\(7b\) server 0 would store 2.5 of 2 GB"):
            play(ins, at_slots({**answers, slot: Decision(second)}))
    answers = {
        2: Decision(send),
        6: Decision(plans(0, Order(1, 0, 0))),
        9: Decision(plans(1, Order(0, 0, 1))),
    }
    _, trace = play(ins, at_slots(answers))
    assert trace.schedule.workers.tolist()[-1] == [1, 0, 1, 10, 11]


def test_what_runs_at_the_horizon_is_cut() -> None:
    ins = instance([job("a", upload=[0], chunk_slots=20)], [server()], slots=20)
    _, trace = play(ins, at_slots({0: Decision(wake_at=5), 5: Decision(plans(0, Order(0, 0, 0)))}))
    assert trace.schedule.workers.tolist() == [[0, 0, 0, 5, 20]]
    assert [v.equation for v in score(ins, trace.schedule).violations] == ["(2b)"]


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        (Decision({1: Plan(())}), "a plan for 1, which is no job that is waiting"),
        (Decision({0: ()}), "job 'a': is no Plan but tuple"),
        (Decision({0: Plan(Order)}), "job 'a': its orders are no tuple but <class"),
        (Decision({0: Plan((Order(0, 0, 0), Order(0, 1, 1)))}), "a chunk is ordered twice"),
        (Decision({0: Plan(((0, 0),))}), r"\(0, 0\) is not \(chunk, server, worker or None\)"),
        (Decision({0: Plan((Order(0, 0, 0.5),))}), "in whole numbers"),
        (Decision({0: Plan((Order(2, 0, 0),))}), "chunk 2: it has 2 chunks"),
        (Decision({0: Plan((Order(0, 2, 0),))}), "chunk 0: no server 2"),
        (Decision({0: Plan((Order(0, 0, 9),))}), "chunk 0: no worker 9"),
        (Decision({0: Plan((Order(0, 0, 1),))}), "worker 1 is not on server 0"),
        (Decision({0: Plan((Order(0, CLOUD, None),))}), "no chunk waits in the cloud"),
        (Decision({0: Plan((Order(0, CLOUD, 0),), True)}), r"\(2g\) together, but not all"),
        (
            Decision({0: Plan((Order(0, 0, 0), Order(1, CLOUD, 0)), True)}),
            r"\(2g\) the whole job goes to the cloud together",
        ),
        (
            Decision({0: Plan((Order(0, 0, 0), Order(1, 0, 0)))}),
            r"\(2d\) worker 0 is to train chunk 1 of job 'a' and has chunk 0 of job 'a'",
        ),
        (
            Decision(plans(0, Order(0, CLOUD, 0), Order(1, CLOUD, 1))),
            r"job 'a': \(2g\) all of its chunks are in the cloud, but not together",
        ),
        (Decision(wake_at=2), "wake_at 2 is not after slot 2"),
        (Decision(wake_at=20), "before the horizon of 20 slots"),
        (Decision(allocation=np.zeros(1)), "`allocation` is not for this problem"),
    ],
)
def test_refusals(decision: Decision, message: str) -> None:
    with pytest.raises(InfeasibleDecision, match=message):
        play(two_servers(), at_slots({2: decision}))


def test_refusals_of_what_came_before() -> None:
    first = Decision(plans(0, Order(0, CLOUD, 0)), wake_at=3)
    later = {
        "there is no preemption in the cloud": plans(0, Order(0, 0, 0)),
        "`together` was settled by its first plan": plans(0, Order(1, CLOUD, 0), together=True),
    }
    for message, second in later.items():
        with pytest.raises(InfeasibleDecision, match=message):
            play(two_servers(), at_slots({2: first, 3: Decision(second)}))
    done = Decision(plans(0, Order(0, 0, 0)))
    with pytest.raises(InfeasibleDecision, match="job 'a', chunk 0: is done"):
        play(two_servers(), at_slots({2: done, 6: done}))


def test_a_chunk_moves_to_the_cloud_only_untrained() -> None:
    # Chunk 0 is on server 0 from slot 3 on: at 3 it may still go, with its first slot done not;
    # nor when it waits since.
    start = Decision(plans(0, Order(0, 0, 0), Order(1, 1, None)), wake_at=3)
    go = Decision(plans(0, Order(0, CLOUD, 0)))
    _, trace = play(two_servers(), at_slots({2: start, 3: go}))
    assert trace.schedule.workers.tolist() == [[0, CLOUD, 0, 8, 11]]  # 3 + 5, p = 3
    pause = Decision(plans(0, Order(0, 0, None)), wake_at=5)
    for answers in ({3: Decision(wake_at=4), 4: go}, {3: Decision(wake_at=4), 4: pause, 5: go}):
        with pytest.raises(InfeasibleDecision, match="trained at the edge, cannot go to the cloud"):
            play(two_servers(), at_slots({2: start, **answers}))


def test_another_type_and_no_cloud_are_refused() -> None:
    ins = instance([job("a", upload=[0])], [ServerRecord(workers=["a", "b"], ps=["a"])])
    with pytest.raises(InfeasibleDecision, match=r"\(2a\) worker 1 is of another type"):
        play(ins, at_slots({0: Decision(plans(0, Order(0, 0, 1)))}))
    with pytest.raises(InfeasibleDecision, match="there is no cloud"):
        play(ins, at_slots({0: Decision(plans(0, Order(0, CLOUD, 0)))}))


def test_a_job_may_be_sent_at_its_arrival_event() -> None:
    def answer(event: JctEvent) -> Decision | None:
        if isinstance(event, Arrival):
            return Decision(plans(0, Order(0, 0, 0), Order(1, 0, None)))
        return Decision(plans(0, Order(1, 0, 0))) if event.slot == 6 else None

    _, trace = play(two_servers(), answer)
    assert trace.schedule.workers.tolist() == [[0, 0, 0, 3, 9]]
