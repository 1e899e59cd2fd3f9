"""The world of the `reward` problem: who knows what when, and what is refused."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from models.reward import RewardInstance, score
from online.policy import Decision, Policy
from online.registry import find_policy, policy_names
from online.reward.events import Commit, Reveal, RewardEvent
from online.reward.learner import Learner
from online.reward.seeing import OGASchedSeeing
from online.run import InfeasibleDecision, run
from tests.models.reward.cases import random_reward
from tests.models.reward.small import play, reward

Answer = Callable[[RewardEvent], Decision | None]
KINDS = {name: find_policy("reward", name) for name in policy_names("reward")}
COMMITTING = [
    name
    for name, kind in KINDS.items()
    if issubclass(kind, Learner) and not issubclass(kind, OGASchedSeeing)
]


class Scripted(Policy):
    """Answers events by a function and remembers them."""

    name = "scripted"

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def reset(self, public: Any, rng: np.random.Generator) -> None:
        self.public = public
        self.events: list[RewardEvent] = []

    def step(self, event: RewardEvent) -> Decision:
        self.events.append(event)
        return self._answer(event) or Decision()


def one_unit(arrivals: list[list[int]]) -> RewardInstance:
    """One server with one unit; each job asks for one."""
    return reward([[1.0]] * len(arrivals[0]), [[1.0]], arrivals)


def allocate(*amounts: float) -> Decision:
    return Decision(allocation=np.array(amounts)[:, None])


def test_every_slot_is_sent_twice_idle_ones_too() -> None:
    policy = Scripted(lambda event: None)
    _, trace = play(one_unit([[1], [0], [1]]), policy)
    assert [(type(event).__name__, event.slot) for event in policy.events] == [
        (name, slot) for slot in range(3) for name in ("Commit", "Reveal")
    ]
    shown = [event.arrived.tolist() for event in policy.events if isinstance(event, Reveal)]
    assert shown == [[1], [0], [1]]
    assert [(row["event"], row["job"], row["committed"]) for row in trace.decisions] == [
        (name, None, False) for _ in range(3) for name in ("commit", "reveal")
    ]


def test_a_slot_is_decided_before_or_after_its_arrivals() -> None:
    # Slot 0 is committed to port 0, which has no job: reward 0. In slot 1 port 1 is served after
    # it was seen: 1. Nothing is allocated in slot 2.
    def answer(event: RewardEvent) -> Decision | None:
        if isinstance(event, Commit):
            return allocate(1.0, 0.0) if event.slot == 0 else None
        return allocate(0.0, 1.0) if event.slot == 1 else None

    ins = one_unit([[0, 1], [0, 1], [0, 1]])
    allocations, trace = play(ins, Scripted(answer))
    assert allocations == [[[1.0], [0.0]], [[0.0], [1.0]], [[0.0], [0.0]]]
    reveals = [row for row in trace.decisions if row["event"] == "reveal"]
    assert [row["committed"] for row in reveals] == [True, False, False]
    assert [row["gain"] for row in reveals] == [0.0, 1.0, 0.0]
    assert [row["committed"] for row in trace.decisions if row["event"] == "commit"] == [
        True,
        False,
        False,
    ]
    result = score(ins, trace.schedule)
    assert result.objective == 1.0
    assert result.completion.tolist() == [-1, 1, -1]


def test_rows_hold_both_parts_of_the_reward() -> None:
    # f = ln(1 + y) at y = 1, and the larger overhead: max(0.5 * 1, 0.25 * 1) = 0.5.
    ins = reward([[1.0, 1.0]], [[1.0, 1.0]], [[1]], kind="log", beta=[0.5, 0.25])
    both = Decision(allocation=np.ones((1, 2)))
    policy = Scripted(lambda event: both if isinstance(event, Commit) else None)
    _, trace = play(ins, policy)
    assert trace.decisions[1]["gain"] == pytest.approx(2 * np.log(2.0))
    assert trace.decisions[1]["penalty"] == 0.5


# ---- nobody knows what is to come --------------------------------------------------------------


def test_what_is_committed_cannot_be_changed_after_the_arrivals() -> None:
    y = np.zeros((2, 1))

    def answer(event: RewardEvent) -> Decision | None:
        if isinstance(event, Commit):
            y[:, 0] = (1.0, 0.0)
            return Decision(allocation=y)
        y[:, 0] = event.arrived
        return None

    allocations, trace = play(one_unit([[0, 1], [1, 0]]), Scripted(answer))
    assert allocations == [[[1.0], [0.0]]] * 2
    assert [row["gain"] for row in trace.decisions if row["event"] == "reveal"] == [0.0, 1.0]


def test_no_event_leads_to_the_instance() -> None:
    ins = random_reward(np.random.default_rng(1), most=2)
    policy = Scripted(lambda event: None)
    run(ins, policy, np.random.default_rng(0))
    found = list(reachable([policy.public, *policy.events]))
    assert not any(isinstance(item, RewardInstance) or item is ins.file for item in found)
    seen = [item for item in found if isinstance(item, np.ndarray)]
    assert seen
    assert not any(np.shares_memory(array, ins.arrivals) for array in seen)
    assert not any(array.shape == ins.arrivals.shape for array in seen)
    commits = [event for event in policy.events if isinstance(event, Commit)]
    assert [vars(event) for event in commits] == [{"slot": t} for t in range(ins.cluster.slots)]


def reachable(roots: list[Any]) -> Iterator[Any]:
    """Everything that attributes and containers lead to."""
    seen: set[int] = set()
    left = list(roots)
    while left:
        item = left.pop()
        if id(item) in seen or isinstance(item, type | types.ModuleType | types.FunctionType):
            continue
        seen.add(id(item))
        yield item
        if isinstance(item, np.ndarray):
            left.append(item.base)
        elif isinstance(item, tuple | list):
            left.extend(item)
        elif isinstance(item, dict):
            left.extend(item.values())
        elif dataclasses.is_dataclass(item):
            left.extend(vars(item).values())


def test_the_cluster_of_the_instance_is_out_of_reach() -> None:
    # Not even object.__setattr__ on what a policy is given reaches the scorer.
    def answer(event: RewardEvent) -> Decision | None:
        object.__setattr__(policy.public, "capacities", np.full((1, 1), 9.0))
        return Decision(allocation=np.full((1, 1), 9.0))

    policy = Scripted(answer)
    with pytest.raises(InfeasibleDecision, match=r"\(3\)"):
        run(reward([[1.0]], [[1.0]], [[1]]), policy, np.random.default_rng(0))


@pytest.mark.parametrize("name", COMMITTING)
def test_those_that_commit_do_not_know_the_arrivals_of_the_slot(name: str) -> None:
    # Two instances differ from slot 3 on: what is committed is the same up to slot 3 itself.
    ins = random_reward(np.random.default_rng(5), slots=6)
    arrivals = ins.arrivals.copy()
    arrivals[3:] = 1 - arrivals[3:]
    other = dataclasses.replace(ins, arrivals=arrivals)
    first, second = (play(one, find_policy("reward", name)())[0] for one in (ins, other))
    assert first[:4] == second[:4]
    assert first[4] != second[4]


# ---- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (allocate(1.1, 0.0), r"\(3\) port 0 is allocated 1.1 d0 on server 0 in slot 1, not 0 to 1"),
        (allocate(0.0, -1e-6), r"\(3\) port 1 is allocated -1e-06"),
        (allocate(np.nan, 0.0), r"\(3\) port 0 is allocated nan"),
        (allocate(np.inf, np.inf), r"\(3\) .* \(and 2 more\)$"),
        (allocate(0.75, 0.5), r"\(4\) server 0 allocates 1.25 of 1 d0 in slot 1$"),
        (allocate(0.5), r"shape \(1, 1\), not of float64 and shape \(2, 1\)"),
        (Decision(allocation=np.zeros((2, 1), dtype=int)), "is of int64 and shape"),
        (Decision(allocation=[[0.0], [0.0]]), "`allocation` is no array but list"),
        (Decision({0: ()}), "`plans` are not for this problem"),
        (Decision(wake_at=1), "`wake_at` is not for this problem"),
        (Decision(info={"committed": True}), "`info` may not hold 'committed'"),
    ],
)
@pytest.mark.parametrize("revealed", [False, True])
def test_wrong_answers_are_refused(answer: Decision, message: str, revealed: bool) -> None:
    def answers(event: RewardEvent) -> Decision | None:
        return answer if (event.slot, isinstance(event, Reveal)) == (1, revealed) else None

    when = "after" if revealed else "before"
    place = rf"^policy 'scripted' on 'small', slot 1 \({when} its arrivals\): .*"
    with pytest.raises(InfeasibleDecision, match=place + message):
        play(one_unit([[1, 1], [1, 1]]), Scripted(answers))


def test_a_slot_is_not_decided_twice() -> None:
    with pytest.raises(
        InfeasibleDecision,
        match=r"slot 0 \(after its arrivals\): the allocation of this slot was committed before",
    ):
        play(one_unit([[1]]), Scripted(lambda event: allocate(0.0)))


def test_round_off_is_no_violation() -> None:
    # 1e-9 relative to max(1, capacity), the scorer's own rule.
    def commit(amount: float) -> Answer:
        return lambda event: allocate(amount) if isinstance(event, Commit) else None

    play(one_unit([[1]]), Scripted(commit(1.0 + 0.9e-9)))
    with pytest.raises(InfeasibleDecision, match=r"\(3\)"):
        play(one_unit([[1]]), Scripted(commit(1.0 + 1.1e-9)))
