"""What every registered policy of every problem promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import models
from models.colocated import ColocatedInstance
from models.completion import CompletionInstance
from models.errors import InputError
from models.files import sha256
from models.jct import JctInstance
from models.problem import (
    has_sub_package,
    own_problem_names,
    problem,
    problem_names,
    sub_package,
)
from models.reward import RewardInstance
from models.utility import UtilityInstance
from online.policy import Decision, Event, Policy
from online.registry import build_policy, find_policy, policy_names
from online.run import Trace, run
from tests.models.colocated.small import random_instance as random_colocated
from tests.models.completion.small import random_instance as random_completion
from tests.models.jct.small import random_instance as random_jct
from tests.models.reward.cases import random_reward
from tests.models.utility.small import random_instance
from tests.online.promises import promise


def registered_policies() -> list[tuple[str, str]]:
    """Problem and name of every policy; a problem may have no online part yet."""
    return [(p, name) for p in problems_online() for name in policy_names(p)]


def problems_online() -> list[str]:
    return [p for p in problem_names() if has_sub_package("online", p)]


POLICIES = registered_policies()

every_policy = pytest.mark.parametrize(("problem_name", "policy_name"), POLICIES)


# ---- what a problem brings along ----------------------------------------------------------


def crowded_utility(seed: int, *, slots: int = 12) -> UtilityInstance:
    """More jobs than fit, of all kinds, several a slot and out of order in the file."""
    ins = random_instance(np.random.default_rng(seed), jobs=9, slots=12, servers=3, ps_servers=3)
    return UtilityInstance.from_file(msgspec.structs.replace(ins.file, slots=slots))


def other_future(ins: Any, slot: int, other: Any) -> Any:
    """The same until the end of a slot; then other jobs, more of them, and first in the file."""
    past = [record for record in ins.file.jobs if record.arrival <= slot]
    future = [
        msgspec.structs.replace(record, id=f"x{n}{copy}", arrival=slot + 1 + n % 3)
        for n, record in enumerate(other.file.jobs)
        for copy in "ab"
        if slot + 1 + n % 3 < ins.file.slots
    ]
    return type(ins).from_file(msgspec.structs.replace(ins.file, jobs=[*future, *past]))


def executed_rows(ins: Any, trace: Trace, slot: int) -> set[tuple]:
    """(kind, job id, slot, server, count) of everything run up to a slot."""
    return {
        (kind, ins.jobs[i].id, t, server, count)
        for kind in ("workers", "ps")
        for i, t, server, count in getattr(trace.schedule, kind).tolist()
        if t <= slot
    }


def crowded_reward(seed: int, *, slots: int = 12) -> RewardInstance:
    """Up to two jobs a port, as many as may come in the first slot; some arrays of zeros."""
    rng = np.random.default_rng(seed)
    file = random_reward(rng, ports=5, slots=slots, most=2, beta=(0.0, 0.3), zeros=True).file
    arrivals = [[2] * len(file.requests), *file.arrivals[1:]]
    return RewardInstance.from_file(msgspec.structs.replace(file, arrivals=arrivals))


def other_future_reward(ins: RewardInstance, slot: int, seed: int) -> RewardInstance:
    """The same until the end of a slot, then other arrivals; as many may come as before."""
    other = np.random.default_rng(seed).integers(0, 3, ins.arrivals.shape)
    arrivals = np.vstack([ins.arrivals[: slot + 1], other[slot + 1 :]]).tolist()
    return RewardInstance.from_file(msgspec.structs.replace(ins.file, arrivals=arrivals))


def executed_reward(ins: RewardInstance, trace: Trace, slot: int) -> set[tuple]:
    """(first slot, allocation) of everything allocated up to a slot."""
    schedule = trace.schedule
    return {
        (t, y.tobytes())
        for t, y in zip(schedule.starts.tolist(), schedule.allocations, strict=True)
        if t <= slot
    }


def crowded_jct(seed: int, *, slots: int = 12) -> JctInstance:
    """More jobs than workers, the cloud far away; for odd seeds, storage is scarce."""
    rng = np.random.default_rng(seed)
    return random_jct(
        rng,
        jobs=9,
        servers=3,
        most_workers=2,
        chunks=3,
        types=2,
        storage=seed % 2 == 1,
        slots=slots + 200,  # every job has to complete
    )


def executed_jct(ins: JctInstance, trace: Trace, slot: int) -> set[tuple]:
    """(kind, job id, slot, server, number) of everything run up to a slot."""
    return {
        (kind, ins.jobs[j].id, t, server, number)
        for kind in ("workers", "ps")
        for j, server, number, start, stop in getattr(trace.schedule, kind).tolist()
        for t in range(start, min(stop, slot + 1))
    }


def crowded_completion(seed: int, *, slots: int = 12) -> CompletionInstance:
    """More jobs than fit, out of order in the file; all-reduce for odd seeds."""
    rng = np.random.default_rng(seed)
    ins = random_completion(rng, allreduce=seed % 2 == 1, jobs=9, slots=12, servers=3, chunks=4)
    jobs = [msgspec.structs.replace(record, epochs=3) for record in ins.file.jobs]
    return CompletionInstance.from_file(msgspec.structs.replace(ins.file, jobs=jobs, slots=slots))


def executed_completion(ins: CompletionInstance, trace: Trace, slot: int) -> set[tuple]:
    """(job id, types, slot, server, workers, PSs) of everything run up to a slot."""
    schedule = trace.schedule
    return {
        (ins.jobs[j].id, schedule.worker_type[j], schedule.ps_type[j], t, server, workers, ps)
        for j, begin, end, server, workers, ps in schedule.rows.tolist()
        for t in range(begin, min(end, slot + 1))
    }


def crowded_colocated(seed: int, *, slots: int = 12) -> ColocatedInstance:
    """More jobs than fit, out of order in the file."""
    rng = np.random.default_rng(seed)
    ins = random_colocated(rng, jobs=8, slots=10, servers=3, samples=9)
    return ColocatedInstance.from_file(msgspec.structs.replace(ins.file, slots=slots))


CROWDED: dict[str, Callable[..., Any]] = {
    "colocated": crowded_colocated,
    "completion": crowded_completion,
    "jct": crowded_jct,
    "reward": crowded_reward,
    "utility": crowded_utility,
}
OTHER_FUTURE: dict[str, Callable[[Any, int, int], Any]] = {
    "colocated": lambda ins, slot, seed: other_future(ins, slot, crowded_colocated(seed)),
    "completion": lambda ins, slot, seed: other_future(
        ins, slot, crowded_completion(2 * seed + int(ins.cluster.allreduce))
    ),
    "jct": lambda ins, slot, seed: other_future(ins, slot, crowded_jct(seed)),
    "reward": other_future_reward,
    "utility": lambda ins, slot, seed: other_future(ins, slot, crowded_utility(seed)),
}
EXECUTED: dict[str, Callable[[Any, Trace, int], set[tuple]]] = {
    "colocated": executed_rows,
    "completion": executed_completion,
    "jct": executed_jct,
    "reward": executed_reward,
    "utility": executed_rows,
}
MOST_EVENTS: dict[str, Callable[[Any], int]] = {
    # As utility.
    "colocated": lambda ins: 3 * len(ins.jobs),
    # Arrival, its slot, completion, one turn of every job; rounds at times that double.
    "completion": lambda ins: 4 * len(ins.jobs) + 10,
    # One per arrival and per slot with arrivals; the start, the end and one turn of every chunk.
    "jct": lambda ins: sum(2 + 3 * job.chunks for job in ins.jobs),
    # Before and after the arrivals of every slot: those that learn learn from idle slots, too.
    "reward": lambda ins: 2 * ins.cluster.slots,
    # One event per arrival, and one per slot in which a job arrives or after one completes.
    "utility": lambda ins: 3 * len(ins.jobs),
}
"""How many events a run may have; elsewhere, idle time costs nothing."""


def test_every_problem_brings_its_instances() -> None:
    for kit in (CROWDED, OTHER_FUTURE, EXECUTED, MOST_EVENTS):
        assert set(kit) == set(problems_online())


def test_a_half_built_problem_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    (tmp_path / "halfbuilt").mkdir()
    (tmp_path / "halfbuilt" / "__init__.py").write_text("")
    monkeypatch.setattr(models, "__path__", [*models.__path__, str(tmp_path)])
    own_problem_names.cache_clear()
    request.addfinalizer(own_problem_names.cache_clear)
    assert "halfbuilt" in problem_names()
    assert registered_policies() == POLICIES
    for layer in ("solvers", "online", "benchmarks"):
        with pytest.raises(InputError, match=f"^problem 'halfbuilt' has no {layer} part yet"):
            sub_package(layer, "halfbuilt")
    with pytest.raises(InputError, match="'halfbuilt' has no online part yet"):
        policy_names("halfbuilt")
    with pytest.raises(InputError, match="'halfbuilt' has no formulations part yet"):
        sub_package("models", "halfbuilt", "formulations")
    with pytest.raises(InputError, match="unknown problem 'tetris': choose from"):
        sub_package("online", "tetris")


def build(problem_name: str, policy_name: str, ins: Any) -> Policy:
    return build_policy(find_policy(problem_name, policy_name), ins)


def schedule_bytes(problem_name: str, trace: Trace, folder: Path) -> bytes:
    file = folder / f"schedule{problem(problem_name).schedule_suffix}"
    trace.schedule.write(file)
    return file.read_bytes()


def arrays(value: Any) -> Iterator[np.ndarray]:
    """Every array reachable through dataclasses and tuples."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from arrays(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from arrays(getattr(value, field.name))


