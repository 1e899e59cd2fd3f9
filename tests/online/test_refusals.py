"""What the runner and the registry refuse, and what they say of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest

from models.errors import InputError
from models.utility import UtilityInstance
from models.utility.files import JobRecord, UtilityFile
from online.policy import Arrival, Decision, Event, Policy, SlotStart
from online.registry import build_policy, check_policy
from online.run import InfeasibleDecision, run
from online.segments import Segment
from tests.models.utility.small import instance, job


def rows(*pairs: tuple[int, int]) -> np.ndarray:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


NOTHING = rows()


class OneAnswer(Policy):
    """Answers the first start of a slot with given plans."""

    name = "fake"

    def __init__(self, plans: dict[int, Any], at: int = 1) -> None:
        self.plans, self.at = plans, at

    def reset(self, public: Any, rng: np.random.Generator) -> None:
        self.answered = False

    def step(self, event: Event) -> Decision:
        if isinstance(event, Arrival) or event.slot < self.at or self.answered:
            return Decision()
        self.answered = True
        return Decision(self.plans)


def two_and_two() -> UtilityInstance:
    """Jobs a (N = 3) and b in slot 1, late in slot 3; two servers a side, for 2 workers each."""
    fields: dict[str, Any] = {"chunks": 3, "work": 3, "ps": [1.5]}
    records: list[JobRecord] = [
        job("a", arrival=1, **fields),
        job("b", arrival=1, **fields),
        job("late", arrival=3, **fields),
    ]
    return instance(records, worker_servers=[[2.0], [2.0]], ps_servers=[[3.0], [3.0]], slots=6)


def segment(workers: Any, ps: Any, start: int = 1, stop: int | None = None) -> Segment:
    return Segment(start, stop, workers, ps)


FINE = segment(rows((0, 2)), rows((0, 2)))


@pytest.mark.parametrize(
    ("plans", "message"),
    [
        ({0: (segment(rows((0, 2), (1, 2)), rows((0, 2), (1, 1))),)}, r"job 'a'.*\(3\) 4 workers"),
        (
            {0: (FINE,), 1: (segment(rows((0, 1)), rows((1, 1))),)},
            r"\(4\) worker server 0.* 3 of 2",
        ),
        (
            {0: (FINE,), 1: (segment(rows((1, 2)), rows((0, 2))),)},
            r"\(5\) parameter server 0.* 6 of 3 bandwidth_gbps in slot 1",
        ),
        # 2 workers of 1 Gbps on one parameter server of 1.5 Gbps
        ({0: (segment(rows((0, 2)), rows((0, 1))),)}, r"job 'a'.*\(6\) 2 Gbps of workers, 1.5"),
        ({0: (segment(rows((0, 1)), rows((0, 2))),)}, r"job 'a'.*\(7\) 2 parameter servers, 1"),
        ({0: (segment(rows((0, 1)), rows((0, 1)), start=0),)}, r"job 'a'.*starts in slot 0 < 1"),
        ({7: (FINE,)}, "job 7 has not arrived"),
        ({2: (FINE,)}, "job 2 has not arrived"),  # it will, in slot 3
        ({-1: (FINE,)}, "job -1 has not arrived"),
        ({0: (segment(rows((2, 1)), rows((0, 1))),)}, "job 'a'.*no worker server 2"),
        ({0: (segment(rows((-1, 1), (1, 1)), rows((0, 2))),)}, "job 'a'.*no worker server -1"),
        ({0: (segment(rows((0, 1)), rows((2, 1))),)}, "job 'a'.*no parameter server 2"),
        ({0: (segment(rows((0, 1), (0, 1)), rows((0, 2))),)}, "job 'a'.*stands twice"),
        ({0: (segment(rows((0, 2), (1, -1)), rows((0, 1))),)}, "job 'a'.*count is not positive"),
        ({0: (segment(rows((0, 1)) * 1.0, rows((0, 1))),)}, "job 'a'.*must be integers"),
        ({0: (segment(rows((0, 1)), rows((0, 1)), stop=7),)}, "job 'a'.*start 1, stop 7"),
        ({0: (segment(rows((0, 1)), rows((0, 1)), stop=1),)}, "job 'a'.*start 1, stop 1"),
        ({0: (segment(rows((0, 1)), rows((0, 1)), start=6),)}, "job 'a'.*start 6, stop 6"),
        ({0: None}, "job 'a': a plan is a tuple of Segment, not of type NoneType"),
        ({0: ("run",)}, "job 'a', segment 0: is not a Segment but of type str"),
        ({0: (segment([(0, 1)], rows((0, 1))),)}, "job 'a'.*must be integers"),
        ({0: (segment(rows((0, 1)).ravel(), rows((0, 1))),)}, "job 'a'.*must be integers"),
        ({0: (segment(rows((0, 1)), rows((0, 1)), stop=2.5),)}, "stop is not a whole number"),
        ({0.5: (FINE,)}, "job is not a whole number but of type float"),
        # Summed in 64 bits it would be negative.
        (
            {0: (segment(rows((0, 2**62), (1, 2**62)), rows((0, 1))),)},
            r"job 'a'.*\(3\) 9223372036854775808 workers",
        ),
        # The second segment starts before the first ends.
        ({0: (FINE, segment(NOTHING, NOTHING, start=4))}, "job 'a'.*starts in slot 4 < 6"),
        # Capacity counts in future slots too: both want server 0, in slot 2.
        (
            {
                0: (segment(rows((0, 1)), rows((0, 1)), stop=4),),
                1: (segment(rows((0, 2)), rows((1, 2)), start=2, stop=3),),
            },
            r"\(4\) worker server 0.* in slot 2",
        ),
    ],
)
def test_infeasible_decisions_are_refused(plans: dict[int, Any], message: str) -> None:
    with pytest.raises(
        InfeasibleDecision, match=rf"^policy 'fake' on 'small', slot 1 \(its start\): .*{message}"
    ):
        run(two_and_two(), OneAnswer(plans), np.random.default_rng(0))


class Answering(Policy):
    """Answers every event by a function."""

    name = "answering"

    def __init__(self, answer: Callable[[Event], Any]) -> None:
        self.answer = answer

    def reset(self, public: Any, rng: np.random.Generator) -> None:
        pass

    def step(self, event: Event) -> Decision:
        return self.answer(event)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "step returned NoneType, not a Decision"),
        ({0: (FINE,)}, "step returned dict, not a Decision"),
        (Decision([0]), "`plans` of the Decision is not a mapping"),  # type: ignore[arg-type]
        (Decision(info="idle"), "`info` of the Decision is not a mapping"),  # type: ignore[arg-type]
        (Decision(info={"slot": 3}), "`info` may not hold 'slot'"),
        (Decision(info={"event": 3}), "`info` may not hold 'event'"),
        (Decision(info={"job": 3}), "`info` may not hold 'job'"),
        (Decision(allocation=[]), "`allocation` is not for this problem: its jobs have plans"),
        (Decision(wake_at=1), "wake_at 1 is not after slot 1"),
        (Decision(wake_at=0), "wake_at 0 is not after slot 1"),
        (Decision(wake_at=6), "wake_at 6 is not .* before the horizon of 6"),
        (Decision(wake_at=2.0), "wake_at is not a whole number"),  # type: ignore[arg-type]
    ],
)
def test_malformed_answers_are_refused(answer: Any, message: str) -> None:
    policy = Answering(lambda event: answer)
    place = r"^policy 'answering' on 'small', slot 1 \(arrival of job 'a'\): "
    with pytest.raises(InfeasibleDecision, match=place + message):
        run(two_and_two(), policy, np.random.default_rng(0))


def test_what_a_policy_raises_goes_through_with_a_note() -> None:
    def divide(event: Event) -> Decision:
        return Decision() if isinstance(event, Arrival) else Decision(info={"x": 1 // 0})

    with pytest.raises(ZeroDivisionError) as caught:
        run(two_and_two(), Answering(divide), np.random.default_rng(0))
    assert caught.value.__notes__ == ["raised by policy 'answering' on 'small', slot 1 (its start)"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "is abstract: it does not define reset, step"),
        ({"name": 3}, "the class attribute `name`"),
        *(({"name": n}, "is not made of") for n in ("", "My", "a b", "../a", "-a", "a.b", "a\n")),
        ({"__init__": lambda self, x: None}, "override for_instance, .* argument: 'x'"),
    ],
)
def test_policies_that_cannot_be_built_are_refused(body: dict[str, Any], message: str) -> None:
    base = Answering if "__init__" in body else Policy if not body else OneAnswer
    policy = type("Mine", (base,), {"name": "mine", **body})
    with pytest.raises(InputError, match=f"^policy 'my:Mine': .*{message}") as caught:
        check_policy(policy, "my:Mine")
    assert "\n" not in str(caught.value)


def test_for_instance_has_to_build_a_policy() -> None:
    class Nothing(Answering):
        name = "nothing"

        @classmethod
        def for_instance(cls, instance: Any) -> Any:
            return None if instance.name == "small" else 1 // 0

    where = "policy 'nothing' on 'small', for_instance"
    with pytest.raises(InputError, match=f"{where}: returned NoneType, not a Policy"):
        build_policy(Nothing, two_and_two())
    other = UtilityInstance.from_file(msgspec.structs.replace(two_and_two().file, name="other"))
    with pytest.raises(ZeroDivisionError) as caught:
        build_policy(Nothing, other)
    assert caught.value.__notes__ == [f"raised by {where}".replace("small", "other")]


def test_a_complete_job_takes_no_plan() -> None:
    class Stubborn(Policy):
        name = "stubborn"

        def reset(self, public: Any, rng: np.random.Generator) -> None:
            pass

        def step(self, event: Event) -> Decision:
            return Decision() if isinstance(event, Arrival) else Decision({0: (run_now(event),)})

    def run_now(event: SlotStart) -> Segment:
        return segment(rows((0, 2), (1, 1)), rows((0, 2)), start=event.slot)

    with pytest.raises(InfeasibleDecision, match=r"slot 2 .*: job 0 .* is complete"):
        run(two_and_two(), Stubborn(), np.random.default_rng(0))


def test_feasible_decisions_pass() -> None:
    other = segment(rows((1, 2)), rows((1, 2)))
    trace = run(two_and_two(), OneAnswer({0: (FINE,), 1: (other,)}), np.random.default_rng(0))
    assert trace.schedule.admitted.tolist() == [True, True, False]


def test_policy_is_told_ranks_and_not_places_in_the_file() -> None:
    """The index of a job says nothing of jobs that arrive later."""
    seen: list[tuple[str, int]] = []

    class Listening(Policy):
        name = "listening"

        def reset(self, public: Any, rng: np.random.Generator) -> None:
            seen.clear()

        def step(self, event: Event) -> Decision:
            if isinstance(event, Arrival):
                seen.append((event.job.id, event.job.index))
            return Decision()

    file: UtilityFile = two_and_two().file
    turned = msgspec.structs.replace(file, jobs=list(reversed(file.jobs)))
    run(UtilityInstance.from_file(turned), Listening(), np.random.default_rng(0))
    assert seen == [("b", 0), ("a", 1), ("late", 2)]
