"""Whether the clock decided a step of an offline solve: every solver says so by ``timed``."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks import draw
from solvers.contract import offline_solver
from solvers.utility.offline import solve as utility_solve
from tests.solvers.utility.test_exact import contended

pytestmark = pytest.mark.usefixtures("highs_here", "short_local_search")
PLENTY = 1e6  # seconds


class Jump:
    """A clock that jumps ahead once a step has begun; ``share`` of a limit of ``PLENTY``."""

    def __init__(self, share: float) -> None:
        self.ahead, self._jump = 0.0, share * PLENTY
        self._real = time.monotonic

    def monotonic(self) -> float:
        return self._real() + self.ahead

    def before(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def late(*args: Any, **options: Any) -> Any:
            self.ahead = self._jump
            return step(*args, **options)

        return late


def cut(monkeypatch: pytest.MonkeyPatch, step: str, share: float) -> None:
    """Let a step, ``module:function``, begin when this share of the time is over."""
    module, _, name = step.partition(":")
    clock = Jump(share)
    place = __import__(module, fromlist=[name])
    monkeypatch.setattr(f"{module}.{name}", clock.before(getattr(place, name)))
    monkeypatch.setattr("time.monotonic", clock.monotonic)


def test_a_proof_before_a_column_generation_that_was_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    solve = offline_solver("utility").solve
    free = solve(contended(0), time_limit=PLENTY)
    assert free.is_optimal and not free.timed
    cut(monkeypatch, "solvers.utility.steps:ColumnGeneration", 1.0)  # the prices are cut off
    found = solve(contended(0), time_limit=PLENTY)
    assert found.is_optimal and found.timed
    assert found.objective == pytest.approx(free.objective)


@pytest.mark.parametrize(("step", "share"), [("ColumnGeneration", 0.13), ("local_search", 0.17)])
def test_under_a_limit_of_work_no_share_of_the_time_cuts_a_step(
    step: str, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With a limit of work, both of these come first on small instances, too.
    free = utility_solve(contended(0), time_limit=PLENTY, work_limit=5.0)
    assert free.is_optimal and not free.timed
    cut(monkeypatch, f"solvers.utility.steps:{step}", share)
    found = utility_solve(contended(0), time_limit=PLENTY, work_limit=5.0)
    assert found.is_optimal and not found.timed
    assert (found.objective, found.bound) == (free.objective, free.bound)


SMALL: dict[str, dict[str, Any]] = {
    "utility": {"jobs": 5, "slots": 6, "servers": (3, 3)},
    "jct": {"jobs": 3, "slots": 20, "servers": 2},
    "reward": {"jobs": 3, "slots": 4, "servers": 3},
    "colocated": {"jobs": 4, "slots": 6, "servers": 2},
}


@pytest.mark.parametrize("problem", SMALL)
def test_what_ends_by_itself_is_not_timed(problem: str) -> None:
    found = offline_solver(problem).solve(draw(problem, seed=1, **SMALL[problem]), time_limit=None)
    assert not found.timed
    found = offline_solver(problem).solve(
        draw(problem, seed=1, **SMALL[problem]), time_limit=PLENTY
    )
    assert found.is_optimal and not found.timed


@pytest.mark.parametrize(
    ("problem", "step", "share"),
    [
        ("utility", "solvers.utility.steps:local_search", 1.0),
        ("utility", "solvers.utility.exact:TotalsProgram", 0.5),
        ("jct", "solvers.jct.bound:price_bound", 0.45),
        ("jct", "solvers.jct.offline:list_schedule", 0.3),
        ("reward", "solvers.reward.offline:optimum", 0.3),
        ("colocated", "solvers.colocated.offline:ColumnGeneration", 0.35),
        ("colocated", "solvers.colocated.offline:local_search", 0.5),
        ("colocated", "solvers.colocated.offline:improve", 1.0),
    ],
)
def test_a_step_that_was_cut(
    problem: str, step: str, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = draw(problem, seed=1, **SMALL[problem])
    cut(monkeypatch, step, share)
    found = offline_solver(problem).solve(instance, time_limit=PLENTY)
    assert found.timed
    assert found.bound is not None and math.isfinite(found.bound)