# ---- promises of the policies -------------------------------------------------------------


@every_policy
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=15)
def test_schedules_are_feasible(problem_name: str, policy_name: str, seed: int) -> None:
    ins = CROWDED[problem_name](seed)
    trace = run(ins, build(problem_name, policy_name, ins), np.random.default_rng(0))
    assert problem(problem_name).score(ins, trace.schedule).violations == ()


@every_policy
def test_policies_earn_something(problem_name: str, policy_name: str) -> None:
    # Else the promises would hold of a policy that does nothing.
    ins = CROWDED[problem_name](1)
    trace = run(ins, build(problem_name, policy_name, ins), np.random.default_rng(0))
    assert problem(problem_name).score(ins, trace.schedule).objective > 0


@every_policy
def test_a_promise_is_judged_from_the_stored_run(problem_name: str, policy_name: str) -> None:
    ins = CROWDED[problem_name](1)
    policy = build(problem_name, policy_name, ins)
    trace = run(ins, policy, np.random.default_rng(0))
    objective = problem(problem_name).score(ins, trace.schedule).objective
    promised = promise(policy, ins, trace, objective)
    assert promised is None or (promised.ratio >= 1 and promised.applies == (not promised.fails))


@every_policy
def test_same_seed_same_bytes(problem_name: str, policy_name: str, tmp_path: Path) -> None:
    ins = CROWDED[problem_name](1)
    first, second = (
        run(ins, build(problem_name, policy_name, ins), np.random.default_rng(5)) for _ in range(2)
    )
    files = [schedule_bytes(problem_name, trace, tmp_path) for trace in (first, second)]
    assert files[0] == files[1]
    assert first.decisions == second.decisions


