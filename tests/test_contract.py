"""What every registered policy of every problem promises."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import models
from benchmarks.contract import experiments_of
from models.errors import InputError
from models.files import sha256
from models.problem import (
    has_sub_package,
    own_problem_names,
    problem,
    problem_names,
    sub_package,
)
from online.policy import Decision, Event, Policy
from online.registry import build_policy, find_policy, policy_names
from online.run import Trace, run
from tests.contract_cases import CROWDED, EXECUTED, MOST_EVENTS, OTHER_FUTURE
from tests.online.promises import promise


def registered_policies() -> list[tuple[str, str]]:
    """Problem and name of every policy; a problem may have no online part yet."""
    return [(p, name) for p in problems_online() for name in policy_names(p)]


def problems_online() -> list[str]:
    return [p for p in problem_names() if has_sub_package("online", p)]


POLICIES = registered_policies()

every_policy = pytest.mark.parametrize(("problem_name", "policy_name"), POLICIES)


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
@pytest.mark.parametrize(
    ("seed", "slot"),
    [
        pytest.param(
            *case, marks=() if case in ((1, 0), (1, 3), (1, 7), (2, 3)) else pytest.mark.slow
        )
        for case in product((1, 2, 3), (0, 3, 7))
    ],
)
def test_no_policy_sees_the_future(
    problem_name: str, policy_name: str, seed: int, slot: int
) -> None:
    ins = CROWDED[problem_name](seed)
    sees_no_future(problem_name, ins, build(problem_name, policy_name, ins), slot, seed)


VARIANTS = [
    (name, policy_name, parameters)
    for name in problems_online()
    for policy_name, parameters in experiments_of(name).workload.variants.values()
]


@pytest.mark.parametrize(("problem_name", "policy_name", "parameters"), VARIANTS)
def test_variants_are_feasible_and_see_no_future(
    problem_name: str, policy_name: str, parameters: dict[str, Any]
) -> None:
    for slot, seed in ((0, 1), (3, 2), (7, 1)):
        ins = CROWDED[problem_name](seed)
        policy = build_policy(find_policy(problem_name, policy_name), ins, **parameters)
        sees_no_future(problem_name, ins, policy, slot, seed)
        trace = run(ins, policy, np.random.default_rng(0))
        assert problem(problem_name).score(ins, trace.schedule).violations == ()


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