@every_policy
def test_reset_starts_afresh(problem_name: str, policy_name: str, tmp_path: Path) -> None:
    ins, between = CROWDED[problem_name](1), CROWDED[problem_name](2)
    policy = build(problem_name, policy_name, ins)
    first = run(ins, policy, np.random.default_rng(5))
    run(between, policy, np.random.default_rng(6))
    second = run(ins, policy, np.random.default_rng(5))
    files = [schedule_bytes(problem_name, trace, tmp_path) for trace in (first, second)]
    assert files[0] == files[1]
    assert first.decisions == second.decisions


@every_policy
def test_input_is_not_changed(problem_name: str, policy_name: str) -> None:
    ins = CROWDED[problem_name](1)
    before = [array.copy() for array in arrays(ins)]
    assert before
    assert not any(array.flags.writeable for array in arrays(ins))
    run(ins, build(problem_name, policy_name, ins), np.random.default_rng(5))
    assert sha256(ins.file) == ins.hash
    for array, copy in zip(arrays(ins), before, strict=True):
        assert np.array_equal(array, copy)


@pytest.mark.parametrize("problem_name", problems_online())
def test_a_policy_cannot_unlock_what_it_is_shown(problem_name: str) -> None:
    at_reset: list[np.ndarray] = []
    later: list[np.ndarray] = []

    class Prying(Policy):
        name = "prying"

        def reset(self, public: Any, rng: np.random.Generator) -> None:
            at_reset.extend(arrays(public))

        def step(self, event: Event) -> Decision:
            later.extend(arrays(event))
            return Decision()

    ins = CROWDED[problem_name](1)
    run(ins, Prying(), np.random.default_rng(0))
    whole = list(arrays(ins))  # what for_instance sees
    assert at_reset and later and whole
    for array in (*at_reset, *later, *whole):
        layer: Any = array
        while isinstance(layer, np.ndarray):
            with pytest.raises(ValueError, match="WRITEABLE"):
                layer.setflags(write=True)
            layer = layer.base


@every_policy
@pytest.mark.parametrize("slot", [0, 3, 7])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_policy_sees_the_future(
    problem_name: str, policy_name: str, slot: int, seed: int
) -> None:
    ins = CROWDED[problem_name](seed)
    sees_no_future(problem_name, ins, build(problem_name, policy_name, ins), slot, seed)


@pytest.mark.parametrize(
    ("policy_name", "option"),
    [("a-online", "literal"), ("drf", "fixed"), ("antman", "fixed"), ("tiresias", "fixed")],
)
@pytest.mark.parametrize("slot", [0, 3, 7])
@pytest.mark.parametrize("seed", [1, 2])
def test_no_variant_sees_the_future(policy_name: str, option: str, slot: int, seed: int) -> None:
    ins = CROWDED["completion"](seed)
    kind = find_policy("completion", policy_name)
    sees_no_future("completion", ins, build_policy(kind, ins, **{option: True}), slot, seed)


def sees_no_future(problem_name: str, ins: Any, policy: Policy, slot: int, seed: int) -> None:
    """One policy, its price bounds and the like held fixed, on instances that differ later."""
    twin = OTHER_FUTURE[problem_name](ins, slot, seed + 100)
    executed, rows = [], []
    for one in (ins, twin):
        trace = run(one, policy, np.random.default_rng(5))
        executed.append(EXECUTED[problem_name](one, trace, slot))
        rows.append([row for row in trace.decisions if row["slot"] <= slot])
    assert rows[0] == rows[1]
    assert executed[0] == executed[1]


@every_policy
def test_events_are_few(problem_name: str, policy_name: str) -> None:
    for slots in (12, 2000):
        ins = CROWDED[problem_name](1, slots=slots)
        trace = run(ins, build(problem_name, policy_name, ins), np.random.default_rng(5))
        assert len(trace.decisions) <= MOST_EVENTS[problem_name](ins)
